import { StoreFailure } from '../failure.ts';

/** If no shift refers to a group, location or person, another program can remove it without a new revision. */
export function referenceMissing(noun: string, id: number): StoreFailure {
  return new StoreFailure(
    'refused',
    `A shift refers to ${noun} ${id}, which another program has removed meanwhile: nothing was imported, try again.`,
  );
}
