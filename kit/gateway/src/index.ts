export { type Schedule, TooBusy } from './bodies.ts';
export { type ConfigProblem, ConfigProblems } from './config/problems.ts';
export { readConfig } from './config/read-config.ts';
export {
  type ConfigDocument,
  type FeedConfig,
  type FeedDocument,
  type GatewayConfig,
  type ImportedConfig,
  SHOW_KEYS,
  type ShowKey,
} from './config.ts';
export type { Compressors } from './encoding.ts';
export { type BackgroundContext, createGateway, type FetchHandler } from './fetch-handler.ts';
export type { ScriptFile } from './files.ts';
export { type Gateway, type GatewayOptions, openGateway } from './gateway.ts';
export type { FeedBody } from './json.ts';
export { type LinkList, openLinkList } from './links/link-list.ts';
export { type LinkOptions, LinksProblem, readLinks } from './links/link-source.ts';
export type { PublicShift } from './projection.ts';
export type { Answer, Visit } from './response.ts';
export type { UpstreamAttempt } from './routes.ts';
export { NoTimeZone } from './upstream.ts';
