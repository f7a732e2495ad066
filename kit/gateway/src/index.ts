export { type Compressors, gzip, type Schedule, TooBusy } from './bodies.ts';
export {
  type ConfigDocument,
  type ConfigProblem,
  ConfigProblems,
  type FeedConfig,
  type FeedDocument,
  type GatewayConfig,
  type ImportedConfig,
  SHOW_KEYS,
  type ShowKey,
} from './config.ts';
export type { ScriptFile } from './files.ts';
export type { FeedBody } from './forms.ts';
export {
  type BackgroundContext,
  createGateway,
  type FetchHandler,
  type Gateway,
  type GatewayOptions,
  openGateway,
  type UpstreamAttempt,
} from './gateway.ts';
export { type LinkList, openLinkList } from './links/link-list.ts';
export { type LinkOptions, LinksProblem, readLinks } from './links/links.ts';
export type { PublicShift } from './projection.ts';
export { readConfig } from './read-config.ts';
export type { Answer, Visit } from './response.ts';
export { NoTimeZone } from './upstream.ts';
