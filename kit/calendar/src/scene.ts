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
  return {
    language,
    timeZone,
    isForeignZone: !isSameTime(timeZone, visitorZone(), Date.now()),
    today: position.today(),
    date: position.date(),
    range,
    days: placeShifts(supply.holding()?.shifts ?? [], range),
    isLoaded: supply.isHeld(range),
    unfolded,
  };
}
