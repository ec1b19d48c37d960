import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError, ERRORS, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import type { CommandEvent } from './command-request.ts'
import type { CommandDone, CommandPerson, CommandRunner } from './command-runner.ts'
import type { ReceivedCommand } from './command-upload.ts'

/** Commands that run at once, in this thread and of one person. */
const MOST = 16
const MOST_OF_ONE = 4
/** Interval of signs of life. */
const ALIVE_MS = 15_000
/** A caller who reads nothing for this time is gone. */
const PATIENCE_MS = 60_000
/** The time (ms) in which somebody who has no access any more can read why. */
const GOODBYE_MS = 2000
/** No command runs longer. */
const LONGEST_MS = 86_400_000

interface Running {
  /** Counts by the id of the person. */
  people: Map<number, number>
  all: number
}

const runs = new WeakMap<Program, Running>()

/** The refusal when there are too many. Nobody knows when a command ends; most take a moment. */
const tooMany = (message: string) => new AppError('too_many', message, { headers: { 'Retry-After': '1' } })

/** Takes a place for one more command of this person, and returns a function that gives it back. Throws `too_many`. */
export function enterCommand(program: Program, person: number): () => void {
  const running = runs.get(program) ?? { people: new Map<number, number>(), all: 0 }
  runs.set(program, running)
  const own = running.people.get(person) ?? 0
  if (own >= MOST_OF_ONE) {
    throw tooMany(`${MOST_OF_ONE} commands of this person run at once: wait until one ends`)
  }
  if (running.all >= MOST) {
    throw tooMany(`${MOST} commands run at once on this server: wait until one ends`)
  }
  running.people.set(person, own + 1)
  running.all++
  let isIn = true
  return () => {
    if (!isIn) return
    isIn = false
    running.all--
    const left = running.people.get(person)! - 1
    if (left > 0) running.people.set(person, left)
    else running.people.delete(person)
  }
}

const lineOf = (event: CommandEvent) => `${JSON.stringify(event)}\n`

/** Runs a command and returns what it says, as lines of JSON. Its files are deleted when it has ended. */
export function streamCommand(
  program: Program,
  runner: CommandRunner,
  parts: {
    command: ReceivedCommand
    person: CommandPerson
    audit(done: CommandDone): Promise<void>
    /** Calls back when the person has no access any more; returns a function that ends the watch. */
    watch(ended: (why: AppError) => void): () => void
  },
): PassThrough {
  const { command, person, audit, watch } = parts
  const { log } = program.kernel
  const stream = new PassThrough()
  const gone = new AbortController()
  const ended = new AbortController()
  stream.once('close', () => gone.abort())
  stream.on('error', () => {})
  const unwatch = watch((why) => {
    ended.abort(why)
    gone.abort()
    if (stream.writableEnded) return
    stream.write(lineOf({ err: `appsvc: ${why.message}\n` }))
    stream.end(lineOf({ exit: ERRORS[why.code].exit }))
    // Whoever does not read that is cut off.
    setTimeout(() => stream.destroy(), GOODBYE_MS).unref()
  })

  async function say(event: CommandEvent): Promise<void> {
    if (stream.destroyed || stream.writableEnded) throw new Error('the caller is gone')
    if (stream.write(lineOf(event))) return
    // It rejects for a caller that is gone, too.
    const impatient = AbortSignal.any([gone.signal, AbortSignal.timeout(PATIENCE_MS)])
    await once(stream, 'drain', { signal: impatient }).catch(() => void (ended.signal.aborted || stream.destroy()))
    if (stream.destroyed || ended.signal.aborted) throw new Error('the caller is gone')
  }

  const alive = setInterval(() => void say({ alive: true }).catch(() => {}), ALIVE_MS)
  const longest = setTimeout(() => stream.destroy(), LONGEST_MS)
  alive.unref()
  longest.unref()

  async function run(): Promise<void> {
    try {
      await say({ hello: { version: packageJson.version } })
      await runner({ program, command, person, signal: gone.signal, ended: ended.signal, unwatch, say, audit })
      if (!stream.writableEnded) stream.end()
    } catch (error) {
      if (!gone.signal.aborted) log.error({ error: messageOf(error) }, 'a command from another machine broke off')
      if (!ended.signal.aborted) stream.destroy()
    } finally {
      unwatch()
      clearInterval(alive)
      clearTimeout(longest)
      await command.discard().catch(() => {})
    }
  }
  void run()
  return stream
}
