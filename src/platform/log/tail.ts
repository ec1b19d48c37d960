import { BroadcastChannel } from 'node:worker_threads'

/** Lines that are kept, and the longest of them, in characters: two megabytes at most. */
const MOST_LINES = 1000
const LONGEST = 2000
/** More lines in a second than these are not kept: they repeat what the others say. */
const MOST_A_SECOND = 100
const CHANNEL = 'appsvc log'

const lines: string[] = []
let channel: BroadcastChannel | undefined
let second = 0
let inSecond = 0

/**
 * Keeps a line of the log (the JSON of an entry, not below `info`) in this thread, and tells the other threads of the program, which
 * keep it too once they have logged something themselves or asked for `latestLines`.
 */
export function keepLine(line: string): void {
  if (line.startsWith('{"level":"debug"')) return
  const now = Math.floor(performance.now() / 1000)
  if (now !== second) [second, inSecond] = [now, 0]
  if (++inSecond > MOST_A_SECOND) return
  const kept = line.length > LONGEST ? cutLine(line) : line.trimEnd()
  add(kept)
  open().postMessage(kept)
}

/** The newest lines of all threads, the oldest of them first. */
export function latestLines(): readonly string[] {
  open()
  return lines
}

/** An entry whose fields are too long keeps the message. */
function cutLine(line: string): string {
  const { level, time, msg } = JSON.parse(line) as Record<string, unknown>
  return JSON.stringify({ level, time, msg: String(msg).slice(0, LONGEST / 2), cut: true })
}

function add(line: string): void {
  lines.push(line)
  if (lines.length > MOST_LINES) lines.shift()
}

function open(): BroadcastChannel {
  if (channel) return channel
  channel = new BroadcastChannel(CHANNEL)
  channel.addEventListener('message', (event) => add(String((event as MessageEvent).data)))
  channel.unref()
  return channel
}
