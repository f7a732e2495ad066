/** The map to which addresses lead, unless a page chose another: an address is appended to it. */
export const MAP = 'https://www.openstreetmap.org/search?query=';
