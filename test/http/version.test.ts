import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
await service.import(acme([shift('2026-11-20')]));
const authorization = `Bearer ${await service.token('acme')}`;

const answers: [number, string, RequestInit][] = [
  [200, '/acme/api/v1/shifts', { headers: { authorization } }],
  [200, '/acme/api/v1/shifts', { headers: { authorization }, method: 'HEAD' }],
  [204, '/acme/api/v1/shifts', { method: 'OPTIONS' }],
  [304, '/acme/api/v1/shifts', { headers: { authorization, 'if-none-match': '*' } }],
  [400, '/acme/api/v1/shifts?months=13', { headers: { authorization } }],
  [401, '/acme/api/v1/shifts', {}],
  [404, '/nobody/api/v1/shifts', { headers: { authorization } }],
  [404, '/acme/api/v2/shifts', { headers: { authorization } }],
  [405, '/acme/api/v1/shifts', { method: 'POST' }],
  [406, '/acme/api/v1/shifts', { headers: { authorization, 'accept-encoding': 'identity;q=0' } }],
  [200, '/healthz', {}],
];
for (const [status, path, init] of answers) {
  test(`${init.method ?? 'GET'} ${path}, answered ${status}, does not say that the version is to end`, async () => {
    const response = await fetch(service.url + path, init);
    assert.equal(response.status, status);
    assert.equal(response.headers.get('deprecation'), null);
    assert.equal(response.headers.get('sunset'), null);
    assert.doesNotMatch(response.headers.get('link') ?? '', /rel="?(deprecation|sunset)/);
  });
}
