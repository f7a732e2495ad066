import { join } from 'node:path';
import { test } from 'node:test';
import description from '../../../docs/openapi.json' with { type: 'json' };
import { writeApiTypes } from '../../../kit/client/build/api-types.ts';

const TYPES = join(import.meta.dirname, '../../../kit/client/src/api.ts');

test('kit/client/src/api.ts follows from the description of the API; when that changes, "npm run client-types" writes it anew', (context) => {
  context.assert.fileSnapshot(writeApiTypes(description), TYPES, { serializers: [String] });
});
