<?php
/*
 * What the plugin uses of WordPress. Options, transients and events live in a file, so that they outlast a request. The
 * variable NOW is the time. A page is what the variable PAGE says, and ends with what plugins print behind it. With CRON,
 * events are run instead, with TRY, a feed is tried, and with ADDRESS, one is saved.
 */

namespace Shiftfeed {
    function time(): int {
        return (int) getenv('NOW');
    }
}

namespace {
    const ABSPATH = __DIR__, MINUTE_IN_SECONDS = 60, DAY_IN_SECONDS = 86400, WEEK_IN_SECONDS = 604800, MB_IN_BYTES = 1048576;

    $shortcodes = [];
    $actions = [];

    function show(): void {
        do_action('init');
        if (getenv('CRON')) run_events();
        elseif (getenv('TRY')) Shiftfeed\print_trial(getenv('TRY'));
        elseif (getenv('ADDRESS')) store('option shiftfeed_gateway', Shiftfeed\read_address(getenv('ADDRESS')));
        elseif (getenv('BLOCK')) print(Shiftfeed\write_block(json_decode(getenv('BLOCK'), true)));
        else print(do_shortcode(getenv('PAGE')));
        do_action('wp_footer');
    }

    /** The same function for the same action is called once. */
    function add_action(string $action, callable $function): void {
        global $actions;
        $actions[$action][is_string($function) ? $function : spl_object_id($function)] = $function;
    }

    function do_action(string $action, ...$arguments): void {
        global $actions;
        foreach ($actions[$action] ?? [] as $function) $function(...$arguments);
    }

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

    function wp_register_script(): void {}
    function wp_localize_script(): void {}
    function wp_set_script_translations(): void {}
    function register_block_type(): void {}

    function plugins_url(string $file): string {
        return "/plugins/$file";
    }

    function get_block_wrapper_attributes(): string {
        return 'class="wp-block-shiftfeed-shifts"';
    }

    function wp_print_script_tag(array $attributes): void {
        $html = array_map(fn($name, $value) => " $name=\"" . esc_attr($value) . '"', array_keys($attributes), $attributes);
        print('<script' . implode($html) . "></script>\n");
    }

    class WP_Error {
        function get_error_message(): string {
            return 'No connection.';
        }
    }

    function is_wp_error($response): bool {
        return $response instanceof WP_Error;
    }

    function wp_remote_request(string $url, array $args) {
        $headers = array_map(fn($name, $value) => "$name: $value", array_keys($args['headers']), $args['headers']);
        $options = ['method' => $args['method'], 'header' => $headers, 'ignore_errors' => true, 'follow_location' => $args['redirection']];
        $stream = @fopen($url, 'r', false, stream_context_create(['http' => $options]));
        if ($stream === false) return new WP_Error();
        $lines = stream_get_meta_data($stream)['wrapper_data'];
        $fields = [];
        foreach (array_slice($lines, 1) as $line) {
            [$name, $value] = explode(': ', $line, 2) + ['', ''];
            $fields[strtolower($name)][] = $value;
        }
        return ['status' => (int) explode(' ', $lines[0])[1], 'headers' => $fields, 'body' => stream_get_contents($stream, $args['limit_response_size'])];
    }

    function wp_remote_retrieve_response_code($response) {
        return is_wp_error($response) ? '' : $response['status'];
    }

    function wp_remote_retrieve_body($response): string {
        return is_wp_error($response) ? '' : $response['body'];
    }

    /** A list, if there is more than one. */
    function wp_remote_retrieve_header($response, string $name) {
        $values = is_wp_error($response) ? [] : $response['headers'][$name] ?? [];
        return count($values) > 1 ? $values : $values[0] ?? '';
    }

    function wp_parse_url(string $url) {
        return parse_url($url);
    }

    function stored(): array {
        $file = __DIR__ . '/stored.json';
        return is_file($file) ? json_decode(file_get_contents($file), true) : [];
    }

    function store(string $name, $value): void {
        file_put_contents(__DIR__ . '/stored.json', json_encode([$name => $value] + stored()));
    }

    function get_option(string $name, $default = false) {
        return stored()["option $name"] ?? $default;
    }

    function get_transient(string $name) {
        $transient = stored()["transient $name"] ?? [0, false];
        return $transient[0] > Shiftfeed\time() ? $transient[1] : false;
    }

    function set_transient(string $name, $value, int $seconds): void {
        store("transient $name", [Shiftfeed\time() + $seconds, $value]);
    }

    function wp_schedule_single_event(int $time, string $hook, array $arguments): void {
        store("event $hook " . json_encode($arguments), [$hook, $arguments]);
    }

    /** Events are run when the test says so. */
    function wp_cron(): void {}

    function run_events(): void {
        $events = array_filter(stored(), fn($name) => strpos($name, 'event ') === 0, ARRAY_FILTER_USE_KEY);
        file_put_contents(__DIR__ . '/stored.json', json_encode(array_diff_key(stored(), $events)));
        foreach ($events as [$hook, $arguments]) do_action($hook, ...$arguments);
    }

    function is_multisite(): bool {
        return false;
    }

    function home_url(): string {
        return getenv('SITE') ?: 'http://site.example/blog';
    }

    function get_locale(): string {
        return getenv('LOCALE') ?: 'en_US';
    }

    function current_user_can(string $capability): bool {
        return getenv('EDITOR') === '1' && $capability === 'edit_posts';
    }

    function add_settings_error(string $setting, string $code, string $message): void {
        print($message);
    }

    function __(string $text, string $domain): string {
        return $domain === 'shiftfeed' ? $text : '';
    }

    function _n(string $one, string $many, int $count, string $domain): string {
        return __($count === 1 ? $one : $many, $domain);
    }

    function number_format_i18n(int $number): string {
        return number_format($number);
    }

    function untrailingslashit(string $text): string {
        return rtrim($text, '/');
    }

    function esc_url_raw(string $url, array $protocols = ['http', 'https']): string {
        return in_array(parse_url($url, PHP_URL_SCHEME), $protocols, true) ? $url : '';
    }

    function esc_url(string $url): string {
        return esc_attr(esc_url_raw($url));
    }

    function esc_html(string $text): string {
        return esc_attr($text);
    }

    /** What looks like an entity stays one. */
    function esc_attr(string $text): string {
        return htmlspecialchars($text, ENT_QUOTES, 'UTF-8', false);
    }
}
