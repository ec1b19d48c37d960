import type { PushReply } from '../../../platform/http2/types.ts'
import { objectOf, readObject } from '../../../platform/json/json.ts'
import { describeSkew, type HttpReply, readRetryAfter } from '../../../platform/net/http.ts'
import type { Outcome } from '../gateway.ts'
import { FCM } from './limits.ts'

/** The parts of Google's error body that mean something to us. Missing ones are empty. */
interface FcmError {
  /** `errorCode` of the FcmError detail, which only FCM itself sends. */
  code: string
  /** `status`, which any Google server may send. */
  status: string
  message: string
  /** Fields named by a BadRequest detail; undefined without one. */
  fields: string[] | undefined
  /** What a QuotaFailure detail says. */
  quota: string
}

/** What one reply of messages:send means. `now` in ms, for `Retry-After`. */
export function readFcmReply(reply: PushReply, now: number): Outcome {
  if (reply.status >= 200 && reply.status < 300) {
    const name = readObject(reply.body)?.['name']
    return { kind: 'accepted', ...(typeof name === 'string' && { providerId: name }) }
  }
  const error = readError(reply.body)
  const word = error.code || error.status || `HTTP ${reply.status}`
  const reason = error.message ? `${word}: ${shorten(error.message)}` : word
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  switch (reply.status) {
    case 400:
      return readInvalidArgument(error, reason)
    case 401:
      return { kind: 'config_error', reason }
    case 403:
      // The token belongs to another project; our credential is fine.
      return error.code === 'SENDER_ID_MISMATCH' ? { kind: 'token_suspect', reason } : { kind: 'config_error', reason }
    case 404:
      // A wrong project or address is a 404 too, but without FCM's own detail. It must never cost a device its token.
      return error.code === 'UNREGISTERED' ? { kind: 'token_dead', reason: word } : { kind: 'config_error', reason }
    case 413:
      return { kind: 'payload_error', reason, everyone: true }
    case 429: {
      const perDevice = /device/i.test(`${error.quota} ${error.message}`)
      const kind = perDevice ? 'throttled_recipient' : 'throttled_gateway'
      return { kind, reason, afterMs: afterMs ?? FCM.quotaWaitMs }
    }
  }
  if (reply.status >= 500) {
    return { kind: 'gateway_down', reason, ...(afterMs === undefined ? { atLeastMs: FCM.errorWaitMs } : { afterMs }) }
  }
  // For redirects and other 4xx: the server that answered does not behave like FCM.
  return { kind: 'config_error', reason }
}

/** True for a 401 that a new access token may cure. */
export function isTokenRefused(reply: PushReply): boolean {
  return reply.status === 401 && readError(reply.body).code !== 'THIRD_PARTY_AUTH_ERROR'
}

function readInvalidArgument(error: FcmError, reason: string): Outcome {
  // FCM writes "The registration token is not a valid FCM registration token", or names the field in a BadRequest
  // detail.
  if (/registration token/i.test(error.message) || error.fields?.some((field) => /^message\.token$/.test(field))) {
    return { kind: 'token_suspect', reason }
  }
  // Without named fields, the fault may be this recipient's ("Request contains an invalid argument"), so the others are
  // still tried.
  return {
    kind: 'payload_error',
    reason,
    everyone: error.fields !== undefined || /too big|too large/i.test(error.message),
  }
}

/** Name of the token server in reasons. */
export const TOKEN_SERVER = "Google's token server"

/** What a reply of the token server means when it holds no token. `now` in ms. */
export function readTokenRefusal(reply: HttpReply, now: number): Outcome {
  const body = readObject(reply.body) ?? {}
  const text = [body['error'], body['error_description']].filter((part) => typeof part === 'string').join(': ')
  const said = `${TOKEN_SERVER}: ${shorten(text) || `HTTP ${reply.status} without a token`}`
  const afterMs = readRetryAfter(reply.headers['retry-after'], now)
  const wait = afterMs !== undefined && { afterMs }
  if (reply.status === 429) return { kind: 'throttled_gateway', reason: said, ...wait }
  if (reply.status >= 500) return { kind: 'gateway_down', reason: said, ...wait }
  const skew = describeSkew(reply.headers['date'], now)
  return { kind: 'config_error', reason: skew ? `${said} (${skew})` : said }
}

function readError(text: string): FcmError {
  const error = objectOf(readObject(text)?.['error'])
  const details = Array.isArray(error['details']) ? error['details'].map(objectOf) : []
  const detail = (type: string) => details.find((one) => stringOf(one['@type']).endsWith(type))
  const violations = detail('google.rpc.BadRequest')?.['fieldViolations']
  const quota = detail('google.rpc.QuotaFailure')
  return {
    code: stringOf(detail('fcm.v1.FcmError')?.['errorCode']),
    status: stringOf(error['status']),
    message: stringOf(error['message']),
    fields: Array.isArray(violations) ? violations.map((one) => stringOf(objectOf(one)['field'])) : undefined,
    quota: quota ? JSON.stringify(quota['violations'] ?? '') : '',
  }
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function shorten(text: string): string {
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
