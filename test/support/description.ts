/**
 * Holds responses to the description of the API: a status, a header or a body that it does not describe is a failure.
 * What the HTTP tests receive passes through here.
 */

import assert from 'node:assert/strict';
import querystring from 'node:querystring';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import description from '../../docs/openapi.json' with { type: 'json' };

export interface Exchange {
  readonly method: string;
  /** As it was sent, with or without a query. */
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  /** Unpacked. */
  readonly body: string;
}

export function assertDescribed({ method, target, status, headers, body }: Exchange): void {
  const what = `${method} ${target.slice(0, 200)} answered ${status}`;
  const described = responsesOf(method, target, status)[status];
  assert.ok(described, `${what}, which the description does not know`);
  const response = compiled(described.$ref);
  assertHeaders(headers, response, what);
  if (method === 'HEAD' || response.body === undefined) {
    assert.equal(body, '', `${what}, with a body that the description does not know`);
  } else {
    assert.match(headers.get('content-type') ?? '', /^application\/json(;|$)/, what);
    assertValid(response.body, JSON.parse(body), what);
  }
}

/** Holds a value to one of the schemas, by its name. */
export function assertMatches(schema: string, value: unknown): void {
  const validate = ajv.getSchema(`description#/components/schemas/${schema}`);
  assert.ok(validate, `the description has a schema ${schema}`);
  assertValid(validate, value, schema);
}

/** What HTTP sends by itself, and the type and size of a body, which have a place of their own in a description. */
const PLUMBING = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

function assertHeaders(headers: Headers, response: CompiledResponse, what: string): void {
  for (const [name, value] of headers) {
    if (PLUMBING.has(name)) continue;
    const known = response.headers.get(name);
    assert.ok(known, `${what} with the header ${name}, which the description does not know`);
    assertValid(known.validate, known.isInteger ? Number(value) : value, `${what}, ${name}`);
  }
  for (const [name, { isRequired }] of response.headers) {
    assert.ok(!isRequired || headers.has(name), `${what} without the header ${name}`);
  }
}

function assertValid(validate: ValidateFunction, value: unknown, what: string): void {
  assert.ok(validate(value), `${what}: ${JSON.stringify(validate.errors)}`);
}

// The description, as far as it is read here.

interface Description {
  readonly paths: Record<string, Record<string, { readonly responses: Responses }>>;
  readonly components: {
    readonly schemas: Record<string, object>;
    readonly headers: Record<string, DescribedHeader>;
    readonly responses: Record<string, DescribedResponse>;
  };
}
type Responses = Readonly<Record<string, Reference>>;
interface Reference {
  readonly $ref: string;
}
interface DescribedHeader {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
interface DescribedResponse {
  readonly headers: Record<string, DescribedHeader | Reference>;
  readonly content?: { readonly 'application/json': JsonContent };
}
interface JsonContent {
  readonly schema: object | Reference;
  readonly example?: { readonly error: string };
  readonly examples?: Readonly<Record<string, DescribedExample>>;
}
interface DescribedExample {
  /** The request, such as "`GET /acme/api/v1/shifts`". */
  readonly description: string;
  readonly value: object;
}

const { paths, components } = description as unknown as Description;
const LISTING = '/{account}/api/v1/shifts';

/** What the listing may answer, by status. */
export function listingContents(): { status: number; json: JsonContent | undefined }[] {
  return Object.entries(paths[LISTING]?.get?.responses ?? {}).map(([status, { $ref }]) => ({
    status: Number(status),
    json: components.responses[nameIn($ref)]?.content?.['application/json'],
  }));
}

/** Where there is nothing, there is still an error to answer with, and it looks as it does on the listing. */
function responsesOf(method: string, target: string, status: number): Responses {
  const path = paths[templateOf(target)];
  const operation = path?.[method.toLowerCase()] ?? (method === 'HEAD' ? path?.get : undefined);
  if (operation !== undefined) return operation.responses;
  return status >= 400 ? (paths[LISTING]?.get?.responses ?? {}) : {};
}

/** The path of the description that the target of a request belongs to. */
function templateOf(target: string): string {
  const [path = ''] = target.split('?');
  const [, account = '', ...tail] = path.replace(/\/$/, '').split('/');
  const isListing = account !== '' && querystring.unescape(tail.join('/')) === 'api/v1/shifts';
  return isListing ? LISTING : path.replace(/\/$/, '');
}

interface CompiledResponse {
  readonly headers: ReadonlyMap<string, CompiledHeader>;
  readonly body: ValidateFunction | undefined;
}
interface CompiledHeader {
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly validate: ValidateFunction;
}

// One test of openapi.test.ts holds the schemas to the rules of JSON Schema. Doing so in every file would take long.
const ajv = new Ajv2020({ meta: false, validateSchema: false });
addFormats.default(ajv, ['date']);
ajv.addVocabulary(['components']);
ajv.addSchema({ $id: 'description', components: { schemas: closed(components.schemas) } });

const compiledResponses = new Map<string, CompiledResponse>();

/** Compiled once: thousands of responses are checked. */
function compiled(reference: string): CompiledResponse {
  const known = compiledResponses.get(reference);
  if (known !== undefined) return known;
  const response = compileResponse(components.responses[nameIn(reference)]);
  compiledResponses.set(reference, response);
  return response;
}

function compileResponse(response: DescribedResponse | undefined): CompiledResponse {
  assert.ok(response);
  const headers = Object.entries(response.headers).map(
    ([name, described]) => [name.toLowerCase(), compileHeader(described)] as const,
  );
  const schema = response.content?.['application/json'].schema;
  return { headers: new Map(headers), body: schema && compileBody(schema) };
}

function compileBody(schema: object | Reference): ValidateFunction {
  return ajv.compile('$ref' in schema ? { $ref: `description${schema.$ref}` } : schema);
}

function compileHeader(described: DescribedHeader | Reference): CompiledHeader {
  const header = '$ref' in described ? components.headers[nameIn(described.$ref)] : described;
  assert.ok(header);
  return {
    isRequired: header.required ?? false,
    isInteger: header.schema.type === 'integer',
    validate: ajv.compile(header.schema),
  };
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

/** The description leaves objects open, so that clients put up with a new property. A test does not. */
function closed(schemas: Record<string, object>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, additionalProperties: false }]),
  );
}
