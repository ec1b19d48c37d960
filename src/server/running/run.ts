import type { Context } from 'koa'
import { isDatabaseFault } from '../../platform/db/unavailable.ts'
import { isAppError } from '../../platform/errors.ts'
import { jsonBytes, refuseUnkept } from '../../platform/json/json.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import { parseJson, parseText } from '../../platform/values/parse.ts'
import type { Areas, Program } from '../../program.ts'
import { auditOf } from '../admin/audited.ts'
import { isMaskedFor, maskedAnswer, refuseUnmaskable } from '../admin/mask.ts'
import { cookieOf } from '../admin/origin.ts'
import { answerOnce, idempotencyOf, REPLAYED } from '../calls/idempotency.ts'
import type { Keyed } from '../calls/while-keyed.ts'
import { readBytes, readJson } from '../http/body.ts'
import { readFile } from '../http/upload.ts'
import { chargeBytes, checkBytes, takeNewcomers } from '../limits/caps.ts'
import {
  type Call,
  EVENT_STREAM,
  Events,
  isRepeatable,
  type Note,
  type Person,
  type ReceivedFile,
  Reply,
  type Route,
} from '../routing/route.ts'
import { cutLongAnswer, liveAnswer, type Who, waitingCall, whileThey } from './access.ts'

/** The person of a call to a route that needs no person. */
const NOBODY: Person = {
  id: 0,
  name: 'nobody',
  email: '',
  rights: [],
  role: undefined,
  roles: [],
  isMasked: true,
  session: undefined,
  tokenId: undefined,
  tokenApp: undefined,
  tokenScopes: undefined,
}

/** Proxies must not collect it (`X-Accel-Buffering` is nginx's). */
const LIVE = { 'Content-Type': EVENT_STREAM, 'X-Accel-Buffering': 'no' }

/** Runs the route of an admitted call: body, schema, transaction, answer. */
export async function runRoute(program: Program, route: Route, context: Context, who: Who): Promise<Reply> {
  if (!route.upload) return runWith(program, route, context, who, undefined)
  const person = who.person ?? NOBODY
  const sink = await route.upload({ ...who, person, tx: program, program, remote: context.ip })
  let isWanted = false
  try {
    const file = await whileThey(
      program,
      who,
      () => context.req.destroy(),
      () => readFile(context, sink),
    )
    const reply = await runWith(program, route, context, who, file)
    // A repeat got the stored answer, so its file is not needed.
    isWanted = reply.headers[REPLAYED] === undefined
    return reply
  } finally {
    if (!isWanted) await sink.discard()
  }
}

/** Counts the bytes of a device before anybody looks at them: a body that is refused costs as much as one that is accepted. */
async function runWith(
  program: Program,
  route: Route,
  context: Context,
  who: Who,
  file: ReceivedFile | undefined,
): Promise<Reply> {
  const isCounted = route.device === true && (route.body !== undefined || route.raw === true)
  if (!isCounted) return runRead(program, route, context, who, { file })
  const sender = { program, appId: who.appId, remote: context.ip }
  await checkBytes(sender)
  let taken = 0
  const onRead = (count: number) => {
    taken += count
    chargeBytes(sender, count)
  }
  try {
    return await runRead(program, route, context, who, { file, onRead })
  } catch (thrown) {
    // What failed on our side is sent again, and is not the caller's fault.
    if (!isAppError(thrown) || isDatabaseFault(thrown)) chargeBytes(sender, -taken)
    throw thrown
  }
}

/** Parts that read the body: the file that has been taken in, and the counter of its bytes. */
interface Reading {
  file: ReceivedFile | undefined
  onRead?: ((bytes: number) => void) | undefined
}

/** The handle that a route works with: a transaction, or the whole program. */
type Working = Pick<Call<unknown, unknown>, 'tx' | 'within'>

async function runRead(program: Program, route: Route, context: Context, whose: Who, reading: Reading): Promise<Reply> {
  if (route.first) await route.first({ program, remote: context.ip })
  const { call, value, waits } = await readCall(program, route, context, whose, reading)
  const prepared = route.prepare && (await route.prepare(call))
  const answer = (working: Working) => answerCall(program, route, context, whose, { ...call, ...working, prepared })
  if (route.method === 'get') {
    const reply = await answer({ tx: program, within: 'program' })
    await waits()?.check()
    // What an answer shows is on disk. When the disk failed, answers still say what is known, and `/readyz` that it may be lost.
    await program.kernel.db.settled()?.catch(() => {})
    return reply
  }
  // Deleting adds no work and frees space, so it is allowed on a full disk.
  if (route.method !== 'delete' && !route.reads) program.kernel.disk.takeIn()
  const reply = await (route.transaction === false
    ? answer({ tx: program, within: 'program' })
    : write(program, route, context, whose, {
        body: reading.file ? reading.file.digest : value,
        shares: route.shares?.(call) ?? false,
        answer,
      }))
  failpoint('accept.committed')
  if (route.wakes) program.kernel.wake()
  return reply
}

/** Reads and checks what the caller sent. `waits`: the watch over a call whose route waits. */
async function readCall(program: Program, route: Route, context: Context, whose: Who, { file, onRead }: Reading) {
  const { person: _, ...who } = whose
  const { config } = program.kernel
  const limit = Math.min(config[route.bodyLimit ?? 'limits.body'], route.maxBody ?? Infinity)
  const isDevice = route.device === true
  const isStranger = isDevice || route.needs === 'nobody'
  const read = route.body
    ? await readJson(context.req, limit, { anyType: isDevice, asText: route.unkept?.asText, onRead, isStranger })
    : undefined
  if (read && !route.unkept?.byRun) refuseUnkept(read.unkept)
  const bytes = route.raw ? await readBytes(context.req, limit, { onRead, isStranger }) : Buffer.alloc(0)
  const body = route.body && parseJson(route.body, read?.value)
  let waits: Keyed | undefined
  const call = {
    ...who,
    program,
    inTransaction: program.inTransaction,
    file,
    bytes,
    size: read?.size ?? bytes.length,
    unkept: read?.unkept ?? [],
    remote: context.ip,
    search: context.querystring,
    header: (name: string) => context.get(name),
    gone: () => (waits ??= waitingCall(program, route, whose, context)).signal,
    isHead: context.method === 'HEAD',
    cookie: (id: string) => cookieOf(context, config, id),
    body,
    converted: route.convert?.(body),
    query: route.query && parseText(route.query, { ...context.query }),
  }
  return { call, value: read?.value, waits: () => waits }
}

/** Runs the route, masks what the person may not see, and notes the call in the audit log. */
async function answerCall(
  program: Program,
  route: Route,
  context: Context,
  whose: Who,
  call: Omit<Call<unknown, unknown, unknown, unknown, unknown>, 'note' | 'person'>,
): Promise<Reply> {
  const { person, appId } = whose
  let details: Note = {}
  const isMasked = isMaskedFor(route, person)
  if (isMasked) refuseUnmaskable(route)
  const whole = await route.run({
    ...call,
    note: (more) => void (details = { ...details, ...more }),
    person: person ?? NOBODY,
  })
  const result = isMasked ? maskedAnswer(route, whole) : whole
  if (result instanceof Events) return new Reply(200, liveAnswer(program, result, whose, context), LIVE)
  const reply = result instanceof Reply ? result : new Reply(route.status ?? 200, result)
  cutLongAnswer(program, route, whose, reply, context)
  if (route.audit === undefined || reply.status >= 400) return reply
  const entry = auditOf(route.audit, { appId, person, remote: context.ip, details })
  if (call.within === 'program') await program.inTransaction((tx) => tx.audit.record(entry))
  else await call.tx.audit.record(entry)
  return reply
}

/** Runs a writing route in one transaction, and once only for an `Idempotency-Key`. */
async function write(
  program: Program,
  route: Route,
  context: Context,
  { appId, params, person }: Who,
  { body, shares, answer }: { body: unknown; shares: boolean; answer(working: Working): Promise<Reply> },
): Promise<Reply> {
  const header = isRepeatable(route) ? context.get('idempotency-key') || undefined : undefined
  const { method, path } = context
  const idempotency = idempotencyOf(header, route, { method, path, params, body, personId: person?.id })
  if (!idempotency && route.transaction === 'shared') return answer({ tx: program, within: 'program' })
  const work = (tx: Areas) => {
    const answerHere = () => answer({ tx, within: 'transaction' })
    if (!idempotency) return answerHere()
    return answerOnce(tx, appId, idempotency, async () => {
      // A key is stored for a month, so those of devices count against their limits.
      if (!route.device) return answerHere()
      await takeNewcomers({ program, remote: context.ip }, 1)
      const reply = await answerHere()
      // The stored copy of the answer.
      if (reply.body !== undefined) chargeBytes({ program, remote: context.ip, appId }, jsonBytes(reply.body))
      return reply
    })
  }
  return program.inTransaction(work, { shares })
}
