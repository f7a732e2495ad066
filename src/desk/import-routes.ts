/** An import at the desk: upload, read, look, import or discard. */

import { byStart, type DeskShift, type ShiftPlace } from '../store/admin/desk.ts';
import { daysIn, MAX_SHIFTS, numberIn } from './account-routes.ts';
import { type DeskImport, gone } from './imports.ts';
import { openPreview } from './preview.ts';
import type { Answer } from './readers.ts';
import { DeskRefusal, type JsonObject, textIn } from './request.ts';
import type { DeskOptions, DeskRoute } from './route.ts';

const MAX_CHANGES = 500;
/** How often shifts of now are read for one answer. */
const MAX_SLICES = 5;

export function importRoutes(options: DeskOptions): readonly DeskRoute[] {
  return [...fileRoutes(options), ...previewRoutes(options)];
}

function fileRoutes({ imports }: DeskOptions): readonly DeskRoute[] {
  return [
    {
      method: 'POST',
      path: 'imports',
      status: 201,
      takesFile: true,
      async answer({ session, query, exchange: { request, response }, checkAgain }) {
        const name = query.get('name') ?? '';
        const one = await imports.upload(session, name, request, response, checkAgain);
        return { id: one.id };
      },
    },
    {
      method: 'GET',
      path: 'imports/:id',
      answer: async ({ session, id }) => imports.describe(imports.find(session, id)),
    },
    {
      method: 'DELETE',
      path: 'imports/:id',
      async answer({ session, id }) {
        await imports.discard(imports.find(session, id));
        return undefined;
      },
    },
    {
      method: 'POST',
      path: 'imports/:id/read',
      status: 202,
      async answer({ session, id, body, checkAgain }) {
        const answers = answersIn(body);
        const one = imports.find(session, id);
        imports.read(one, session, answers, checkAgain);
        return imports.describe(one);
      },
    },
    {
      method: 'POST',
      path: 'imports/:id/import',
      status: 202,
      async answer({ session, id, body, checkAgain }) {
        const digest = textIn(body, 'digest');
        const one = imports.find(session, id);
        imports.import(one, session, digest, checkAgain);
        return imports.describe(one);
      },
    },
  ];
}

function previewRoutes({ database, imports }: DeskOptions): readonly DeskRoute[] {
  return [
    {
      method: 'GET',
      path: 'imports/:id/changes',
      async answer({ session, id, query }) {
        using preview = previewOf(imports.find(session, id));
        const offset = numberIn(query, 'offset', Number.MAX_SAFE_INTEGER, 0);
        const limit = numberIn(query, 'limit', MAX_CHANGES, MAX_CHANGES);
        return { changes: preview.changes(offset, limit) };
      },
    },
    {
      method: 'GET',
      path: 'imports/:id/shifts',
      async answer({ session, id, query }) {
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
          kept.push(...preview.untouched(slice.shifts));
          next = slice.next;
        }
        const shifts = [...kept, ...written.shifts].toSorted(byStart);
        const isCut = shifts.length > MAX_SHIFTS || written.more || next !== undefined;
        return { shifts: shifts.slice(0, MAX_SHIFTS), more: isCut };
      },
    },
  ];
}

function previewOf({ result, folder }: DeskImport): NonNullable<ReturnType<typeof openPreview>> {
  if (result?.kind !== 'preview' || folder === undefined)
    throw new DeskRefusal(409, 'There is no preview of this file now.');
  const preview = openPreview(folder);
  if (preview === undefined) throw gone();
  return preview;
}

function answersIn({ answers }: JsonObject): readonly Answer[] {
  const isAnswer = (pair: unknown): pair is Answer =>
    Array.isArray(pair) && pair.length === 2 && pair.every((word) => typeof word === 'string');
  if (Array.isArray(answers) && answers.every(isAnswer)) return answers;
  throw new DeskRefusal(400, 'Expected answers, a list of pairs of an option and its value.');
}
