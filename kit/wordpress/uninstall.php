<?php
/** Removes what the plugin stored, on each site. */
defined('WP_UNINSTALL_PLUGIN') || exit;
global $wpdb;
foreach (is_multisite() ? get_sites(['fields' => 'ids', 'number' => 0]) : [get_current_blog_id()] as $shiftfeed_site) {
    if (is_multisite()) switch_to_blog($shiftfeed_site);
    delete_option('shiftfeed_gateway');
    wp_unschedule_hook('shiftfeed_renew');
    $wpdb->query("DELETE FROM $wpdb->options WHERE option_name LIKE '\_transient\_shiftfeed\_%' OR option_name LIKE '\_transient\_timeout\_shiftfeed\_%'");
    if (is_multisite()) restore_current_blog();
}
