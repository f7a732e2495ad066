import { StoreFailure } from '../failure.ts';

/** Another program can remove a group, a location or a person without a new revision if no shift refers to it. */
export function referenceMissing(noun: string, id: number): StoreFailure {
  return new StoreFailure(
    'refused',
    `A shift refers to ${noun} ${id}, which another program has removed meanwhile: nothing was imported, try again.`,
  );
}
