import { urlToHttpOptions } from 'node:url'
import { AppError } from '../../platform/errors.ts'
import { isPlainObject, parseJsonBytes } from '../../platform/json/json.ts'
import { trust } from '../../platform/net/http.ts'
import { exchange, HttpFailure } from '../../platform/net/http-exchange.ts'

/** Time within which the sandbox must answer. It runs on the same machine, or beside it. */
const DEADLINE_MS = 5000
/** Certificates, keys and addresses of every gateway are about 20 kB. */
const LARGEST_REPLY = 1024 * 1024

const unavailable = (message: string) => new AppError('unavailable', message, { headers: { 'Retry-After': '5' } })

/** A subscription of a browser, as its `toJSON()` writes it. */
export type Subscription = Readonly<Record<string, unknown>> & { endpoint: string }

export type SandboxClient = ReturnType<typeof sandboxClient>

/** The interface of a running sandbox (docs/sandbox.md). `url`: the setting `sandbox.url`. Everything throws `unavailable`. */
export function sandboxClient(url: string, ca: readonly string[]) {
  async function ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Record<string, unknown>> {
    const target = new URL(`${url}${path}`)
    let answer: unknown
    try {
      const { status, body: bytes } = await exchange({
        options: {
          ...urlToHttpOptions(target),
          protocol: target.protocol as 'http:' | 'https:',
          method,
          headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
          agent: false,
          ...trust(ca),
        },
        body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
        deadlineMs: DEADLINE_MS,
        largestReply: LARGEST_REPLY,
      })
      if (status < 300) answer = parseJsonBytes(bytes)
    } catch (error) {
      if (error instanceof HttpFailure) {
        throw unavailable(`the sandbox at ${url} (sandbox.url) does not answer: start appsvc sandbox again`)
      }
      // What is no JSON is the fault of who answered, not of our caller.
    }
    if (isPlainObject(answer)) return answer
    throw unavailable(`what answers at ${url} (sandbox.url) is not the sandbox of this version`)
  }

  return {
    /** Blocks of the gateway configuration, by platform, that send to it. */
    async blocks(): Promise<Record<string, unknown>> {
      const { blocks } = await ask('GET', '/credentials')
      return isPlainObject(blocks) ? blocks : {}
    },

    /** Subscribes a browser, or the phone of a `service`, with this VAPID key. */
    subscribe: async (publicKey: string, service?: 'unifiedpush'): Promise<Subscription> =>
      (await ask('POST', '/subscriptions', { publicKey, ...(service && { service }) })) as Subscription,

    /** Gives the device with this token a name on the page of the sandbox. `gateway`: its word there. */
    declare: async (token: string, device: { gateway: string; name: string }): Promise<void> => {
      await ask('PUT', `/tokens/${encodeURIComponent(token)}`, device)
    },
  }
}
