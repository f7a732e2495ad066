<?php
/** Copies of what the gateway shows, renewed in the background by WP-Cron. While it is away, the last one stays for a day. */
namespace Shiftfeed;
defined('ABSPATH') || exit;
const RENEW = 'shiftfeed_renew', FEED_NAME = '/^[\w-]+$/D', MAX_SHIFTS = 200;
/** How soon to ask again when the gateway does not answer, or does not say how long its answer holds. */
const MAX_AGE_SECONDS = 60;
/** "due" is when to ask again, "read" when the gateway last knew the shifts, "error" why there are none, for editors. */
const NO_COPY = ['due' => 0, 'read' => 0, 'error' => '', 'title' => '', 'zone' => 'UTC', 'shifts' => [], 'is_whole' => false];

function gateway(): string {
    return (string) get_option('shiftfeed_gateway', '');
}

/** Of a feed, narrowed to groups such as "1,2", from a date on. */
function find_copy(string $feed, string $groups, string $date): array {
    $copy = stored_copy($feed, $groups, $date);
    if (time() < $copy['due']) return $copy;
    if ($copy['read'] === 0) return renew($feed, $groups, $date);
    wp_schedule_single_event(time(), RENEW, [$feed, $groups, $date]); // Once: WordPress refuses a second one.
    if (!defined('ALTERNATE_WP_CRON') || !ALTERNATE_WP_CRON) wp_cron(); // Else the next visit does it: it may redirect.
    return $copy;
}

function key_of(string $feed, string $groups, string $date): string {
    return 'shiftfeed_' . md5(gateway() . " 1 $feed $groups $date"); // Another number, when copies get another form.
}

function stored_copy(string $feed, string $groups, string $date): array {
    $copy = get_transient(key_of($feed, $groups, $date));
    if (!is_array($copy) || array_diff_key(NO_COPY, $copy)) return NO_COPY;
    return $copy['read'] > time() - DAY_IN_SECONDS ? $copy : ['due' => $copy['due'], 'error' => $copy['error']] + NO_COPY;
}

function renew(string $feed, string $groups, string $date): array {
    $copy = stored_copy($feed, $groups, $date);
    if (time() < $copy['due']) return $copy;
    $key = key_of($feed, $groups, $date);
    $copy['due'] = time() + MAX_AGE_SECONDS;
    set_transient($key, $copy, DAY_IN_SECONDS); // Whoever comes meanwhile does not ask, too.
    // Shifts that began up to a week earlier may still be on.
    $from = gmdate('Y-m-d', ($date === '' ? time() : strtotime("$date UTC")) - WEEK_IN_SECONDS);
    $response = ask("$feed/shifts?date_from=$from" . ($groups === '' ? '' : "&group_ids=$groups"));
    $body = read_feed($response);
    if ($body !== null) {
        preg_match('/\bmax-age=(\d{1,5})\b/', shorten(wp_remote_retrieve_header($response, 'cache-control')), $told);
        // What is told is the rest of it: then the gateway has read the shifts again. It is 0 while it does, or cannot.
        $maxAge = (int) ($told[1] ?? 0) ?: MAX_AGE_SECONDS;
        $age = min((int) shorten(wp_remote_retrieve_header($response, 'shiftfeed-age')), DAY_IN_SECONDS);
        $copy = ['due' => time() + $maxAge, 'read' => time() - $age] + keep($body, $date) + NO_COPY;
    } else {
        // An answer such as 404 takes back what was shown. Others are an outage.
        $isGone = in_array(wp_remote_retrieve_response_code($response), [400, 401, 403, 404, 410], true);
        $copy = ['due' => $copy['due'], 'error' => why_not($response, $feed)] + ($isGone ? NO_COPY : $copy);
    }
    set_transient($key, $copy, DAY_IN_SECONDS);
    return $copy;
}

/** @return array|\WP_Error The answer of the gateway, and of nobody else: redirects are not followed. */
function ask(string $path, string $method = 'GET') {
    return wp_remote_request(gateway() . "/$path", [
        'method' => $method, 'timeout' => 5, 'redirection' => 0, 'limit_response_size' => 8 * MB_IN_BYTES,
        'headers' => ['Accept' => 'application/json', 'Origin' => origin()],
        // Administrators of one site among many are not those of the server, and must not look around in its network.
        'reject_unsafe_urls' => is_multisite(),
    ]);
}

/** As browsers name this site. */
function origin(): string {
    $parts = wp_parse_url(home_url());
    return $parts['scheme'] . '://' . $parts['host'] . (isset($parts['port']) ? ":$parts[port]" : '');
}

/** The body of an answer, if it is a feed. */
function read_feed($response): ?array {
    $body = json_decode(wp_remote_retrieve_body($response), true);
    $isFeed = is_array($body) && is_string($body['title'] ?? null) && is_array($body['shifts'] ?? null)
        && is_string($body['time_zone'] ?? null) && @timezone_open($body['time_zone']) !== false;
    return $isFeed && wp_remote_retrieve_response_code($response) === 200 ? $body : null;
}

/** What the list shows of a feed, as texts. What is no shift is left out. */
function keep(array $body, string $date): array {
    $shifts = array_filter(array_map('Shiftfeed\read_shift', $body['shifts']));
    $coming = array_values(array_filter($shifts, fn($shift) => is_on_from(first_day($date, $body['time_zone']), $shift)));
    $kept = array_slice($coming, 0, MAX_SHIFTS);
    return ['title' => shorten($body['title']), 'zone' => $body['time_zone'], 'shifts' => $kept, 'is_whole' => $kept === $coming];
}

function read_shift($shift): ?array {
    foreach (['date', 'end_date'] as $key) if (!is_date($shift[$key] ?? null)) return null;
    foreach (['start_time', 'end_time'] as $key) if (!preg_match('/^\d\d:\d\d$/D', shorten($shift[$key] ?? null))) return null;
    $kept = array_intersect_key($shift, array_flip(['date', 'end_date', 'start_time', 'end_time']));
    foreach (['group', 'location', 'person'] as $key) $kept['names'][] = shorten($shift[$key]['name'] ?? null);
    $isOpen = $shift['open'] ?? (array_key_exists('person', $shift) && $shift['person'] === null);
    $marks = ['cancelled' => $shift['cancelled'] ?? false, 'open' => $isOpen, 'starred' => $shift['starred'] ?? false, 'noshow' => $shift['noshow'] ?? false];
    return $kept + ['marks' => array_keys($marks, true, true)];
}

function is_date($text): bool {
    return is_string($text) && preg_match('/^(\d{4})-(\d\d)-(\d\d)$/D', $text, $parts) && checkdate((int) $parts[2], (int) $parts[3], (int) $parts[1]);
}

function shorten($text): string {
    return is_string($text) ? mb_substr($text, 0, 200) : '';
}
