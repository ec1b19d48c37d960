import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import type { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { eventStream } from '../admin/event-stream.ts'
import { placeOfCall, whileAllowed } from '../admin/while-allowed.ts'
import { type Keyed, whileKeyed } from '../calls/while-keyed.ts'
import { goneSignal } from '../http/gone.ts'
import { type Call, type Events, eventsOf, type Person, type Reply, type Route, Stream } from '../routing/route.ts'

/** The caller of a route. */
export interface Who extends Pick<Call<unknown, unknown>, 'appId' | 'params' | 'address'> {
  person: Person | undefined
}

/** Does what takes long for a person; `end` breaks it off when that person has no access any more. */
export async function whileThey<T>(
  program: Program,
  { person, appId }: Who,
  end: () => void,
  work: () => Promise<T>,
): Promise<T> {
  if (!person) return work()
  const leave = whileAllowed(program, { person, place: placeOfCall(person, appId), end })
  try {
    return await work()
  } finally {
    leave()
  }
}

/** A live page, which ends when its person has no access any more: the browser asks again, and hears why. */
export function liveAnswer(program: Program, { events }: Events, { person, appId }: Who, { res }: Context): Readable {
  const ended = new AbortController()
  const whileTheyMay = eventsOf((signal) => events(AbortSignal.any([signal, ended.signal])))
  const stream = eventStream(program, whileTheyMay, person, goneSignal(res))
  if (!person) return stream
  const leave = whileAllowed(program, { person, place: placeOfCall(person, appId), end: () => ended.abort() })
  stream.once('close', leave)
  return stream
}

/** Cuts off a long answer when its caller has lost the access. */
export function cutLongAnswer(
  program: Program,
  route: Route,
  { person, appId, params }: Who,
  { body }: Reply,
  context: Context,
): void {
  if (!(body instanceof Stream)) return
  const end = () => void context.res.destroy()
  if (!person) return void keyedBy(program, route, params, context, end)
  const leave = whileAllowed(program, { person, place: placeOfCall(person, appId), end })
  context.res.once('close', leave)
}

/** Watches a call that waits: its caller may lose the access before there is an answer. */
export function waitingCall(program: Program, route: Route, { person, appId, params }: Who, context: Context): Keyed {
  const { res } = context
  const keyed = keyedBy(program, route, params, context)
  if (keyed) return keyed
  const gone = goneSignal(res)
  if (!person) return { signal: gone, check: async () => {} }
  const ended = new AbortController()
  const end = (why: AppError) => ended.abort(why)
  res.once('close', whileAllowed(program, { person, place: placeOfCall(person, appId), end }))
  return { signal: AbortSignal.any([gone, ended.signal]), check: async () => ended.signal.throwIfAborted() }
}

/** The watch over the keys of a call; undefined for a call without keys. */
function keyedBy(
  program: Program,
  { needs, permission, scope }: Route,
  params: Record<string, string>,
  context: Context,
  end?: () => void,
): Keyed | undefined {
  if (needs === 'person' || needs === 'nobody') return undefined
  return whileKeyed(
    program,
    { needs, ...(permission && { permission }), ...(scope && { scope }) },
    { params, context, ...(end && { end }) },
  )
}
