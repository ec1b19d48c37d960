import type { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import type { App } from '../app.ts'
import { withoutTokens } from '../domain/crm/signed-ids.ts'
import { isDatabaseFault } from '../platform/db/unavailable.ts'
import { roomForAnswers } from './answer-room.ts'
import { plainAddress as plain, trustedProxiesOf } from './device/caller.ts'
import { createDispatch } from './dispatch.ts'
import { docsDoor } from './docs-door.ts'
import { replyOfError } from './errors.ts'
import { healthDoor } from './health.ts'
import { createMeter } from './metrics.ts'
import { Bytes, Reply, type Route, Stream, Text } from './route.ts'
import { BrokenOff, bodyOf } from './stream.ts'

/** The HTTP application: first the handlers that belong to no area, then the routes of the areas. */
export function createKoa(app: App, routes: readonly Route[], meter = createMeter(app)): Koa {
  const koa = new Koa()
  const dispatch = createDispatch(app, routes)
  const doors: Doors = { health: healthDoor(app), docs: docsDoor(routes), metrics: meter.door }
  const { log } = app.kernel
  const trusted = trustedProxiesOf(app.kernel.config)
  const within = roomForAnswers(app)

  koa.on('error', (error) => {
    // A client that disconnected is normal. A list that broke off is an error, unless the database failed, which is
    // reported as a fault of the process.
    const level = error instanceof BrokenOff ? (isDatabaseFault(error.cause) ? 'warn' : 'error') : 'debug'
    log[level]({ error: String(error) }, 'an answer could not be completed')
  })
  koa.use(async (context) => {
    const started = performance.now()
    context.request.ip = callerOf(context, trusted)
    const seen = { area: 'none', route: 'unknown', method: 'other' }
    context.res.once('close', () => {
      meter.observe({ ...seen, status: context.res.statusCode, seconds: (performance.now() - started) / 1000 })
    })
    let answer: Sent
    try {
      answer = await within(context, async () => {
        const reply =
          (await firstAnswer(doors, context, (route) => Object.assign(seen, { route, method: 'get' }))) ??
          (await dispatch(context, ({ path, method }, area) => Object.assign(seen, { area, route: path, method })))
        return sentOf(reply)
      })
    } catch (error) {
      answer = await sentOf(replyOfError(error, log, { method: context.method, path: withoutTokens(context.path) }))
    }
    send(context, answer)
    log.debug(
      {
        method: context.method,
        path: withoutTokens(context.path),
        status: answer.status,
        ms: Math.round(performance.now() - started),
      },
      'request',
    )
  })
  return koa
}

/**
 * Handlers outside the areas, by their name in metrics. Each returns undefined for requests that it does not handle.
 */
type Doors = Record<string, (context: Context) => Promise<Reply | undefined>>

async function firstAnswer(
  doors: Doors,
  context: Context,
  onAnswer: (name: string) => void,
): Promise<Reply | undefined> {
  for (const [name, door] of Object.entries(doors)) {
    const reply = await door(context)
    if (!reply) continue
    onAnswer(name)
    return reply
  }
  return undefined
}

/** An answer ready to send. */
interface Sent extends Pick<Reply, 'status' | 'headers'> {
  type: string
  body: string | Buffer | Readable | undefined
}

/** Makes the first piece of a long list, so that an early failure still becomes an error status. */
async function sentOf({ status, headers, body }: Reply): Promise<Sent> {
  const json = 'application/json'
  if (body === undefined || status === 204) return { status, headers, type: json, body: undefined }
  if (body instanceof Text) return { status, headers, type: body.type, body: body.text }
  if (body instanceof Bytes) return { status, headers, type: body.type, body: body.bytes }
  return { status, headers, type: json, body: body instanceof Stream ? await bodyOf(body) : JSON.stringify(body) }
}

function send(context: Context, { status, headers, type, body }: Sent): void {
  context.set('X-Content-Type-Options', 'nosniff')
  context.set(headers)
  context.status = status
  if (body === undefined) {
    context.body = null
    context.status = status
    if (status !== 204) context.set('Content-Length', '0')
  } else {
    context.type = type
    context.body = body
  }
}

/** The caller's address; the proxy header counts only when the connection comes from a listed proxy. */
function callerOf(context: Context, trusted: ReadonlySet<string>): string {
  const peer = plain(context.req.socket.remoteAddress ?? '')
  if (!trusted.has(peer)) return peer
  const hops = context
    .get('x-forwarded-for')
    .split(',')
    .map((hop) => plain(hop.trim()))
  return hops.reverse().find((hop) => hop !== '' && !trusted.has(hop)) ?? peer
}
