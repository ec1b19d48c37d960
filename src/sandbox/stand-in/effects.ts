import type { Answer, Exchange, Link } from './exchange.ts'
import { type Effect, H2_CODES } from './plan.ts'

const HOLD_MS = 50
const HOLD = 10
const MAX_STREAM_ID = 2 ** 31 - 1
/** How long an announced end waits for requests in flight. */
const LEAVE_MS = 1000

/** Whether the device receives the message although the answer is lost. */
export function isTaken(effect: Effect | undefined): boolean {
  if (effect === undefined) return true
  if (effect.taken !== undefined) return effect.taken
  return !(effect.hang || effect.refuseStream || effect.rst !== undefined)
}

/** A short description of the effect, for the list of received messages. */
export function describeEffect(effect: Effect): string | undefined {
  if (effect.hang) return 'no answer'
  if (effect.cutBeforeAnswer) return 'cut before the answer'
  if (effect.cutInsideAnswer) return 'cut inside the answer'
  if (effect.shortBody) return 'answer cut short'
  if (effect.refuseStream) return 'stream refused'
  if (effect.rst !== undefined) return `stream reset ${effect.rst}`
  return undefined
}

/** Whether a rule sets the answer itself, not only how it is delivered. */
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

/** Settles the exchange: at once, or as part of the GOAWAY that the effect names. */
export function settleWith(exchange: Exchange, effect: Effect | undefined, settle: () => void): void {
  if (effect?.goaway) leave(exchange, effect.goaway, settle)
  else settle()
}

/** Answers the exchange according to the effect. */
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
 * Ends the connection as a gateway does. `max` announces the end and finishes requests in flight. `middle` and `zero`
 * first collect some requests, so that some can stay unprocessed: `middle` settles the older half, `zero` none; the
 * gateway never saw the others. On HTTP/1.1 the request gets a normal answer.
 */
function leave(exchange: Exchange, goaway: NonNullable<Effect['goaway']>, settle: () => void): void {
  const { link } = exchange
  const session = link.session
  if (!session || link.left) return settle()
  link.left = true
  const code = H2_CODES[goaway.code ?? 'NO_ERROR']
  const data = goaway.reason === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify({ reason: goaway.reason }))
  if (goaway.last === 'max') {
    session.goaway(code, MAX_STREAM_ID, data)
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
    // No stream id is below the first, so a single request is processed.
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
  // The connection is older than the plan and cannot send this frame. Closing it without an answer comes closest to
  // "nothing was processed".
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
