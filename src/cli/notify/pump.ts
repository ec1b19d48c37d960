import { isAppError } from '../../platform/errors.ts'
import { type Output, printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'
import { startProgress } from '../output/progress.ts'
import { Interrupted, type Interruption } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import type { InAppPreview } from './in-app.ts'
import { type Deliver, isTaken, type Kind, type Result, resultOf, wantsConfirmation } from './result.ts'
import type { Parsed, Values } from './values.ts'

/** Maximum number and size of values delivered at once. Concurrent deliveries share transactions; the limits bound memory. */
const MAX_AT_ONCE = 64
const MAX_BYTES = 16 * 1024 * 1024

interface Job {
  kind: Kind
  values: Values
  deliver: Deliver
  out: Output
  io: Io
  dryRun: boolean
  interruption: Interruption
  /** Set if there is a terminal to ask on: a send refused for lack of a confirmation is retried with the number typed. */
  ask?: Output['ask'] | undefined
}

/** Delivers every value and writes one result for each, in the order of the input. */
export async function pump({
  kind,
  values,
  deliver,
  out,
  io,
  dryRun,
  ask,
  interruption,
}: Job): Promise<{ sent: number; refused: number }> {
  const progress = await startProgress(io, kind.noun)
  const waiting: { result: Promise<Result>; parsed: Parsed }[] = []
  let bytesWaiting = 0
  let bytesDone = 0
  let sent = 0
  let refused = 0
  let last: Parsed | undefined

  async function settleOldest(): Promise<void> {
    const { result, parsed } = waiting.shift()!
    const settled = await confirmed(parsed, await result)
    bytesWaiting -= parsed.bytes
    bytesDone += parsed.bytes
    if (isTaken(settled)) sent++
    else refused++
    last = parsed
    write(settled, parsed)
    progress.update(sent + refused, undefined, values.size ? Math.min(1, bytesDone / values.size) : undefined)
    await out.drained()
  }

  /** Asks for the missing confirmation and delivers the value again with it. */
  async function confirmed(parsed: Parsed, first: Result): Promise<Result> {
    let result = first
    while (ask && 'value' in parsed && wantsConfirmation(result)) {
      progress.pause()
      out.note(`${placeOf(parsed)}: confirm ${result.errors.confirm.join(', ')}`)
      const expected = await ask(
        'How many recipients do you expect at most? (Enter a number to send, or nothing to skip) ',
      )
      if (expected === undefined || !/^\d{1,10}$/.test(expected)) return result
      result = await deliver({ ...(parsed.value as object), confirm: Number(expected) })
    }
    return result
  }

  function write(result: Result, parsed: Parsed): void {
    const { line, item } = parsed
    out.value({ line, ...(item !== undefined && { item }), ...result })
    if (!out.json) for (const text of describe(kind, result, placeOf(parsed), out, dryRun)) out.line(text)
  }

  try {
    for await (const parsed of interruption.guard(values)) {
      while (waiting.length >= MAX_AT_ONCE || (waiting.length > 0 && bytesWaiting + parsed.bytes > MAX_BYTES))
        await settleOldest()
      const result = start(kind, parsed, deliver)
      // Handled when its turn comes; until then it must not count as an unhandled rejection.
      result.catch(() => {})
      waiting.push({ result, parsed })
      bytesWaiting += parsed.bytes
    }
    while (waiting.length > 0) await settleOldest()
  } catch (error) {
    if (error instanceof Interrupted) {
      // What was handed over is finished, so that nobody has to guess.
      while (waiting.length > 0) await settleOldest()
      out.note(last ? `stopped after line ${last.line}: continue with the lines behind it` : 'nothing was sent')
    }
    const done = sent + refused
    if (isAppError(error) && error.code === 'unavailable' && done + waiting.length > 0)
      out.note(`stopped at ${done + 1}: it is unknown whether this and the following ${waiting.length} were accepted`)
    throw error
  } finally {
    progress.stop()
  }
  return { sent, refused }
}

/** The number of a value for people: its place in a list, or else its line. */
function placeOf({ line, item }: Parsed): number {
  return item ?? line
}

function start(kind: Kind, parsed: Parsed, deliver: Deliver): Promise<Result> {
  if ('errors' in parsed) return Promise.resolve(resultOf(kind, 422, null, parsed.errors))
  return deliver(parsed.value)
}

/** A result as lines of text. */
function describe(kind: Kind, result: Result, number: number, out: Output, dryRun: boolean): string[] {
  const errors = Object.entries((result.errors ?? {}) as Record<string, unknown[]>)
  const problems = errors.map(
    ([key, list]) =>
      `  ${printable([key, list.slice(0, 5).join(', ')].filter(Boolean).join(': '))}${list.length > 5 ? ', …' : ''}`,
  )
  if (!isTaken(result)) {
    const what = result.status === 400 ? `none of the named recipients can ${GET[kind.key]}` : 'refused'
    return [`${out.paint('red', `${result.status}`)} ${number}: ${what}`, ...problems]
  }
  if (dryRun)
    return [`${out.paint('green', 'ok')} ${number}: would be sent`, ...preview(kind, result.preview), ...problems]
  const { id, status, title, template } = result[kind.key] as Taken
  const name = title || template
  const state = status === SCHEDULED ? 'scheduled' : 'queued'
  return [
    `${out.paint('green', `${result.status}`)} ${number}: ${kind.noun} ${id}${name ? ` (${printable(name)})` : ''} is ${state}`,
    ...problems,
  ]
}

/** Status of a scheduled notification or message. */
const SCHEDULED = 0

interface Taken {
  id: number
  status: number
  title?: string
  template?: string
}

interface Preview {
  recipients: number
  confirm: number | null
  gateways: {
    platform: string
    recipients: number
    configured: boolean
    request: { headers: object; payload: unknown; bytes: number; limit: number } | null
  }[]
}

const GET = { notification: 'be reached', message: 'get it' } as const

function inAppPreview({ recipients, first, pushes, confirm, content }: InAppPreview): string[] {
  const names = first.map(printable).join(', ')
  return [
    `  ${countOf(recipients, 'user')}${names ? ` (${names}${recipients > first.length ? ', …' : ''})` : ''}`,
    ...(pushes > 0
      ? [`  ${pushes === 1 ? '1 install gets' : `${pushes} installs get`} the push that announces it`]
      : []),
    ...confirmLine(confirm),
    `  ${printable(JSON.stringify(content))}`,
  ]
}

function confirmLine(confirm: number | null): string[] {
  return confirm === null ? [] : [`  this app requires confirmation: add "confirm": ${confirm} or more`]
}

function preview(kind: Kind, value: unknown): string[] {
  if (kind.key === 'message') return inAppPreview(value as InAppPreview)
  const { recipients, confirm, gateways } = value as Preview
  return [
    `  ${countOf(recipients, 'recipient')}`,
    ...confirmLine(confirm),
    ...gateways.flatMap(({ platform, recipients, configured, request }) => [
      `  ${platform}: ${countOf(recipients, 'recipient')}${configured ? '' : ', but this gateway is not configured'}`,
      ...(request
        ? [
            ...Object.entries(request.headers).map(([name, value]) => `    ${name}: ${printable(String(value))}`),
            `    ${printable(JSON.stringify(request.payload))} (${request.bytes} of ${request.limit} bytes)`,
          ]
        : []),
    ]),
  ]
}
