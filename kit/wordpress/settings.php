<?php
/** Settings → Shiftfeed: the gateway's address, and a field to try the name of a feed. */
namespace Shiftfeed;
defined('ABSPATH') || exit;
add_action('admin_init', fn() => register_setting('shiftfeed', 'shiftfeed_gateway', ['sanitize_callback' => 'Shiftfeed\read_address']));
add_action('admin_menu', fn() => add_options_page('Shiftfeed', 'Shiftfeed', 'manage_options', 'shiftfeed', 'Shiftfeed\print_settings_page'));

/** What is no address leaves the one that was there. */
function read_address($given): string {
    $text = trim((string) $given);
    $url = esc_url_raw(strpos($text, '://') === false && $text !== '' ? "https://$text" : $text, ['http', 'https']);
    $parts = wp_parse_url($url);
    $isAddress = isset($parts['host']) && !array_intersect(['user', 'pass', 'query', 'fragment'], array_keys($parts));
    if ($isAddress || $text === '') return untrailingslashit($url);
    /* translators: %s: what was typed */
    add_settings_error('shiftfeed_gateway', 'address', sprintf(__('"%s" is not the address of a gateway: expected one such as https://shifts.example.org.', 'shiftfeed'), esc_html($text)));
    return gateway();
}

function print_settings_page(): void {
    $feed = isset($_POST['feed']) && check_admin_referer('shiftfeed_try') ? sanitize_text_field(wp_unslash($_POST['feed'])) : '';
    ?>
    <div class="wrap"><h1>Shiftfeed</h1>
        <form method="post" action="options.php">
            <?php settings_fields('shiftfeed'); ?>
            <p><label for="shiftfeed_gateway"><?php esc_html_e('Address of the gateway', 'shiftfeed'); ?></label><br>
            <input id="shiftfeed_gateway" name="shiftfeed_gateway" type="text" inputmode="url" class="regular-text code" placeholder="https://shifts.example.org" value="<?php echo esc_attr(gateway()); ?>"></p>
            <?php submit_button(); ?>
        </form>
        <h2><?php esc_html_e('Try a feed', 'shiftfeed'); ?></h2>
        <form method="post">
            <?php wp_nonce_field('shiftfeed_try'); ?>
            <p><label for="shiftfeed_feed"><?php esc_html_e('Name of a feed, such as "kitchen"', 'shiftfeed'); ?></label><br>
            <input id="shiftfeed_feed" name="feed" type="text" class="regular-text code" value="<?php echo esc_attr($feed); ?>">
            <?php submit_button(__('Try', 'shiftfeed'), 'secondary', 'try', false); ?></p>
        </form>
        <?php if ($feed !== '') print_trial($feed); ?>
    </div><?php
}

function print_trial(string $feed): void {
    $response = gateway() !== '' && preg_match(FEED_NAME, $feed) ? ask("$feed/shifts") : null;
    $body = $response === null ? null : read_feed($response);
    $problem = $body === null ? why_not($response, $feed) : why_no_calendar($response);
    $count = count($body['shifts'] ?? []);
    /* translators: 1: the title of a feed, 2: how many shifts */
    $sentence = _n('This feed is called "%1$s" and shows %2$s shift.', 'This feed is called "%1$s" and shows %2$s shifts.', $count, 'shiftfeed');
    $shown = $body === null ? '' : sprintf($sentence, shorten($body['title']), number_format_i18n($count));
    $shortcode = $problem === '' ? '<p><code>[shifts feed="' . esc_html($feed) . '"]</code></p>' : '';
    echo '<div class="notice inline notice-', $problem === '' ? 'success' : 'error', '"><p>', esc_html(trim("$shown $problem")), "</p>$shortcode</div>";
}

/** Why an answer is no feed, as a sentence. */
function why_not($response, string $feed): string {
    if (gateway() === '') return __('Save the address of the gateway first.', 'shiftfeed');
    if ($response === null) return __('The name of a feed has letters, digits, "-" and "_".', 'shiftfeed');
    /* translators: %s: an error message */
    if (is_wp_error($response)) return sprintf(__('The gateway cannot be reached: %s', 'shiftfeed'), shorten($response->get_error_message()));
    $status = (int) wp_remote_retrieve_response_code($response);
    $isGateway = isset(json_decode(wp_remote_retrieve_body($response), true)['error']);
    /* translators: %s: the name of a feed */
    if ($status === 404 && $isGateway) return sprintf(__('The gateway has no feed "%s".', 'shiftfeed'), $feed);
    if ($status === 503) return __('The gateway has no shifts at the moment. Its log says why.', 'shiftfeed');
    if ($status === 200) return __('What is at this address is no feed of a gateway, or one of a version that is too old.', 'shiftfeed');
    /* translators: %d: the status of an answer */
    return sprintf(__('There is no gateway at this address: it answers with status %d.', 'shiftfeed'), $status);
}

/** Why browsers cannot show the calendar of a feed, as a sentence, or nothing. */
function why_no_calendar($response): string {
    if (strpos(origin(), 'https:') === 0 && strpos(gateway(), 'https:') !== 0) return __('But the calendar cannot be shown: this site has https, so the address of the gateway needs it, too.', 'shiftfeed');
    $isAllowed = in_array(wp_remote_retrieve_header($response, 'access-control-allow-origin'), ['*', origin()], true);
    /* translators: %s: the origin of this site */
    if (!$isAllowed) return sprintf(__('But the calendar cannot be shown: this site, %s, is not among the "origins" of the feed.', 'shiftfeed'), origin());
    if (wp_remote_retrieve_response_code(ask('shift-calendar.js', 'HEAD')) === 200) return '';
    return __('But the calendar cannot be shown: the gateway has no shift-calendar.js. Its version is too old.', 'shiftfeed');
}
