<?php
/* What the plugin of docs/php.md uses of WordPress. Options and transients live in a file, so that they outlast a request. */

const DAY_IN_SECONDS = 86400;
define('SHIFTFEED_URL', getenv('SHIFTFEED_URL'));
define('SHIFTFEED_TOKEN', getenv('SHIFTFEED_TOKEN'));

function add_shortcode(string $name, string $function): void {
    register_shutdown_function(fn() => print($function()));
}

function wp_remote_get(string $url, array $args): array {
    $headers = array_map(fn($name, $value) => "$name: $value", array_keys($args['headers']), $args['headers']);
    $context = stream_context_create(['http' => ['header' => $headers, 'ignore_errors' => true, 'follow_location' => $args['redirection']]]);
    $stream = @fopen($url, 'r', false, $context);
    if ($stream === false) return [];
    $status = explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
    return ['status' => $status, 'body' => stream_get_contents($stream)];
}

function wp_remote_retrieve_response_code(array $response): int|string {
    return (int) ($response['status'] ?? '');
}

function wp_remote_retrieve_body(array $response): string {
    return $response['body'] ?? '';
}

function stored(): array {
    $file = __DIR__ . '/stored.json';
    return is_file($file) ? json_decode(file_get_contents($file), true) : [];
}

function store(string $name, mixed $value): void {
    file_put_contents(__DIR__ . '/stored.json', json_encode([$name => $value] + stored()));
}

function get_option(string $name, mixed $default): mixed {
    return stored()["option $name"] ?? $default;
}

function update_option(string $name, mixed $value, bool $autoload): void {
    store("option $name", $value);
}

function get_transient(string $name): mixed {
    $transient = stored()["transient $name"] ?? [0, false];
    return $transient[0] > time() ? $transient[1] : false;
}

function set_transient(string $name, mixed $value, int $seconds): void {
    store("transient $name", [time() + $seconds, $value]);
}

function esc_html(string $text): string {
    return htmlspecialchars($text);
}
