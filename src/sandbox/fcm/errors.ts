import type { Answer } from '../stand-in/exchange.ts'

/**
 * Error bodies of FCM HTTP v1 (`firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode`): the status in words, and
 * details of the types FcmError, google.rpc.BadRequest and google.rpc.ErrorInfo.
 */
const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

interface Reason {
  http: number
  status: string
  message: string
  /** The errorCode of the FcmError detail; absent where Google sends no such detail. */
  errorCode?: string
}

/** What a rule may name in `effect.reason` on `fcm`. `INVALID_TOKEN` and `NOT_FOUND` are the sandbox's short names. */
export const FCM_REASONS = {
  INVALID_ARGUMENT: { http: 400, status: 'INVALID_ARGUMENT', message: 'Request contains an invalid argument.' },
  INVALID_TOKEN: {
    http: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
    errorCode: 'INVALID_ARGUMENT',
  },
  UNAUTHENTICATED: {
    http: 401,
    status: 'UNAUTHENTICATED',
    message:
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
  },
  THIRD_PARTY_AUTH_ERROR: {
    http: 401,
    status: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
    errorCode: 'THIRD_PARTY_AUTH_ERROR',
  },
  SENDER_ID_MISMATCH: {
    http: 403,
    status: 'PERMISSION_DENIED',
    message: 'SenderId mismatch',
    errorCode: 'SENDER_ID_MISMATCH',
  },
  PERMISSION_DENIED: {
    http: 403,
    status: 'PERMISSION_DENIED',
    message: "Permission 'cloudmessaging.messages.create' denied on resource (or it may not exist).",
  },
  NOT_FOUND: { http: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  UNREGISTERED: {
    http: 404,
    status: 'NOT_FOUND',
    message: 'Requested entity was not found.',
    errorCode: 'UNREGISTERED',
  },
  QUOTA_EXCEEDED: {
    http: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Resource has been exhausted (e.g. check quota).',
    errorCode: 'QUOTA_EXCEEDED',
  },
  RESOURCE_EXHAUSTED: {
    http: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Resource has been exhausted (e.g. check quota).',
  },
  INTERNAL: { http: 500, status: 'INTERNAL', message: 'Internal error encountered.', errorCode: 'INTERNAL' },
  UNAVAILABLE: {
    http: 503,
    status: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
    errorCode: 'UNAVAILABLE',
  },
} as const satisfies Record<string, Reason>

export type FcmReason = keyof typeof FCM_REASONS

/** One wrong field: dotted path as Google writes it (`message.android.ttl`), and what is wrong. */
export interface FieldViolation {
  field: string
  description: string
}

export const JSON_TYPE = 'application/json; charset=UTF-8'

/** The answer for a reason; `message` and `status` replace the usual ones. */
export function fcmError(reason: FcmReason, { message, status }: { message?: string; status?: number } = {}): Answer {
  const known: Reason = FCM_REASONS[reason]
  const details: unknown[] = known.errorCode === undefined ? [] : [{ '@type': FCM_ERROR, errorCode: known.errorCode }]
  if (reason === 'INVALID_ARGUMENT' && message === undefined) {
    details.push({ '@type': BAD_REQUEST, fieldViolations: [{ field: 'message', description: known.message }] })
  }
  if (reason === 'UNAUTHENTICATED') {
    details.push({ '@type': ERROR_INFO, reason: 'ACCESS_TOKEN_INVALID', domain: 'googleapis.com' })
  }
  return errorAnswer(status ?? known.http, known.status, message ?? known.message, details)
}

/** 400 with a BadRequest detail that names each wrong field. */
export function badFields(violations: FieldViolation[]): Answer {
  const message = violations.map((one) => one.description).join('\n')
  return errorAnswer(400, 'INVALID_ARGUMENT', message, [{ '@type': BAD_REQUEST, fieldViolations: violations }])
}

/** An answer in Google's error shape, for what is not in the table. */
export function errorAnswer(http: number, status: string, message: string, details: unknown[] = []): Answer {
  const error = { code: http, message, status, ...(details.length > 0 && { details }) }
  return { status: http, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify({ error }) }
}
