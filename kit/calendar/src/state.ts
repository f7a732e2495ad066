/** The state of a calendar in a sentence. */

import type { Day } from '@shiftfeed/common/days';
import { type Holding, MAX_SHIFTS } from './holding.ts';
import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import type { ViewName } from './range.ts';

/** `error`: there is nothing to show. `stale`: what is shown could not be brought up to date. */
export type Trouble = 'none' | 'error' | 'stale';

export interface State {
  readonly view: ViewName;
  readonly language: Language;
  readonly trouble: Trouble;
  readonly hasSource: boolean;
  readonly scene: Scene | undefined;
  readonly holding: Holding | undefined;
}

/** Empty when all is as it should be. */
export function sentenceOf({ view, language, trouble, hasSource, scene, holding }: State): string {
  // A board that has ever had shifts says itself how old they are.
  if (view === 'now' && holding !== undefined) return '';
  if (trouble === 'error') return language.say('error');
  if (!hasSource) return language.say('no_source');
  if (scene === undefined || holding === undefined || !scene.isLoaded) return language.say('loading');
  if (trouble === 'stale') return language.say('stale', { time: language.clock(holding.loadedMs) });
  if (holding.isCut) return language.say('too_many', { count: MAX_SHIFTS });
  return scene.days.size > 0 ? '' : emptySentence(scene, holding);
}

/** Says which days are without a shift, as far as the source looked at them. */
function emptySentence({ language, range }: Scene, { bounds }: Holding): string {
  const from = Math.max(range.from, bounds.first ?? range.from) as Day;
  const to = Math.min(range.to, bounds.last ?? range.to) as Day;
  if (from > to) return language.say('empty_day');
  return language.say('empty', { from: language.date(from, 'date'), to: language.date(to, 'date') });
}
