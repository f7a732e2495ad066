/** Files as a page gives them, read into a database, with the changes in memory. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../../src/import/import.ts';
import type { Answer } from '../../src/import/questions.ts';
import {
  type Preview,
  type ReadWith,
  readUpload,
  type Upload,
  type UploadOptions,
} from '../../src/import/upload.ts';
import { type Cleanup, type DatabaseKind, newFolder } from '../support/database.ts';
import { importer } from './importer.ts';

export const NOW_MS = Date.parse('2026-11-16T12:00:00Z');

export async function uploader(context: Cleanup, database: DatabaseKind = 'sqlite') {
  const imported = await importer(context, database);
  const file = join(await newFolder(context), 'upload');

  async function read(
    content: string | Buffer,
    answers: readonly Answer[] = [],
    upload: Partial<Upload> = {},
    options: Partial<UploadOptions> = {},
  ) {
    await writeFile(file, content);
    const given = { kind: 'read', account: 'acme', who: 'Noor', file, name: 'plan.csv' } as const;
    return readUpload({ ...given, nowMs: NOW_MS, answers, ...upload }, imported.store, {
      async writeChanges() {
        const changes: Change[] = [];
        return {
          add: async (some) => void changes.push(...some),
          end: async () => ({ changes: changes.length, days: [] }),
          close: async () => undefined,
        };
      },
      ...options,
    });
  }

  async function preview(...given: Parameters<typeof read>): Promise<Preview & ReadWith> {
    const result = await read(...given);
    assert.equal(result.kind, 'preview', JSON.stringify(result));
    return result as Preview & ReadWith;
  }

  /** What is asked, by the id of the question. */
  async function questions(...given: Parameters<typeof read>) {
    const result = await read(...given);
    assert.ok(result.kind === 'questions', JSON.stringify(result));
    return Object.fromEntries(result.questions.map((question) => [question.id, question]));
  }

  return { ...imported, read, preview, questions };
}
