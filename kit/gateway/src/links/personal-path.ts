/** Where everything is that is a person's own, below the root. */
export function personalPath(feed: string, link: string): string {
  return `/${feed}/me/${link}`;
}

/** The feed, the link, and the form. */
export const PERSONAL_PATH = /^\/([^/]+)\/me\/([^/]+)(|\/shifts|\/shifts\.ics)$/;
