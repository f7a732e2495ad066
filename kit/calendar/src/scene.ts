import type { Language } from './language.ts';
import type { Scene } from './pane.ts';
import { placeShifts } from './placement.ts';
import type { Position } from './position.ts';
import type { Supply } from './supply.ts';
import { isSameTime, visitorZone } from './visitor-zone.ts';

/** What is to be seen now, of what is held. */
export function sceneNow(
  position: Position,
  supply: Supply,
  language: Language,
  unfolded: ReadonlySet<string>,
): Scene {
  const range = position.range();
  const timeZone = position.timeZone();
  const nowMs = Date.now();
  const holding = supply.holding();
  return {
    language,
    timeZone,
    nowMs,
    isForeignZone: !isSameTime(timeZone, visitorZone(), nowMs),
    today: position.today(),
    date: position.date(),
    range,
    holding,
    days: placeShifts(holding?.shifts ?? [], range),
    isLoaded: supply.isHeld(range),
    unfolded,
  };
}
