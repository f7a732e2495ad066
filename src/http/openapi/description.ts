/** The description of the API for programs and people, as OpenAPI 3.1. */

import { LISTING_GUIDE, OVERVIEW } from './guide.ts';
import { HEADERS } from './headers.ts';
import { LISTING_PARAMETERS, PARAMETER_COMPONENTS } from './parameters.ts';
import { RESPONSES, response } from './responses.ts';
import { SCHEMAS } from './schemas.ts';

/** Of the API, not of the program: a field that is added makes it 1.1.0. */
const API_VERSION = '1.0.0';

const SHIFTS = 'Shifts';
const SERVICE = 'Service';
const TOKEN = [{ token: [] }];
const NO_TOKEN: readonly never[] = [];

/** What may happen to any request, before anybody looks at what it asks for. */
const ANY_REQUEST = {
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
  ...ANY_REQUEST,
  401: response('Unauthorized'),
  404: response('NotFound'),
  405: response('WrongMethod'),
  406: response('NotAcceptable'),
  429: response('TooManyRequests'),
  503: response('Unavailable'),
};

/** `baseUrl` is where clients reach the service, or its path there, without a slash at the end. */
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
    paths: {
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
          summary: 'As GET, without the body',
          description: 'Has the status and the headers of GET.',
          security: TOKEN,
          parameters: LISTING_PARAMETERS,
          responses: LISTING_RESPONSES,
        },
        options: {
          operationId: 'shiftsOptions',
          tags: [SHIFTS],
          summary: 'What is allowed',
          description:
            'Says which methods there are and, to an origin that the operator allows, what a browser may send.',
          security: NO_TOKEN,
          parameters: [{ $ref: '#/components/parameters/account' }],
          responses: { 204: response('Allowed'), ...ANY_REQUEST },
        },
      },
      '/healthz': {
        get: {
          operationId: 'isAlive',
          tags: [SERVICE],
          summary: 'Does the process live?',
          description: 'Answers as long as the process does. For deciding whether to restart it.',
          security: NO_TOKEN,
          responses: { 200: response('Status'), ...ANY_REQUEST },
        },
      },
      '/readyz': {
        get: {
          operationId: 'isReady',
          tags: [SERVICE],
          summary: 'Can the database be asked?',
          description: 'For deciding whether to send requests here.',
          security: NO_TOKEN,
          responses: { 200: response('Status'), ...ANY_REQUEST, 503: response('Unavailable') },
        },
      },
      '/openapi.json': {
        get: {
          operationId: 'describe',
          tags: [SERVICE],
          summary: 'This description',
          description: 'OpenAPI 3.1. The page at `/docs` shows it for people.',
          security: NO_TOKEN,
          responses: {
            200: response('Description'),
            304: response('DescriptionNotModified'),
            ...ANY_REQUEST,
            406: response('NotAcceptable'),
          },
        },
      },
    },
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
