<?php
/**
 * Plugin Name: Shiftfeed
 * Description: Shows the work shifts that your Shiftfeed gateway publishes: the block "Shifts" and the shortcode [shifts].
 * Version: 1.0.0-rc.1
 * Requires at least: 6.1
 * Requires PHP: 7.4
 * License: MIT
 * License URI: https://opensource.org/license/mit
 * Text Domain: shiftfeed
 */

namespace Shiftfeed;
defined('ABSPATH') || exit;
require __DIR__ . '/copy.php';
require __DIR__ . '/list.php';
require __DIR__ . '/settings.php';

/** Of <shift-calendar>. Others are refused: they could be scripts, or a misspelt "group_ids" that would show every group. */
const ATTRIBUTES = ['view', 'date', 'group-ids', 'locale', 'messages', 'legend', 'search', 'subscribe', 'maps', 'live', 'class', 'id'];
add_action('init', 'Shiftfeed\register');
add_action(RENEW, 'Shiftfeed\renew', 10, 3);

function register(): void {
    add_shortcode('shifts', 'Shiftfeed\write_shortcode');
    $needs = ['wp-block-editor', 'wp-blocks', 'wp-components', 'wp-element', 'wp-i18n', 'wp-server-side-render'];
    wp_register_script('shiftfeed-block', plugins_url('block.js', __FILE__), $needs, filemtime(__DIR__ . '/block.js'), true);
    wp_localize_script('shiftfeed-block', 'shiftfeed', ['gateway' => gateway()]);
    wp_set_script_translations('shiftfeed-block', 'shiftfeed');
    register_block_type(__DIR__, ['render_callback' => 'Shiftfeed\write_block']);
}

/** Its attributes have the names of the shortcode's. What is empty or off was not chosen. */
function write_block(array $attributes): string {
    $own = array_intersect_key($attributes, array_flip(['feed', 'view', 'group_ids', 'locale', 'legend', 'search', 'subscribe', 'maps', 'live']));
    $chosen = array_filter($own, fn($value) => $value !== '' && $value !== false);
    return '<div ' . get_block_wrapper_attributes() . '>' . write_shortcode($chosen) . '</div>';
}

/** @param array|string $given A text when the shortcode has no attributes. */
function write_shortcode($given): string {
    $attributes = [];
    foreach (is_array($given) ? $given : [] as $name => $value) {
        // In [shifts feed="kitchen" search], "search" is a value without a name.
        $attributes[str_replace('_', '-', (string) (is_int($name) ? $value : $name))] = is_int($name) ? '' : (string) $value;
    }
    $feed = $attributes['feed'] ?? '';
    unset($attributes['feed']);
    $problem = problem_of($feed, $attributes);
    return $problem === '' ? write_calendar($feed, $attributes) : write_hint("[shifts] $problem");
}

function problem_of(string $feed, array $attributes): string {
    if (gateway() === '') return __('needs the address of the gateway: see Settings → Shiftfeed.', 'shiftfeed');
    if (!preg_match(FEED_NAME, $feed)) return __('needs the name of a feed, such as "kitchen".', 'shiftfeed');
    /* translators: %s: the name of an attribute */
    foreach (array_diff(array_keys($attributes), ATTRIBUTES) as $name) return sprintf(__('has no "%s".', 'shiftfeed'), $name);
    $groups = $attributes['group-ids'] ?? '0';
    if (!preg_match('/^\d+(, *\d+)*$/D', $groups)) return __('needs ids in "group_ids", such as "1,2".', 'shiftfeed');
    return is_date($attributes['date'] ?? '2000-01-01') ? '' : __('needs a date such as 2026-12-01 in "date".', 'shiftfeed');
}

/** The list is for search engines and for visitors without scripts. For others, the calendar takes its place. */
function write_calendar(string $feed, array $attributes): string {
    foreach (['legend', 'search', 'subscribe', 'maps', 'live'] as $name) {
        $value = strtolower($attributes[$name] ?? 'no');
        if (in_array($value, ['0', 'no', 'false'], true)) unset($attributes[$name]);
        elseif (in_array($value, ['1', 'yes', 'true'], true)) $attributes[$name] = '';
    }
    $groups = str_replace(' ', '', $attributes['group-ids'] ?? '');
    $page = gateway() . "/$feed";
    if (($attributes['subscribe'] ?? null) === '') $attributes['subscribe'] = "$page/shifts.ics" . ($groups === '' ? '' : "?group_ids=$groups");
    $html = '';
    foreach (['src' => "$page/shifts"] + $attributes as $name => $value) $html .= " $name=\"" . write_text($value) . '"';
    add_action('wp_footer', 'Shiftfeed\print_script'); // Once, however many calendars a page has.
    $date = $attributes['date'] ?? '';
    $list = write_list(find_copy($feed, $groups, $date), $page, $date, $attributes['locale'] ?? get_locale());
    return "<shift-calendar$html>$list</shift-calendar>";
}

/** For those who can do something about it. Visitors do not see it. */
function write_hint(string $sentence): string {
    return $sentence !== '' && current_user_can('edit_posts') ? '<p><em>' . write_text($sentence) . '</em></p>' : '';
}

/** From the gateway alone: who may write a page must not be able to load any other script into it. */
function print_script(): void {
    wp_print_script_tag(['type' => 'module', 'src' => gateway() . '/shift-calendar.js']);
}
