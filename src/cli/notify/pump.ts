import type { Io } from '../io.ts'
import { type Output, printable } from '../output.ts'
import { startProgress } from '../progress.ts'
import { type Deliver, isTaken, type Result } from './result.ts'
import type { Parsed, Values } from './values.ts'

/** So many notifications, or so many bytes of them, are under way at once: they share transactions, and memory stays flat. */
const MOST_AT_ONCE = 64
const MOST_BYTES = 16 * 1024 * 1024

interface Job {
  values: Values
  deliver: Deliver
  out: Output
  io: Io
  dryRun: boolean
}

/** Delivers every value and writes one result for each, in the order of the input. */
export async function pump({ values, deliver, out, io, dryRun }: Job): Promise<{ sent: number; refused: number }> {
  const progress = await startProgress(io, values.size === undefined ? 'notifications' : 'bytes')
  const waiting: { result: Promise<Result>; bytes: number }[] = []
  let bytesWaiting = 0
  let bytesDone = 0
  let sent = 0
  let refused = 0

  async function settleOldest(): Promise<void> {
    const { result, bytes } = waiting.shift()!
    const settled = await result
    bytesWaiting -= bytes
    bytesDone += bytes
    if (isTaken(settled)) sent++
    else refused++
    write(settled, sent + refused)
    if (values.size === undefined) progress.update(sent + refused)
    else progress.update(bytesDone, values.size)
    await out.drained()
  }

  function write(result: Result, number: number): void {
    out.value(result)
    if (!out.json) for (const line of describe(result, number, out, dryRun)) out.line(line)
  }

  try {
    for await (const parsed of values) {
      while (waiting.length >= MOST_AT_ONCE || (waiting.length > 0 && bytesWaiting + parsed.bytes > MOST_BYTES))
        await settleOldest()
      const result = start(parsed, deliver)
      // A failure is met when its turn comes; until then it must not count as unhandled.
      result.catch(() => {})
      waiting.push({ result, bytes: parsed.bytes })
      bytesWaiting += parsed.bytes
    }
    while (waiting.length > 0) await settleOldest()
  } finally {
    progress.stop()
  }
  return { sent, refused }
}

function start(parsed: Parsed, deliver: Deliver): Promise<Result> {
  if ('errors' in parsed) return Promise.resolve({ status: 422, notification: null, errors: parsed.errors })
  return deliver(parsed.value)
}

/** A result in words. */
function describe(result: Result, number: number, out: Output, dryRun: boolean): string[] {
  const errors = Object.entries((result.errors ?? {}) as Record<string, unknown[]>)
  const problems = errors.map(
    ([key, list]) =>
      `  ${printable([key, list.slice(0, 5).join(', ')].filter(Boolean).join(': '))}${list.length > 5 ? ', …' : ''}`,
  )
  if (!isTaken(result)) {
    const what = result.status === 400 ? 'nobody who was named can be reached' : 'refused'
    return [`${out.paint('red', `${result.status}`)} ${number}: ${what}`, ...problems]
  }
  if (dryRun) return [`${out.paint('green', 'ok')} ${number}: would be sent`, ...preview(result.preview), ...problems]
  const { id, title } = result.notification as { id: number; title?: string }
  return [
    `${out.paint('green', `${result.status}`)} ${number}: notification ${id}${title ? ` (${printable(title)})` : ''} is queued`,
    ...problems,
  ]
}

interface Preview {
  recipients: number
  gateways: {
    platform: string
    recipients: number
    configured: boolean
    request: { headers: object; payload: unknown; bytes: number; limit: number } | null
  }[]
}

function preview(value: unknown): string[] {
  const { recipients, gateways } = value as Preview
  return [
    `  ${recipients} recipients`,
    ...gateways.flatMap(({ platform, recipients, configured, request }) => [
      `  ${platform}: ${recipients} recipients${configured ? '' : ', but this gateway is not configured'}`,
      ...(request
        ? [
            ...Object.entries(request.headers).map(([name, value]) => `    ${name}: ${printable(String(value))}`),
            `    ${printable(JSON.stringify(request.payload))} (${request.bytes} of ${request.limit} bytes)`,
          ]
        : []),
    ]),
  ]
}
