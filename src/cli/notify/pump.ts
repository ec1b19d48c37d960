import type { Coverage } from '../../domain/notifications/personal/coverage.ts'
import { isAppError } from '../../platform/errors.ts'
import { coverageInWords } from '../output/coverage-words.ts'
import { type Output, printable } from '../output/output.ts'
import { countOf } from '../output/plural.ts'
import { type Progress, startProgress } from '../output/progress.ts'
import { Interrupted, type Interruption } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import type { InAppPreview } from './in-app.ts'
import { type Deliver, isTaken, type Kind, type Result, resultOf, wantsConfirmation } from './result.ts'
import type { Parsed, Values } from './values.ts'

/** Maximum size of the values that are handed over and have no result yet. */
const MAX_BYTES = 16 * 1024 * 1024

interface Job {
  kind: Kind
  values: Values
  deliver: Deliver
  /** Maximum number of values handed over at once. */
  atOnce: number
  out: Output
  io: Io
  dryRun: boolean
  interruption: Interruption
  /** Set if there is a terminal to ask on. A send that is refused for lack of a confirmation is retried with the number that was typed. */
  ask?: Output['ask'] | undefined
}

/** A value that is handed over. */
interface Handed {
  parsed: Parsed
  result: Promise<Result>
  /** The result, once it is there. */
  settled?: Result
}

/** Delivers every value and writes one result for each, in the order of the input and as soon as it is there. */
export async function pump(job: Job): Promise<{ sent: number; refused: number }> {
  const { kind, values, deliver, atOnce, out, io, interruption } = job
  const progress = await startProgress(io, kind.noun)
  const results = resultsOf(job, progress)
  const waiting: Handed[] = []
  let bytesWaiting = 0

  /** Waits for the oldest value and writes its result, and those behind it that are there. */
  async function settle(): Promise<void> {
    await waiting[0]!.result
    const done: Handed[] = []
    // A question about one is asked before the next one is shown.
    while (waiting[0]?.settled && (done.length === 0 || !job.ask)) {
      const one = waiting.shift()!
      bytesWaiting -= one.parsed.bytes
      done.push(one)
    }
    await results.write(done)
  }

  const reader = interruption.guard(values)
  const read = () => {
    const next = reader.next()
    // Handled when its turn comes; until then it must not count as an unhandled rejection.
    next.catch(() => {})
    return next
  }
  try {
    let next: ReturnType<typeof read> | undefined = read()
    while (next || waiting.length > 0) {
      const isFull = waiting.length >= atOnce || bytesWaiting >= MAX_BYTES
      const came: IteratorResult<Parsed> | undefined = next && !isFull ? await firstOf(next, waiting[0]) : undefined
      if (came === undefined) await settle()
      else if (came.done) next = undefined
      else {
        waiting.push(handOver(kind, came.value, deliver))
        bytesWaiting += came.value.bytes
        next = read()
      }
    }
  } catch (error) {
    if (error instanceof Interrupted) {
      // What was handed over is finished, so that nobody has to guess.
      while (waiting.length > 0) await settle()
      out.note(stoppedAfter(results.last()))
    }
    if (isAppError(error) && error.code === 'unavailable' && waiting.length > 0 && results.count() + waiting.length > 1)
      out.note(
        `stopped at ${placeOf(waiting[0]!.parsed)}: it is unknown whether this and the following ${waiting.length - 1} were accepted`,
      )
    throw error
  } finally {
    progress.stop()
    // Not awaited: it may be waiting for input that does not come.
    void reader.return(undefined).catch(() => {})
  }
  return results.counts()
}

const QUESTION = 'How many recipients do you expect at most? (Enter a number to send, or nothing to skip) '

/** Writes results in the order of the input, and counts them. */
function resultsOf({ kind, values, deliver, out, dryRun, ask }: Job, progress: Progress) {
  let bytesDone = 0
  let sent = 0
  let refused = 0
  let last: Parsed | undefined

  /** Set when somebody pressed Ctrl-C at a question: then no other is asked. */
  let stopped: Interrupted | undefined

  /** Asks for the missing confirmation and delivers the value again with it. */
  async function confirmed(parsed: Parsed, first: Result): Promise<Result> {
    let result = first
    while (ask && !stopped && 'value' in parsed && wantsConfirmation(result)) {
      progress.pause()
      out.note(`${placeOf(parsed)}: confirm ${result.errors.confirm.join(', ')}`)
      const expected = await ask(QUESTION).catch((error: unknown) => {
        if (!(error instanceof Interrupted)) throw error
        stopped = error
        return undefined
      })
      if (expected === undefined || !/^\d{1,10}$/.test(expected)) return result
      result = await deliver({ ...(parsed.value as object), confirm: Number(expected) })
    }
    return result
  }

  function writeOne(result: Result, parsed: Parsed): void {
    const { line, item } = parsed
    out.value({ line, ...(item !== undefined && { item }), ...result })
    if (!out.json) for (const text of describe(kind, result, placeOf(parsed), out, dryRun)) out.line(text)
    if (isTaken(result)) sent++
    else refused++
    bytesDone += parsed.bytes
    last = parsed
  }

  return {
    async write(done: readonly Handed[]): Promise<void> {
      const before = stopped
      const final: [Result, Parsed][] = []
      for (const { parsed, settled } of done) final.push([await confirmed(parsed, settled!), parsed])
      out.together(() => {
        for (const [result, parsed] of final) writeOne(result, parsed)
      })
      progress.update(sent + refused, undefined, values.size ? Math.min(1, bytesDone / values.size) : undefined)
      await out.drained()
      if (stopped !== before) throw stopped
    },
    count: () => sent + refused,
    counts: () => ({ sent, refused }),
    /** The last value that has its result. */
    last: () => last,
  }
}

/** The one that comes first: the next value, or undefined for the result of the oldest one that waits. */
async function firstOf(
  next: Promise<IteratorResult<Parsed>>,
  oldest: Handed | undefined,
): Promise<IteratorResult<Parsed> | undefined> {
  if (oldest === undefined) return next
  if (oldest.settled) return undefined
  return Promise.race([next, oldest.result.then(() => undefined)])
}

/** The remark of a job that was interrupted behind this value. */
function stoppedAfter(last: Parsed | undefined): string {
  if (!last) return 'nothing was sent'
  if (last.item !== undefined)
    return `stopped after item ${last.item} of the list in line ${last.line}: continue with the items behind it`
  return `stopped after line ${last.line}: continue with the same command and --from-line ${last.line + 1}`
}

/** The number of a value for people: its place in a list, or else its line. */
function placeOf({ line, item }: Parsed): number {
  return item ?? line
}

function handOver(kind: Kind, parsed: Parsed, deliver: Deliver): Handed {
  const result = start(kind, parsed, deliver)
  const handed: Handed = { parsed, result }
  // An error is handled when its turn comes.
  result.then(
    (settled) => (handed.settled = settled),
    () => {},
  )
  return handed
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
  const series = result.series as { id: number; next: readonly string[] } | undefined
  return [
    `${out.paint('green', `${result.status}`)} ${number}: ${kind.noun} ${id}${name ? ` (${printable(name)})` : ''} is ${state}`,
    ...(series ? [`  series ${series.id} repeats it`, ...nextLine(series.next)] : []),
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
  next?: string[]
  gateways: {
    platform: string
    recipients: number
    configured: boolean
    request: { headers: object; payload: unknown; bytes: number; limit: number } | null
  }[]
  warnings?: string[]
  personalization?: Omit<Coverage, 'unknown'>
}

const GET = { notification: 'be reached', message: 'get it' } as const

function inAppPreview({
  recipients,
  first,
  pushes,
  confirm,
  content,
  next,
  as,
  warnings = [],
  personalization: coverage,
}: InAppPreview): string[] {
  const names = first.map(printable).join(', ')
  return [
    `  ${countOf(recipients, 'user')}${names ? ` (${names}${recipients > first.length ? ', …' : ''})` : ''}`,
    ...(pushes > 0
      ? [`  ${pushes === 1 ? '1 install gets' : `${pushes} installs get`} the push that announces it`]
      : []),
    ...confirmLine(confirm),
    ...nextLine(next),
    ...coverageLines(coverage),
    ...warnings.map((warning) => `  warning: ${printable(warning)}`),
    ...(as ? [asLine(as, content !== null)] : []),
    ...(content === null ? [] : [`  ${printable(JSON.stringify(content))}`]),
  ]
}

function coverageLines(coverage: Parameters<typeof coverageInWords>[0] | undefined): string[] {
  return coverage ? coverageInWords(coverage).map((line) => `  ${line}`) : []
}

function nextLine(next: readonly string[] | undefined): string[] {
  if (next === undefined) return []
  return [`  its next times: ${next.join(', ') || 'none'}`]
}

/** Says as whom a message that differs between users is shown. */
function asLine({ user, language, missing }: NonNullable<InAppPreview['as']>, gets: boolean): string {
  const words = [
    gets ? `as ${user} gets it` : `${user} would get nothing`,
    ...(language === null ? [] : [`in the language ${language}`]),
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`]),
  ]
  return `  ${printable(words.join('; '))}`
}

function confirmLine(confirm: number | null): string[] {
  return confirm === null ? [] : [`  this app requires confirmation: add "confirm": ${confirm} or more`]
}

function preview(kind: Kind, value: unknown): string[] {
  if (kind.key === 'message') return inAppPreview(value as InAppPreview)
  const { recipients, confirm, gateways, next, warnings = [], personalization: coverage } = value as Preview
  return [
    `  ${countOf(recipients, 'recipient')}`,
    ...confirmLine(confirm),
    ...nextLine(next),
    ...gateways.flatMap(({ platform, recipients, configured, request }) => [
      `  ${platform}: ${countOf(recipients, 'recipient')}${configured ? '' : ', but this gateway is not configured'}`,
      ...(request
        ? [
            ...Object.entries(request.headers).map(([name, value]) => `    ${name}: ${printable(String(value))}`),
            `    ${printable(JSON.stringify(request.payload))} (${request.bytes} of ${request.limit} bytes)`,
          ]
        : []),
    ]),
    ...coverageLines(coverage),
    ...warnings.map((warning) => `  warning: ${printable(warning)}`),
  ]
}
