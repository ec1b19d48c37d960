import type { Answer } from '../stand-in/exchange.ts'

interface Code {
  http: number
  msg: string
}

/**
 * Codes that a rule may name in `effect.reason` on `hcm`: those of Push Kit's v1 interface with the status that they usually come
 * with and Huawei's words (HMS Core, "Sending Downlink Messages"; status by the v3 reference). `FLOW_CONTROL` is the sandbox's
 * own name for a 503 without any code.
 */
const HCM_CODES = {
  80000000: { http: 200, msg: 'Success' },
  80100000: { http: 200, msg: '' },
  80100001: { http: 400, msg: 'Some parameters are incorrect' },
  80100002: { http: 400, msg: 'The number of tokens must be 1 when a message is sent in synchronous mode' },
  80100003: { http: 400, msg: 'Incorrect message structure' },
  80100004: { http: 400, msg: 'The message expiration time is earlier than the current time' },
  80100013: { http: 400, msg: 'The collapse_key message field is invalid' },
  80100016: { http: 400, msg: 'The message contains sensitive information' },
  80100017: { http: 400, msg: 'A maximum of 100 topic-based messages can be sent at the same time' },
  80100018: { http: 400, msg: 'Invalid message body' },
  80200001: { http: 401, msg: 'Oauth authentication error' },
  80200003: { http: 401, msg: 'Oauth Token expired' },
  80300002: { http: 403, msg: 'The current app does not have the permission to send messages' },
  80300007: { http: 400, msg: 'All the tokens are invalid' },
  80300008: { http: 400, msg: 'The message body size exceeds the default value' },
  80300010: { http: 400, msg: 'The number of tokens in the message body exceeds the default value' },
  80300011: { http: 400, msg: 'No permission to send high-level notification messages' },
  80600003: { http: 500, msg: 'Failed to request the OAuth service' },
  81000001: { http: 500, msg: 'System inner error' },
  FLOW_CONTROL: { http: 503, msg: 'flow control' },
} as const satisfies Record<string, Code>

export type HcmCode = `${keyof typeof HCM_CODES}`

export const HCM_JSON = 'application/json;charset=utf-8'

/** Tells whether a text is a code of Huawei's, which a rule of the sandbox may name. */
export function isHcmCode(reason: string): reason is HcmCode {
  return Object.hasOwn(HCM_CODES, reason)
}

/** The answer for a code; `msg` and `status` replace the usual ones. */
export function hcmAnswer(
  code: HcmCode,
  { msg, status, requestId }: { msg?: string | undefined; status?: number | undefined; requestId?: string } = {},
): Answer {
  const known: Code = HCM_CODES[code as keyof typeof HCM_CODES]
  const headers = { 'content-type': code === 'FLOW_CONTROL' ? 'text/plain' : HCM_JSON }
  if (code === 'FLOW_CONTROL') return { status: status ?? known.http, headers, body: known.msg }
  const body = JSON.stringify({ code, msg: msg ?? known.msg, ...(requestId !== undefined && { requestId }) })
  return { status: status ?? known.http, headers, body }
}

/** The answer when some tokens were accepted: its message is JSON text that lists the others. */
export function partlyAccepted(tokens: number, illegal: readonly string[], requestId: string, status?: number): Answer {
  const msg = JSON.stringify({ success: tokens - illegal.length, failure: illegal.length, illegal_tokens: illegal })
  return hcmAnswer('80100000', { msg, status, requestId })
}
