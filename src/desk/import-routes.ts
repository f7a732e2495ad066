/** An import at the desk: upload, read, look, import or discard. */

import { daysIn, MAX_SHIFTS, numberIn } from './account-routes.ts';
import { changesBetween, readChanges } from './changes.ts';
import { type DeskImport, gone } from './imports.ts';
import type { Answer } from './readers.ts';
import { DeskRefusal } from './refusal.ts';
import { type JsonObject, textIn } from './request.ts';
import type { DeskOptions, DeskRoute } from './route.ts';

const MAX_CHANGES = 500;
const NO_SHIFTS = { shifts: [], next: undefined };

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
        const folder = previewed(imports.find(session, id));
        const offset = numberIn(query, 'offset', Number.MAX_SAFE_INTEGER, 0);
        const limit = numberIn(query, 'limit', MAX_CHANGES, MAX_CHANGES);
        return { changes: await whileItIsHere(readChanges(folder, offset, limit)) };
      },
    },
    {
      method: 'GET',
      path: 'imports/:id/shifts',
      async answer({ session, id, query }) {
        const folder = previewed(imports.find(session, id));
        const { from, to } = daysIn(query);
        const store = await database.store();
        const { account } = session;
        const { shifts: before, next } = account
          ? await store.shiftsBetween(account.id, from, to, MAX_SHIFTS)
          : NO_SHIFTS;
        const now = new Set(before.map((shift) => shift.id));
        const { after, touched, more } = await whileItIsHere(changesBetween(folder, from, to, now));
        const shifts = [...before.filter((shift) => !touched.has(shift.id)), ...after];
        const isCut = shifts.length > MAX_SHIFTS || next !== undefined || more;
        return { shifts: shifts.slice(0, MAX_SHIFTS), more: isCut };
      },
    },
  ];
}

/** The folder that has the preview. */
function previewed({ result, folder }: DeskImport): string {
  if (result?.kind === 'preview' && folder !== undefined) return folder;
  throw new DeskRefusal(409, 'There is no preview of this file now.');
}

/** It may be discarded at this moment. */
async function whileItIsHere<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? gone() : error;
  });
}

function answersIn({ answers }: JsonObject): readonly Answer[] {
  const isAnswer = (pair: unknown): pair is Answer =>
    Array.isArray(pair) && pair.length === 2 && pair.every((word) => typeof word === 'string');
  if (Array.isArray(answers) && answers.every(isAnswer)) return answers;
  throw new DeskRefusal(400, 'Expected answers, a list of pairs of an option and its value.');
}
