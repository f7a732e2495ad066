export type { BoardMessages, Messages, PageMessages } from './en.ts';
