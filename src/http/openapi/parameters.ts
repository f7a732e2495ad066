/** The parameters of requests. Those of the query come from the table that the parser uses. */

import { SLUG } from '../../store/slug.ts';
import { expectation, PARAMETERS, type ParameterType } from '../listing/parameters.ts';

const ACCOUNT = {
  name: 'account',
  in: 'path',
  required: true,
  description: 'The name of the account. It is compared exactly.',
  schema: { type: 'string', pattern: SLUG.source, examples: ['acme'] },
} as const;

const REQUEST_HEADERS = {
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description:
      'The `ETag` of a response that you have stored. As long as it is still current, the response is 304.',
    schema: { type: 'string', examples: ['"SEhRg6_d1CfeTaic-K-7n4NvwDU"'] },
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Your own id for this request. It is repeated in the response and in logs.',
    schema: { type: 'string', pattern: '^[\\w.:/+=-]{1,128}$', examples: ['7f3c2a'] },
  },
} as const;

const QUERY = Object.entries<ParameterType>(PARAMETERS).map(([name, type]) => {
  const description = `${type.description} Accepts ${expectation(type)}.`;
  return [name, { name, in: 'query', description, ...shapeOf(type) }] as const;
});

export const PARAMETER_COMPONENTS = {
  account: ACCOUNT,
  ...Object.fromEntries(QUERY),
  ...REQUEST_HEADERS,
};

/** In the order in which a reader looks for them. */
export const LISTING_PARAMETERS = Object.keys(PARAMETER_COMPONENTS).map((name) => ({
  $ref: `#/components/parameters/${name}`,
}));

/**
 * Examples are part of the schema and not of the parameter: pages that let users try out a request would fill in
 * examples of parameters, and so apply every filter at once.
 */
function shapeOf(type: ParameterType): object {
  switch (type.kind) {
    case 'integers': {
      const items = { type: 'integer', minimum: type.min, maximum: type.max };
      return {
        style: 'form',
        explode: false,
        schema: { type: 'array', items, minItems: 1, examples: [type.example] },
      };
    }
    case 'integer':
      return {
        schema: {
          type: 'integer',
          minimum: type.min,
          maximum: type.max,
          default: type.default,
          examples: [type.example],
        },
      };
    case 'date':
      return { schema: { type: 'string', format: 'date', examples: [type.example] } };
    case 'boolean':
      return {
        schema: {
          type: ['boolean', 'integer'],
          enum: [true, false, 1, 0],
          default: type.default,
          examples: [type.example],
        },
      };
  }
}
