import { LONGEST_ID } from '../domain/crm/schema.ts'
import type { JsonSchema } from '../platform/parse.ts'
import type { OpenApiResponse, Parameter, Reference } from './openapi-types.ts'

/** The parts of the OpenAPI document that many routes share: errors in the shapes of the contract, the header of repeats. */

const text = { type: 'string' }
const ids = { type: 'array', items: { type: ['string', 'integer'] } }

export const errorSchemas: Record<string, JsonSchema> = {
  Error: {
    type: 'object',
    properties: { error: { ...text, description: 'One sentence that a person can act on' } },
    required: ['error'],
  },
  Invalid: {
    type: 'object',
    properties: {
      error: { ...text, const: 'validation failed' },
      errors: {
        type: 'object',
        description: 'Dotted path of each wrong field as the caller wrote it; the empty path is the whole body',
        additionalProperties: { type: 'array', items: text, minItems: 1 },
      },
    },
    required: ['error', 'errors'],
  },
  NobodyReached: {
    type: 'object',
    description: 'Nobody of the target can be reached; the record is null',
    properties: {
      notification: { type: 'null' },
      message: { type: 'null' },
      errors: {
        type: 'object',
        properties: {
          unknownInstallIds: ids,
          unsubscribedInstallIds: ids,
          unknownUserIds: ids,
          unsubscribedUserIds: ids,
        },
      },
    },
    required: ['errors'],
  },
}

/** What a refused request gets. `sends`: the route may also find that nobody can be reached. */
export function refusal(sends: boolean): JsonSchema {
  return sends
    ? { anyOf: [shared('schemas', 'Error'), shared('schemas', 'NobodyReached')] }
    : { ...shared('schemas', 'Error') }
}

function failure(description: string): OpenApiResponse {
  return { description, content: { 'application/json': { schema: shared('schemas', 'Error') } } }
}

const SENT_AS_IT_IS = 'The Content-Type is not one that this route takes, or the body is compressed'

export const commonResponses: Record<string, OpenApiResponse> = {
  Unauthorized: {
    ...failure('The keys are missing, malformed or wrong, or of a kind that does not open this route'),
    headers: { 'WWW-Authenticate': { description: 'Basic', schema: text } },
  },
  Forbidden: failure('The keys are right but belong to another app, or lack the scope that this needs'),
  NotAcceptable: failure('The header Accept names neither JSON nor anything'),
  Conflict: failure('The first request with this Idempotency-Key is still running, or something else is in the way'),
  TooLarge: failure('The body is larger than the setting `limits.*` of this route allows'),
  UnsupportedMedia: failure(SENT_AS_IT_IS),
  Invalid: {
    description: 'Something in the request is wrong; every wrong field is named',
    content: { 'application/json': { schema: shared('schemas', 'Invalid') } },
  },
  TooMany: {
    ...failure('Wrong keys, and too many of them from this address; right keys are never refused'),
    headers: { 'Retry-After': { description: 'Seconds', schema: text } },
  },
  Failure: failure('Anything else; 503 with Retry-After when it is worth trying again'),
}

export const commonParameters: Record<string, Parameter> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Chosen by the caller, new for each new request. A repeat with the same key gets the first answer and changes nothing. Servers, REST keys and devices have keys of their own',
    schema: { type: 'string', minLength: 1, maxLength: LONGEST_ID },
  },
}

/** A pointer to one of the shared parts. */
export function shared(kind: 'parameters' | 'responses' | 'schemas', name: string): Reference & JsonSchema {
  return { $ref: `#/components/${kind}/${name}` }
}
