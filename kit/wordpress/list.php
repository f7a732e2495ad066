<?php
/** The list of coming shifts. It has no looks of its own, so the theme's apply. */
namespace Shiftfeed;
defined('ABSPATH') || exit;
function write_list(array $copy, string $page, string $date, string $locale): string {
    $words = words_in($locale);
    $link = '<a href="' . esc_url($page) . '">' . write_text($copy['title'] === '' ? $words['calendar'] : $copy['title']) . '</a>';
    $html = '<p>' . write_text($words['unavailable']) . " $link</p>" . write_hint($copy['error']);
    if ($copy['read'] > 0) {
        $read = (new \DateTimeImmutable("@$copy[read]"))->setTimezone(new \DateTimeZone($copy['zone']));
        $updated = str_replace('{time}', write_date($read->format('Y-m-d'), $words) . $read->format(', H:i'), $words['updated']);
        $html = write_days($copy, $date, $words) . "<p>$link · " . write_text($updated) . '</p>';
    }
    return "<div lang=\"$words[tag]\" dir=\"$words[direction]\">$html</div>";
}

function write_days(array $copy, string $date, array $words): string {
    $first = first_day($date, $copy['zone']);
    $days = [];
    foreach ($copy['shifts'] as $shift) {
        if (is_on_from($first, $shift)) $days[$shift['date']][] = '<li>' . write_shift($shift, $words) . '</li>';
    }
    // What is left of many shifts after some hours may be none, which says nothing about those that were not kept.
    $html = $days === [] && $copy['is_whole'] ? '<p>' . write_text($words['empty_day']) . '</p>' : '';
    foreach ($days as $day => $items) {
        $html .= '<p><strong>' . write_text(write_date($day, $words)) . "</strong></p>\n<ul>\n" . implode("\n", $items) . "\n</ul>\n";
    }
    return $html;
}

function write_shift(array $shift, array $words): string {
    $until = $shift['end_date'] === $shift['date'] ? '' : write_date($shift['end_date'], $words) . ', ';
    $names = implode(', ', array_filter($shift['names'], 'strlen'));
    $marks = array_map(fn($mark) => "($words[$mark])", $shift['marks']);
    return write_text(implode(' ', ["$shift[start_time] – $until$shift[end_time]", $names === '' ? $words['shift'] : $names, ...$marks]));
}

/** "Wednesday 18 November" */
function write_date(string $date, array $words): string {
    [$weekday, $day, $month] = explode(' ', gmdate('N j n', strtotime("$date UTC")));
    return strtr($words['date'], ['{weekday}' => $words['weekdays'][$weekday - 1], '{day}' => $day, '{month}' => $words['months'][$month - 1]]);
}

/** The date that was chosen, or today where the shifts are. */
function first_day(string $date, string $zone): string {
    return $date === '' ? (new \DateTimeImmutable('@' . time()))->setTimezone(new \DateTimeZone($zone))->format('Y-m-d') : $date;
}

/** One that ended at midnight is not on any more. */
function is_on_from(string $day, array $shift): bool {
    return $shift['date'] >= $day || $shift['end_date'] > $day || ($shift['end_date'] === $day && $shift['end_time'] > '00:00');
}

/** The same words as those of the calendar. Where it has none in a language, both speak English. */
function words_in(string $locale): array {
    static $languages = null;
    $languages = $languages ?? json_decode(file_get_contents(__DIR__ . '/words.json'), true);
    $language = strtolower(preg_split('/[-_]/', $locale)[0]);
    return $languages[$language] ?? $languages['en'];
}

/**
 * For HTML, and without brackets: WordPress looks for shortcodes in what blocks give, and a name may look like one. It also
 * makes brackets of their entities, which esc_attr() would leave alone.
 */
function write_text(string $text): string {
    return str_replace(['[', ']'], ['&#x5b;', '&#x5d;'], htmlspecialchars($text, ENT_QUOTES, 'UTF-8'));
}
