<?php
/*
 * What the plugins of docs/php.md use of WordPress. Options and transients live in a file, so that they outlast a request.
 * A page is what the variable PAGE says, and ends with what plugins print behind it.
 */

const DAY_IN_SECONDS = 86400;
define('SHIFTFEED_URL', getenv('SHIFTFEED_URL'));
define('SHIFTFEED_TOKEN', getenv('SHIFTFEED_TOKEN'));

$shortcodes = [];
$actions = ['wp_footer' => []];
register_shutdown_function(function (): void {
    global $actions;
    print(do_shortcode(getenv('PAGE')));
    foreach ($actions['wp_footer'] as $function) $function();
});

function add_shortcode(string $name, string $function): void {
    global $shortcodes;
    $shortcodes[$name] = $function;
}

/** As WordPress does it, attributes without values have a number for a name, and a shortcode without any gets a text. */
function do_shortcode(string $text): string {
    return preg_replace_callback('/\[(\w+)((?: [^\]]*)?)\]/', function (array $found): string {
        global $shortcodes;
        preg_match_all('/([\w-]+)="([^"]*)"|(\S+)/', $found[2], $words, PREG_SET_ORDER);
        $attributes = [];
        foreach ($words as $word) {
            if (isset($word[3])) $attributes[] = $word[3];
            else $attributes[strtolower($word[1])] = $word[2];
        }
        return $shortcodes[$found[1]]($attributes ?: '', '', $found[1]);
    }, $text);
}

/** The same function for the same action is called once. */
function add_action(string $action, string $function): void {
    global $actions;
    $actions[$action][$function] = $function;
}

function wp_print_script_tag(array $attributes): void {
    $html = array_map(fn($name, $value) => " $name=\"" . esc_attr($value) . '"', array_keys($attributes), $attributes);
    print('<script' . implode($html) . "></script>\n");
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

function get_option(string $name): mixed {
    return stored()["option $name"] ?? false;
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

function esc_attr(string $text): string {
    return htmlspecialchars($text, ENT_QUOTES);
}
