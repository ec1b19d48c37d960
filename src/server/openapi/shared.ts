import { MAX_ID_LENGTH } from '../../domain/crm/schema.ts'
import type { JsonSchema } from '../../platform/values/parse.ts'
import type { Header, OpenApiResponse, Parameter, Reference } from './types.ts'

/** The parts of the OpenAPI document that many routes share: errors, and the header that makes a repeat safe. */

const text = { type: 'string' }

export const commonHeaders: Record<string, Header> = {
  WwwAuthenticate: {
    description: 'The scheme in which credentials are expected.',
    required: true,
    schema: text,
    example: 'Basic realm="appsvc", charset="UTF-8"',
  },
  RetryAfter: {
    description: 'How many seconds to wait before the next attempt.',
    required: true,
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: '30',
  },
  IdempotencyReplayed: {
    description: '`true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
}

const retry = { 'Retry-After': shared('headers', 'RetryAfter') }

/** An answer with the usual error body; the statuses that ask callers to wait say for how long. */
export function failure(description: string, status?: number): OpenApiResponse {
  return {
    description,
    ...((status === 429 || status === 503) && { headers: retry }),
    content: { 'application/json': { schema: shared('schemas', 'Error') } },
  }
}

/** A refusal of the admin interface. */
function refused(description: string): OpenApiResponse {
  return { description, content: { 'application/json': { schema: shared('schemas', 'Refusal') } } }
}

export const commonResponses: Record<string, OpenApiResponse> = {
  Unauthorized: {
    ...failure('The credentials are missing, malformed or wrong, or their kind does not open this operation'),
    headers: { 'WWW-Authenticate': shared('headers', 'WwwAuthenticate') },
  },
  Forbidden: failure('The key is valid but belongs to another app, or lacks the scope that this operation needs'),
  SignInFirst: {
    ...refused('Nobody is signed in, or the personal token is wrong or over'),
    headers: { 'WWW-Authenticate': shared('headers', 'WwwAuthenticate') },
  },
  NotAllowed: refused(
    'The person may not do this here, the page that calls is of another origin, or (`code` is `confirm_sign_in`) the sign-in is not fresh',
  ),
  NotAcceptable: failure('The `Accept` header admits neither JSON nor `*/*`'),
  Conflict: failure('The first request with this `Idempotency-Key` is still running, or another record is in the way'),
  TooLarge: failure('The body exceeds the `limits.*` setting of this operation'),
  UnsupportedMedia: failure('The operation does not take this `Content-Type`, or the body is compressed'),
  Invalid: {
    description: 'The request is invalid; the body names every wrong field',
    content: {
      'application/json': {
        schema: shared('schemas', 'Invalid'),
        example: { error: 'validation failed', errors: { 'content.title': ['is required'] } },
      },
    },
  },
  TooMany: failure('Too many requests with wrong keys came from this address. Valid keys are never refused', 429),
  Unavailable: failure('The service cannot answer now, for example because the database is unreachable', 503),
  Failure: failure('Any other failure'),
}

export const commonParameters: Record<string, Parameter> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Chosen by the caller, new for each new request. A repeat with the same key changes nothing and gets the first answer ' +
      'again. Servers, REST keys and devices each have their own keys.',
    schema: { type: 'string', minLength: 1, maxLength: MAX_ID_LENGTH },
    example: 'c1f4d5e2-order-1007',
  },
}

/** A pointer to one of the shared parts. */
export function shared(
  kind: 'parameters' | 'headers' | 'responses' | 'schemas' | 'examples',
  name: string,
): Reference & JsonSchema {
  return { $ref: `#/components/${kind}/${name}` }
}
