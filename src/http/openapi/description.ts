/** The OpenAPI 3.1 description of the API, for programs and people. */

import { LISTING_GUIDE, OVERVIEW } from './guide.ts';
import { HEADERS } from './headers.ts';
import { LISTING_PARAMETERS, PARAMETER_COMPONENTS } from './parameters.ts';
import { RESPONSES, response } from './responses.ts';
import { SCHEMAS } from './schemas.ts';

/** The version of the API, not of the program. Adding a field makes it 1.1.0. */
const API_VERSION = '1.0.0';

const SHIFTS = 'Shifts';
const SERVICE = 'Service';
const TOKEN = [{ token: [] }];
const NO_TOKEN: readonly never[] = [];

/** Errors that any request can get, whatever its path. */
const COMMON_ERRORS = {
  400: response('BadRequest'),
  408: response('SlowRequest'),
  414: response('LongUrl'),
  417: response('BadExpectation'),
  431: response('LargeHeaders'),
  500: response('InternalError'),
};

const LISTING_RESPONSES = {
  200: response('Listing'),
  304: response('ListingNotModified'),
  ...COMMON_ERRORS,
  401: response('Unauthorized'),
  404: response('NotFound'),
  405: response('WrongMethod'),
  406: response('NotAcceptable'),
  429: response('TooManyRequests'),
  503: response('Unavailable'),
};

const PATHS = {
  '/{account}/api/v1/shifts': {
    get: {
      operationId: 'listShifts',
      tags: [SHIFTS],
      summary: 'List shifts',
      description: LISTING_GUIDE,
      security: TOKEN,
      parameters: LISTING_PARAMETERS,
      responses: LISTING_RESPONSES,
    },
    head: {
      operationId: 'checkShifts',
      tags: [SHIFTS],
      summary: 'Like GET, but without the body',
      description: 'Returns the status and the headers of GET.',
      security: TOKEN,
      parameters: LISTING_PARAMETERS,
      responses: LISTING_RESPONSES,
    },
    options: {
      operationId: 'shiftsOptions',
      tags: [SHIFTS],
      summary: 'List the allowed methods',
      description:
        'Returns the allowed methods. To an origin that the operator allows, it also says what a browser may send.',
      security: NO_TOKEN,
      parameters: [{ $ref: '#/components/parameters/account' }],
      responses: { 204: response('Allowed'), ...COMMON_ERRORS },
    },
  },
  '/healthz': {
    get: {
      operationId: 'isAlive',
      tags: [SERVICE],
      summary: 'Is the process alive?',
      description: 'Succeeds as long as the process runs. Use it to decide whether to restart the process.',
      security: NO_TOKEN,
      responses: { 200: response('Status'), ...COMMON_ERRORS },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      tags: [SERVICE],
      summary: 'Can the database be read?',
      description: 'Use it to decide whether to send requests here.',
      security: NO_TOKEN,
      responses: { 200: response('Status'), ...COMMON_ERRORS, 503: response('Unavailable') },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'describe',
      tags: [SERVICE],
      summary: 'This description',
      description:
        'OpenAPI 3.1. The page at `/docs` shows it for people, unless the operator switched pages off.',
      security: NO_TOKEN,
      responses: {
        200: response('Description'),
        304: response('DescriptionNotModified'),
        ...COMMON_ERRORS,
        406: response('NotAcceptable'),
      },
    },
  },
};

/** `baseUrl` is the URL of the service for clients, or only its path, without a trailing slash. */
export function describeApi(baseUrl: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Shiftfeed API',
      version: API_VERSION,
      description: OVERVIEW,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl || '/' }],
    tags: [
      { name: SHIFTS, description: 'The shifts of an account.' },
      { name: SERVICE, description: 'The service itself. No token is needed.' },
    ],
    paths: PATHS,
    components: {
      schemas: SCHEMAS,
      parameters: PARAMETER_COMPONENTS,
      headers: HEADERS,
      responses: RESPONSES,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of the account. It reads all active groups, private ones too.',
        },
      },
    },
  };
}
