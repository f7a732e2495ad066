/** The name of an account in URLs. */
export const SLUG = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const SLUG_RULE = '1 to 63 lower-case letters, digits and hyphens, starting with a letter or digit';
