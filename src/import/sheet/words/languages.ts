/** The languages in which sheets are understood. */
export const LANGUAGES = ['English', 'Dutch', 'German', 'French', 'Spanish'] as const;
export type Language = (typeof LANGUAGES)[number];

export type InLanguages<Words> = Readonly<Record<Language, Words>>;
