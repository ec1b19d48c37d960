import type { Answer, Exchange, Link } from './exchange.ts'
import { type Effect, H2_CODES } from './plan.ts'

const HOLD_MS = 50
const HOLD = 10
const HIGHEST_STREAM = 2 ** 31 - 1
/** How long an announced end waits for requests that are under way. */
const LEAVE_MS = 1000

/** What the effect does to the message itself: whether the device gets it although the answer is lost. */
export function isTaken(effect: Effect | undefined): boolean {
  if (effect === undefined) return true
  if (effect.taken !== undefined) return effect.taken
  return !(effect.hang || effect.refuseStream || effect.rst !== undefined)
}

/** The effect in a few words, for the list of received messages. */
export function describeEffect(effect: Effect): string | undefined {
  if (effect.hang) return 'no answer'
  if (effect.cutBeforeAnswer) return 'cut before the answer'
  if (effect.cutInsideAnswer) return 'cut inside the answer'
  if (effect.shortBody) return 'answer cut short'
  if (effect.refuseStream) return 'stream refused'
  if (effect.rst !== undefined) return `stream reset ${effect.rst}`
  return undefined
}

/** Whether a rule says what the answer is, rather than only how it is given. */
export function isScripted(effect: Effect | undefined): effect is Effect {
  return (
    effect !== undefined && (effect.reason !== undefined || effect.status !== undefined || effect.body !== undefined)
  )
}

/** The answer with the body and the wait that the effect names. */
export function asScripted(answer: Answer, { body, retryAfter }: Effect): Answer {
  return {
    ...answer,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(retryAfter !== undefined && { headers: { ...answer.headers, 'retry-after': String(retryAfter) } }),
  }
}

/** Settles the exchange, at once or when the connection is told that it ends. */
export function settleWith(exchange: Exchange, effect: Effect | undefined, settle: () => void): void {
  if (effect?.goaway) leave(exchange, effect.goaway, settle)
  else settle()
}

/** Answers the exchange as the effect wants it. */
export function perform(exchange: Exchange, answer: Answer, effect: Effect | undefined): void {
  if (effect === undefined) return exchange.answer(answer)
  if (effect.delayMs) {
    const { delayMs, ...rest } = effect
    setTimeout(() => perform(exchange, answer, rest), delayMs).unref()
    return
  }
  if (effect.hang) return
  if (effect.cutBeforeAnswer) return exchange.cut()
  if (effect.cutInsideAnswer) return exchange.cutInside(answer)
  if (effect.shortBody) return exchange.answerShort(answer)
  if (effect.refuseStream) return exchange.reset(H2_CODES.REFUSED_STREAM)
  if (effect.rst !== undefined) return exchange.reset(H2_CODES[effect.rst])
  exchange.answer(answer)
}

/**
 * Ends the connection as a gateway does. `max` announces the end and goes on serving what is under way. `middle` and
 * `zero` first gather some requests, so that there is something to leave unprocessed: of those, `middle` settles the
 * older half, `zero` none; the others were never seen by the gateway. On HTTP/1.1 it is a normal answer.
 */
function leave(exchange: Exchange, goaway: NonNullable<Effect['goaway']>, settle: () => void): void {
  const { link } = exchange
  const session = link.session
  if (!session || link.left) return settle()
  link.left = true
  const code = H2_CODES[goaway.code ?? 'NO_ERROR']
  const data = goaway.reason === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify({ reason: goaway.reason }))
  if (goaway.last === 'max') {
    session.goaway(code, HIGHEST_STREAM, data)
    settle()
    setTimeout(() => session.close(), LEAVE_MS).unref()
    return
  }
  const held: { id: number; settle: () => void }[] = []
  const take = (one: Exchange, settle: () => void) => {
    held.push({ id: one.streamId, settle })
    if (held.length >= (goaway.hold ?? HOLD)) finish()
  }
  const timer = setTimeout(finish, HOLD_MS)
  link.gathering = { take }
  take(exchange, settle)

  function finish(): void {
    if (!link.gathering) return
    clearTimeout(timer)
    link.gathering = undefined
    if (goaway.last === 'zero') {
      link.lastProcessed = 0
      return refuseAll(link, code, data)
    }
    if (session!.destroyed) return
    held.sort((a, b) => a.id - b.id)
    // Nothing is below the first stream: alone, it is processed.
    const half = held[0]!.id === 1 ? Math.ceil(held.length / 2) : Math.floor(held.length / 2)
    const processed = held.slice(0, half)
    const last = processed.at(-1)?.id ?? held[0]!.id - 2
    session!.goaway(code, last, data)
    link.lastProcessed = last
    for (const one of processed) one.settle()
    setTimeout(() => session!.destroy(), LEAVE_MS).unref()
  }
}

function refuseAll(link: Link, code: number, data: Buffer): void {
  const frame = goawayFrame(0, code, data)
  if (link.sealWith) link.sealWith(frame)
  // Made before the plan asked for it: then the nearest thing to "nothing was processed" is no word at all.
  else link.session?.destroy()
}

/** RFC 9113 section 6.8. */
function goawayFrame(last: number, code: number, data: Buffer): Buffer {
  const head = Buffer.alloc(17)
  head.writeUIntBE(8 + data.length, 0, 3)
  head[3] = 7
  head.writeUInt32BE(last, 9)
  head.writeUInt32BE(code, 13)
  return Buffer.concat([head, data])
}
