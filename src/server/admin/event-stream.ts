import { Readable } from 'node:stream'
import { AppError } from '../../platform/errors.ts'
import { ownCounts } from '../../platform/net/sockets.ts'
import { sharedConnections } from '../../platform/threads/sharing.ts'
import type { Program } from '../../program.ts'
import { onePerProgram } from '../limits/per-program.ts'
import type { Events, LiveEvent, Person } from '../routing/route.ts'

/** Answers of server-sent events that are open at once: of one session or token, of one person, and of the server. */
const PER_CALLER = 4
const PER_PERSON = 8
const PER_SERVER = 100
/** The time (ms) until a comment is sent: proxies close a connection that is silent for longer, and a browser that has gone is noticed. */
const PULSE_MS = 15_000

/** The number of open streams by caller, and functions that end each. */
const openOf = onePerProgram(({ kernel: { sharing } }) => ({
  counts: new Map<string, number>(),
  ends: new Set<() => void>(),
  // Of all HTTP threads together: each sign-in is a session, so that the sessions of a person are no limit by themselves.
  people: sharing ? sharedConnections(sharing) : ownCounts(),
}))

/** Ends all that are open: the server stops, and browsers connect again. */
export function endEventStreams(program: Program): void {
  for (const end of openOf(program).ends) end()
}

/** The body of an answer of server-sent events. Throws `too_many` when too many are open already. */
export function eventStream(
  program: Program,
  { events }: Events,
  person: Person | undefined,
  signal: AbortSignal,
): Readable {
  const { counts: open, ends, people } = openOf(program)
  const caller = person ? `${person.id} ${person.session?.id ?? 'token'}` : 'nobody'
  const mine = open.get(caller) ?? 0
  const all = open.values().reduce((sum, one) => sum + one, 0)
  const most = PER_SERVER / (program.kernel.sharing?.threads ?? 1)
  const who = `live pages of ${person?.id ?? 'nobody'}`
  if (mine >= PER_CALLER || all >= most || !people.enter(who, PER_PERSON)) {
    throw new AppError('too_many', 'too many live pages are open: close some, or ask again later', {
      headers: { 'Retry-After': '15' },
    })
  }
  open.set(caller, mine + 1)
  const ended = new AbortController()
  const stream = Readable.from(textOf(events(AbortSignal.any([signal, ended.signal]))), { highWaterMark: 1 })
  // The source ends, then the answer does: destroying it would leave the connection open.
  const end = () => ended.abort()
  ends.add(end)
  const leave = () => {
    ends.delete(end)
    ended.abort()
    people.leave(who)
    const left = (open.get(caller) ?? 1) - 1
    if (left === 0) open.delete(caller)
    else open.set(caller, left)
  }
  stream.once('close', leave)
  signal.addEventListener('abort', () => stream.destroy(), { once: true })
  return stream
}

/** The events as text, with a comment whenever there was none for a while. */
async function* textOf(events: AsyncIterable<LiveEvent>): AsyncGenerator<string> {
  // Said at once, so that the head of the answer goes out and the browser knows that it is connected.
  yield ': open\n\n'
  const iterator = events[Symbol.asyncIterator]()
  let next = iterator.next()
  try {
    for (;;) {
      const found = await Promise.race([next, pulse(next)])
      if (found === undefined) {
        yield ': pulse\n\n'
        continue
      }
      if (found.done) return
      const { event, data, id } = found.value
      yield `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
      next = iterator.next()
    }
  } finally {
    await iterator.return?.()
  }
}

/** Resolves with undefined after a while, unless `next` comes first. */
function pulse(next: Promise<unknown>): Promise<undefined> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), PULSE_MS)
    const stop = () => clearTimeout(timer)
    next.then(stop, stop)
  })
}
