/** An import at the desk: upload, read, look, import or discard. */

import { byStart, type DeskShift, type ShiftPlace } from '../store/admin/desk.ts';
import { daysIn, MAX_SHIFTS, numberIn } from './account-routes.ts';
import { type DeskImport, gone } from './imports.ts';
import { openPreview } from './preview.ts';
import { DeskRefusal, type JsonObject, textIn } from './request.ts';
import type { DeskOptions, DeskRoutes } from './route.ts';
import type { Answer } from './task.ts';

const MAX_CHANGES = 500;
/** How often shifts of now are read for one answer. */
const MAX_SLICES = 5;

export function importRoutes({ database, imports }: DeskOptions): DeskRoutes {
  return {
    'GET imports/:id': ({ session, id }) => imports.describe(imports.find(session, id)),

    async 'DELETE imports/:id'({ session, id }) {
      await imports.discard(imports.find(session, id));
      return undefined;
    },

    'GET imports/:id/changes'({ session, id, query }) {
      using preview = previewOf(imports.find(session, id));
      const offset = numberIn(query, 'offset', Number.MAX_SAFE_INTEGER, 0);
      const limit = numberIn(query, 'limit', MAX_CHANGES, MAX_CHANGES);
      return { changes: preview.changes(offset, limit) };
    },

    async 'GET imports/:id/shifts'({ session, id, query }) {
      using preview = previewOf(imports.find(session, id));
      const { account } = session;
      const { from, to } = daysIn(query);
      const store = await database.store();
      const written = preview.written(from, to, MAX_SHIFTS);
      const kept: DeskShift[] = [];
      let next: ShiftPlace | undefined = account && { date: from, id: 0 };
      // Most of what is there may be removed or changed.
      for (
        let i = 0;
        i < MAX_SLICES && account && next && kept.length + written.shifts.length <= MAX_SHIFTS;
        i++
      ) {
        const slice = await store.shiftsBetween(account.id, from, to, MAX_SHIFTS, next);
        kept.push(...preview.kept(slice.shifts));
        next = slice.next;
      }
      const shifts = [...kept, ...written.shifts].toSorted(byStart);
      const isCut = shifts.length > MAX_SHIFTS || written.more || next !== undefined;
      return { shifts: shifts.slice(0, MAX_SHIFTS), more: isCut };
    },
  };
}

/** The one that takes a file. */
export function uploadRoute({ imports }: DeskOptions): DeskRoutes {
  return {
    async 'POST imports'({ session, query, exchange: { request, response }, checkAgain }) {
      const name = query.get('name') ?? '';
      const one = await imports.upload(session, name, request, response, checkAgain);
      return { id: one.id };
    },
  };
}

/** What takes long: the state of the import is asked for until it has a result. */
export function jobRoutes({ imports }: DeskOptions): DeskRoutes {
  return {
    'POST imports/:id/read'({ session, id, body, checkAgain }) {
      const answers = answersIn(body);
      return imports.read(imports.find(session, id), session, answers, checkAgain);
    },

    'POST imports/:id/import'({ session, id, body, checkAgain }) {
      const digest = textIn(body, 'digest');
      return imports.import(imports.find(session, id), session, digest, checkAgain);
    },

    async 'POST undo'({ session, body: { entry }, checkAgain }) {
      if (typeof entry !== 'number') throw new DeskRefusal(400, 'entry has to be a number.');
      return imports.describe(await imports.undo(session, entry, checkAgain));
    },
  };
}

/** The page shows a preview until the file is imported, or was read again. */
function previewOf({ result, folder }: DeskImport): NonNullable<ReturnType<typeof openPreview>> {
  const isShown = result === undefined || result.kind === 'preview';
  const preview = isShown && folder !== undefined ? openPreview(folder) : undefined;
  if (preview) return preview;
  throw result?.kind === 'preview' ? gone() : new DeskRefusal(409, 'There is no preview of this file now.');
}

function answersIn({ answers }: JsonObject): readonly Answer[] {
  const isAnswer = (pair: unknown): pair is Answer =>
    Array.isArray(pair) && pair.length === 2 && pair.every((word) => typeof word === 'string');
  if (Array.isArray(answers) && answers.every(isAnswer)) return answers;
  throw new DeskRefusal(400, 'Expected answers, a list of pairs of an option and its value.');
}
