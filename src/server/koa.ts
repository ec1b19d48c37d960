import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import type { App } from '../app.ts'
import { withoutTokens } from '../domain/crm/signed-ids.ts'
import { createDispatch } from './dispatch.ts'
import { docsDoor } from './docs-door.ts'
import { replyOfError } from './errors.ts'
import { healthDoor } from './health.ts'
import { createMeter } from './metrics.ts'
import { Bytes, Reply, type Route, Stream, Text } from './route.ts'

/** The HTTP application: doors that belong to no area first, then the areas' routes. */
export function createKoa(app: App, routes: readonly Route[], meter = createMeter(app)): Koa {
  const koa = new Koa()
  const dispatch = createDispatch(app, routes)
  const doors: Doors = { health: healthDoor(app), docs: docsDoor(routes), metrics: meter.door }
  const { log } = app.kernel
  const trusted = new Set(app.kernel.config.trustedProxies.split(',').map((address) => plain(address.trim())))

  koa.on('error', (error) => log.debug({ error: String(error) }, 'an answer could not be written'))
  koa.use(async (context) => {
    const started = performance.now()
    context.request.ip = callerOf(context, trusted)
    const seen = { area: 'none', route: 'unknown', method: 'other' }
    context.res.once('close', () => {
      meter.observe({ ...seen, status: context.res.statusCode, seconds: (performance.now() - started) / 1000 })
    })
    let reply: Reply
    try {
      reply =
        (await firstAnswer(doors, context, (route) => Object.assign(seen, { route, method: 'get' }))) ??
        (await dispatch(context, ({ path, method }, area) => Object.assign(seen, { area, route: path, method })))
    } catch (error) {
      reply = replyOfError(error, log, { method: context.method, path: withoutTokens(context.path) })
    }
    send(context, reply)
    log.debug(
      {
        method: context.method,
        path: withoutTokens(context.path),
        status: reply.status,
        ms: Math.round(performance.now() - started),
      },
      'request',
    )
  })
  return koa
}

/** What answers outside of the areas, by the name it has in metrics. A door that is not meant says undefined. */
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

function send(context: Context, reply: Reply): void {
  context.set('X-Content-Type-Options', 'nosniff')
  context.set(reply.headers)
  context.status = reply.status
  if (reply.body === undefined || reply.status === 204) {
    context.body = null
    context.status = reply.status
    if (reply.status !== 204) context.set('Content-Length', '0')
  } else if (reply.body instanceof Stream) {
    context.type = 'application/json'
    context.body = Readable.from(jsonArray(reply.body.items))
  } else if (reply.body instanceof Text) {
    context.type = reply.body.type
    context.body = reply.body.text
  } else if (reply.body instanceof Bytes) {
    context.type = reply.body.type
    context.body = reply.body.bytes
  } else {
    context.type = 'application/json'
    context.body = JSON.stringify(reply.body)
  }
}

/** The text of a JSON array, in pieces of some kilobytes. */
async function* jsonArray(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let piece = '['
  let first = true
  for await (const item of items) {
    piece += `${first ? '' : ','}${JSON.stringify(item)}`
    first = false
    if (piece.length < 16_384) continue
    yield piece
    piece = ''
  }
  yield `${piece}]`
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

/** An address as such: some proxies write the port as well, and who listens on `::` sees one of IPv4 inside one of IPv6. */
function plain(address: string): string {
  return address
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:(?=[\d.]+$)/i, '')
}
