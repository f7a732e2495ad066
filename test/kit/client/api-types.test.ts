import { join } from 'node:path';
import { test } from 'node:test';
import { type Description, writeApiTypes } from '../../../kit/client/build/api-types.ts';
import { describeApi } from '../../../src/http/openapi/description.ts';

const TYPES = join(import.meta.dirname, '../../../kit/client/src/api.ts');

test('kit/client/src/api.ts follows from the description of the API; when that changes, "npm run client-types" writes it anew', (context) => {
  const description: Description = JSON.parse(JSON.stringify(describeApi('')));
  context.assert.fileSnapshot(writeApiTypes(description), TYPES, { serializers: [String] });
});
