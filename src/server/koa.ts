import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import Koa, { type Context } from 'koa'
import { withoutTokens } from '../domain/crm/signed-ids/signed-ids.ts'
import { isDatabaseFault } from '../platform/db/unavailable.ts'
import type { Program } from '../program.ts'
import { answerConsole, isConsolePage } from './console/door.ts'
import { consoleEntrance, type Entrance } from './console/entrance.ts'
import { CORS, createDispatch, type Listener } from './dispatch.ts'
import { DOCS_PATHS, docsDoor } from './docs-page/door.ts'
import { FRONT_PATHS, frontDoor } from './front-door.ts'
import { HEALTH_PATHS, healthDoor } from './health.ts'
import { replyOfError } from './http/errors.ts'
import { etagOf, isKnown, isTaggedList } from './http/etag.ts'
import { BrokenOff, bodyOf } from './http/stream.ts'
import { roomForAnswers } from './limits/answer-room.ts'
import { forwarderOf, plainAddress as plain, type TrustedProxies, trustedProxiesOf } from './limits/caller.ts'
import { createMeter } from './metrics/metrics.ts'
import { isAdminPath } from './routing/hosts.ts'
import { type Area, Bytes, CSV, JSON_TYPE, NDJSON, Reply, type Route, Stream, Text } from './routing/route.ts'
import { answerSdk, isSdkPath } from './sdk/door.ts'

/** The HTTP application: first the handlers that belong to no area, then the routes of the areas. */
export function createKoa(
  program: Program,
  routes: readonly Route[],
  meter = createMeter(program),
  entrance: Entrance = consoleEntrance(program.kernel.config),
): Koa {
  const koa = new Koa()
  const dispatch = createDispatch(program, routes)
  const doors = doorsByPath([
    { name: 'health', paths: HEALTH_PATHS, answer: healthDoor(program) },
    { name: 'docs', paths: DOCS_PATHS, answer: docsDoor(routes) },
    { name: 'front', paths: FRONT_PATHS, answer: frontDoor(program.kernel.config) },
    { name: 'metrics', paths: ['/metrics'], answer: meter.door },
  ])
  const { log, config } = program.kernel
  const isDebugged = config['log.level'] === 'debug'
  const callerOf = callers(trustedProxiesOf(config))
  const within = roomForAnswers(program)

  async function answerOf(context: Context, path: string, seen: Seen): Promise<Sent> {
    const refusal = entrance.refuse(context, path)
    if (refusal) return sentOf(refusal)
    if (isConsolePage(path)) {
      seen.onDoor('console')
      return sentOf(await answerConsole(context, path, config['console.tiles']))
    }
    if (isSdkPath(path)) {
      seen.onDoor('sdk')
      return sentOf(await answerSdk(context, path))
    }
    const door = doors.get(path)
    const reply = door && (await door.answer(context))
    if (!reply) return sentOf(await dispatch(context, path, seen))
    seen.onDoor(door.name)
    return sentOf(reply)
  }

  koa.on('error', (error) => {
    // A client that disconnected is normal. A list that broke off is an error, unless the database failed, which is
    // reported as a fault of the process.
    const level = error instanceof BrokenOff ? (isDatabaseFault(error.cause) ? 'warn' : 'error') : 'debug'
    log[level]({ error: String(error) }, 'an answer could not be completed')
  })
  koa.use(async (context) => {
    const started = performance.now()
    const { res, path } = context
    context.request.ip = callerOf(context)
    const seen = new Seen(isAdminPath(path))
    // Koa and Node listen six times to an answer that is streamed, and we as often: Node would warn of the eleventh.
    res.setMaxListeners(20)
    res.once('close', () => {
      const { area, route, method } = seen
      meter.observe({ area, route, method, status: res.statusCode, seconds: (performance.now() - started) / 1000 })
    })
    let answer: Sent
    try {
      answer = await within(context, () => answerOf(context, path, seen))
    } catch (error) {
      answer = await sentOf(replyOfError(error, log, { method: context.method, path: withoutTokens(path) }))
    }
    send(context, answer, seen)
    if (!isDebugged) return
    const ms = Math.round(performance.now() - started)
    log.debug({ method: context.method, path: withoutTokens(path), status: answer.status, ms }, 'request')
  })
  return koa
}

/** Answers some paths outside the areas; `answer` returns undefined for requests that it does not handle. */
interface Door {
  /** The name in metrics. */
  name: string
  paths: readonly string[]
  answer(context: Context): Promise<Reply | undefined>
}

function doorsByPath(doors: readonly Door[]): ReadonlyMap<string, Door> {
  return new Map(doors.flatMap((door) => door.paths.map((path) => [path, door] as const)))
}

/** The facts of a request that metrics and the answer's headers need. */
class Seen implements Listener {
  /** True for the admin interface: nobody keeps the answer, whatever it is. */
  readonly isAdmin: boolean
  area: Area | 'none' = 'none'
  route = 'unknown'
  method = 'other'
  isDevices = false
  /** A server reads a list: the answer of success has an `ETag`. */
  isTagged = false

  constructor(isAdmin: boolean) {
    this.isAdmin = isAdmin
  }

  onDoor(name: string): void {
    this.route = name
    this.method = 'get'
  }

  onMatch(route: Route, area: Area): void {
    this.area = area
    this.route = route.path
    this.method = route.method
    this.isTagged = isTaggedList(route)
  }

  onDevicePath(): void {
    this.isDevices = true
  }
}

/** An answer ready to send. */
interface Sent extends Pick<Reply, 'status' | 'headers' | 'cookies'> {
  type: string
  body: string | Buffer | Readable | undefined
}

const LINE_TYPES = { lines: NDJSON, pieces: 'text/plain', records: CSV }

/** A long list becomes its first piece here, so that an early failure still becomes an error status. */
function sentOf({ status, headers, cookies, body }: Reply): Sent | Promise<Sent> {
  if (body === undefined || status === 204) return { status, headers, cookies, type: JSON_TYPE, body: undefined }
  if (body instanceof Text) return { status, headers, cookies, type: body.type, body: body.text }
  if (body instanceof Bytes) return { status, headers, cookies, type: body.type, body: body.bytes }
  if (body instanceof Readable) return { status, headers, cookies, type: headers['Content-Type'] ?? JSON_TYPE, body }
  if (body instanceof Stream) {
    const given = headers['Content-Type']
    const type = given ?? (typeof body.within === 'string' ? `${LINE_TYPES[body.within]}; charset=utf-8` : JSON_TYPE)
    return bodyOf(body).then((text) => ({ status, headers, cookies, type, body: text }))
  }
  return { status, headers, cookies, type: JSON_TYPE, body: JSON.stringify(body) }
}

/** Headers of everything below `/admin`, errors and redirects among it: the one place that says so. */
const UNKEPT = { 'Cache-Control': 'no-store' }

/** Writes the head at once: setting the headers one by one, as Koa does, costs a quarter of a short answer. */
function send(
  context: Context,
  { status, headers, cookies, type, body }: Sent,
  { isDevices, isTagged, isAdmin }: Seen,
): void {
  const { res } = context
  const head: Record<string, string | number | string[]> = {
    ...(isDevices && CORS),
    'X-Content-Type-Options': 'nosniff',
    ...headers,
    ...(isAdmin && UNKEPT),
    ...(cookies.length > 0 && { 'Set-Cookie': [...cookies] }),
  }
  const isHead = context.method === 'HEAD'
  if (body instanceof Readable && isHead) {
    body.destroy()
    context.respond = false
    return void res.writeHead(status, { ...head, 'Content-Type': type }).end()
  }
  if (body instanceof Readable) {
    context.set(head as Record<string, string | string[]>)
    context.status = status
    context.type = type
    context.body = body
    return
  }
  context.respond = false
  // The client has gone. Nothing is ever writable for HEAD on HTTP/2.
  if (res.closed || !(context.writable || isHead)) return void res.end()
  if (body === undefined) {
    if (status !== 204) head['Content-Length'] = '0'
    res.writeHead(status, head).end()
    return
  }
  if (isTagged && status === 200) {
    const etag = etagOf(body)
    head['ETag'] = etag
    if (isKnown(context.req, etag)) return void res.writeHead(304, head).end()
  }
  head['Content-Type'] = type
  head['Content-Length'] = Buffer.byteLength(body)
  res.writeHead(status, head)
  if (isHead) res.end()
  else res.end(body)
}

/** The caller's address; the proxy header counts only when the connection comes from a listed proxy. */
function callers(trusted: TrustedProxies): (context: Context) => string {
  const peers = new WeakMap<Socket, string>()

  function peerOf(socket: Socket): string {
    let peer = peers.get(socket)
    if (peer === undefined) peers.set(socket, (peer = plain(socket.remoteAddress ?? '')))
    return peer
  }

  return (context) => {
    const peer = peerOf(context.req.socket)
    if (!trusted.has(peer)) return peer
    return forwarderOf(context.get('x-forwarded-for'), trusted) ?? peer
  }
}
