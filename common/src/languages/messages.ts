/** What has to be said in every language. */

import type { ENGLISH, ENGLISH_ON_BOARD, ENGLISH_ON_PAGE } from './en.ts';

export type MessageKey = keyof typeof ENGLISH;
/** How shifts are counted in languages that have more than one and many, as `Intl.PluralRules` names it. */
type PluralKey = 'shifts_zero' | 'shifts_two' | 'shifts_few' | 'shifts_many';
export type Messages = Readonly<Record<MessageKey, string> & Partial<Record<PluralKey, string>>>;

export type PageMessages = Readonly<Record<keyof typeof ENGLISH_ON_PAGE, string>>;

export type BoardMessages = Readonly<Record<keyof typeof ENGLISH_ON_BOARD, string>>;
