import { Readable, Writable } from 'node:stream'
import { AppError, ERRORS } from '../../platform/errors.ts'
import type { CommandEvent, CommandRequest } from '../../server/admin/command-request.ts'
import type {
  CommandDone,
  CommandJob,
  CommandPerson,
  CommandRight,
  CommandRunner,
} from '../../server/admin/command-runner.ts'
import { findApp } from '../input/app.ts'
import { Admitted, type Caller, type Want, Wanted } from '../process/caller.ts'
import type { Io } from '../process/io.ts'
import { type Asked, askedOf } from './asked.ts'
import { createGate, type Gate } from './gate.ts'
import { HERE_ONLY, named, ONLY_THERE, PLACES, type Served, STORES_URL } from './rights.ts'
import { endOfFlags, namelessWords, spokenWords } from './spoken.ts'

/** Roles that have a right, for the sentence that refuses. */
const ROLES: Record<CommandRight, string> = {
  see: 'any role',
  campaign: 'marketer or owner',
  operate: 'operator or owner',
  own: 'owner',
}

/** Exit code of a refused run. */
const REFUSED = ERRORS.forbidden.exit
/** Events that are kept of a command before its right was checked, which is what may refuse it. */
const MOST_HELD = 100
/** The variables of the environment that a command sees: they change the output, and none is the server's. */
const VARIABLES = ['NO_COLOR', 'TERM', 'npm_command'] as const

/**
 * Runs command lines in the server, for people on other machines. `runCommandLine` is that of run.ts, which is handed over
 * because run.ts imports the command that starts the server.
 */
export function createCommandRunner(runCommandLine: (argv: string[], io: Io) => Promise<number>): CommandRunner {
  return async (job) => {
    const { request } = job.command
    const gate = createGate(job.ended)
    const voice = behindGate(gate, job.say)
    const streams = streamsTo({ request, say: voice.say })
    const isCut = () => [streams.stdout, streams.stderr].some(({ errored }) => errored === TOO_MUCH)
    const { caller, told } = callerOf({ ...job, say: voice.say }, gate, () => flushed(streams))
    const environment = Object.fromEntries(VARIABLES.map((name) => [name, request.variables[name] ?? undefined]))
    let exit = await runCommandLine([...request.words], { ...streams, environment, caller })
    await flushed(streams)
    if (job.ended.aborted) exit = REFUSED
    if (isCut()) {
      await job.say({ err: `appsvc: ${TOO_MUCH.message}\n` })
      exit = ERRORS.unavailable.exit
    }
    if (told.want) return job.say({ want: told.want })
    if (job.onlyAdmit && gate.isOpen()) return job.say({ exit: 0 })
    if (!gate.isOpen()) {
      const refusal = voice.held()
      // It has said nothing yet and may not.
      if (exit === 0) {
        job.program.kernel.log.error({ command: told.id }, 'a command ended well without its right being checked')
        refusal.splice(0, refusal.length, { err: 'appsvc: the right to run this command was not checked\n' })
        exit = REFUSED
      }
      await job.audit(noteOf(request.words, told, { exit, isRefused: true }))
      for (const event of refusal) await job.say(event)
      return job.say({ exit })
    }
    for (const event of voice.held().splice(0)) await job.say(event)
    if (told.served?.writes) job.program.kernel.wake()
    await job.audit(noteOf(request.words, told, { exit, isRefused: false }))
    await job.say({ exit })
  }
}

/** The note of a run in the audit log. Pure. */
function noteOf(
  words: readonly string[],
  { id, served, asks, appId }: Told,
  { exit, isRefused }: { exit: number; isRefused: boolean },
): CommandDone {
  const known = id?.split(':').length ?? 0
  return {
    action: id?.replaceAll(':', '.') ?? 'commands.unknown',
    appId,
    words: isRefused || served?.people ? namelessWords(words, known) : spokenWords(words),
    exit,
    isRefused,
    // Exports change nothing, but who took personal data out belongs in the log each time.
    isNotedAlways: !isRefused && (served?.writes === true || asks?.isNoted === true),
  }
}

interface Told {
  want: Want | undefined
  id: string | undefined
  served: Served | undefined
  asks: Asked | undefined
  appId: number | null
}

/** Says nothing while the gate is shut: events from before are held back for a refusal. */
function behindGate(gate: Gate, say: CommandJob['say']): { say: CommandJob['say']; held(): CommandEvent[] } {
  const held: CommandEvent[] = []
  return {
    held: () => held,
    async say(event) {
      if (gate.isOpen()) {
        for (const earlier of held.splice(0)) await say(earlier)
        return say(event)
      }
      if (held.length < MOST_HELD) held.push(event)
    },
  }
}

function callerOf(job: CommandJob, gate: Gate, flush: () => Promise<void>) {
  const { program, command, person, signal, say } = job
  const { request, paths } = command
  const told: Told = { want: undefined, id: undefined, served: undefined, asks: undefined, appId: null }
  const want = (wanted: Want): Wanted => {
    told.want = wanted
    return new Wanted(wanted)
  }
  const open = () => {
    gate.open()
    if (job.onlyAdmit) throw new Admitted()
    if (told.served!.endsAccess) job.unwatch()
    person.began?.(told.appId)
  }
  const outputs = new Map(request.outputs.map(({ name, error }) => [name, error]))
  const unread = new Map(request.files.flatMap(({ name, error }) => (error ? [[name, error] as const] : [])))
  let answered = 0
  const sees = (appId: number) => person.sees(appId)

  const caller: Caller = {
    program: gate.guarded(program),
    signal,
    begin(id, words) {
      told.id = id
      const served = servedOf(id)
      const asks = askedOf(served)
      told.served = served
      told.asks = asks
      refuseLocalFlags(id, words)
      if (asks.isConfirmed && !person.isConfirmed) throw new AppError('forbidden', `${named(id)} ${UNCONFIRMED}`)
      if (served.in === 'app') return
      if (served.in === 'server') refuseUnless(person, asks.right, null, id)
      open()
    },
    sees,
    async isApp(ref) {
      return (await program.apps.list()).some(({ id, name }) => sees(id) && (String(id) === ref || name === ref))
    },
    async admit(ref) {
      const chosen = await findApp(program, ref, sees)
      const { id, served, asks } = told
      told.appId = chosen.id
      refuseUnless(person, asks!.right, chosen.id, id!)
      if (served!.people && person.isMasked(chosen.id)) throw new AppError('forbidden', `${named(id!)} ${MASKED}`)
      open()
      return chosen
    },
    pathOf(file) {
      gate.pass()
      const path = paths.get(file)
      if (path !== undefined) return path
      const error = unread.get(file)
      throw error ? systemError(error) : want({ file })
    },
    expectOutput(file, mode) {
      gate.pass()
      if (!outputs.has(file)) throw want({ output: file, mode })
      const error = outputs.get(file)
      if (error) throw systemError(error)
    },
    openOutput(output, mode, kept) {
      caller.expectOutput(output, mode)
      const begun = flush().then(() => say({ open: { output, kept } }))
      begun.catch(() => {})
      return {
        async put(position, bytes) {
          await begun
          await say({ put: { output, position, bytes: Buffer.from(bytes).toString('base64') } })
        },
        async close() {
          await begun
          await say({ close: { output } })
        },
      }
    },
    async answer(question) {
      gate.pass()
      await flush()
      const given = request.answers[answered]
      if (given === undefined) throw want({ answer: question })
      await say({ answered: answered++ })
      return given
    },
  }
  return { caller, told }
}

const MASKED = 'shows personal data, which your role does not see'
const UNCONFIRMED = 'needs a personal token with the scope confirmed'

/** Throws `usage` for a command that runs on the machine itself. */
function servedOf(id: string): Served {
  const place = PLACES[id]
  if (typeof place === 'object') return place
  throw new AppError('usage', `${named(id)} ${place === 'anywhere' ? 'needs no server' : ONLY_THERE}`)
}

/** Throws `usage` for a flag that leads to files, keys and settings of the server, or to servers that it would call. */
function refuseLocalFlags(id: string, words: readonly string[]): void {
  const flags: readonly string[] = STORES_URL.includes(id) ? HERE_ONLY : [...HERE_ONLY, 'url']
  for (const word of words.slice(0, endOfFlags(words))) {
    const flag = /^--([a-z-]+)(?:=|$)/.exec(word)?.[1]
    if (flag !== undefined && flags.includes(flag))
      throw new AppError('usage', `--${flag} cannot be combined with a server on another machine`)
  }
}

function refuseUnless(person: CommandPerson, right: CommandRight, appId: number | null, id: string): void {
  if (person.may(right, appId)) return
  const where = appId === null ? 'on the whole server' : `in app ${appId}`
  throw new AppError('forbidden', `${named(id)} needs the right "${right}" ${where} (${ROLES[right]})`)
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

type Streams = Pick<Io, 'stdin' | 'stdout' | 'stderr'>

function streamsTo({ request, say }: { request: CommandRequest; say: CommandJob['say'] }): Streams {
  const { stdin, stdout, stderr, columns } = request.terminal
  const width = columns == null ? {} : { columns }
  return {
    stdin: Object.assign(Readable.from([]), { isTTY: stdin }),
    stdout: Object.assign(
      streamTo(say, (piece) => (typeof piece === 'string' ? { out: piece } : { outBytes: piece.toString('base64') })),
      { isTTY: stdout, ...width },
    ),
    stderr: Object.assign(
      streamTo(say, (piece) => ({ err: piece.toString() })),
      { isTTY: stderr, ...width },
    ),
  }
}

/** Bytes that a command may have written and its caller has not read: commands wait long before. */
const MOST_UNREAD = 64 * 1024 * 1024
const TOO_MUCH = Object.assign(new Error('you read more slowly than the command writes: it was broken off'), {
  code: 'EPIPE',
})

/** A stream whose writes are events. It fails like a closed pipe when the caller is gone, or does not read. */
function streamTo(say: CommandJob['say'], eventOf: (piece: string | Buffer) => CommandEvent): Writable {
  const stream = new Writable({
    decodeStrings: false,
    write(piece: string | Buffer, _encoding, done) {
      if (piece.length === 0) return done()
      say(eventOf(piece)).then(
        () => done(),
        () => done(Object.assign(new Error('the caller is gone'), { code: 'EPIPE' })),
      )
    },
  })
  stream.on('error', () => {})
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = (...args: unknown[]) => {
    if (stream.writableLength > MOST_UNREAD) stream.destroy(TOO_MUCH)
    return write(...args)
  }
  return stream
}

/** Resolves when all written text has been sent. */
async function flushed({ stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>): Promise<void> {
  for (const stream of [stdout, stderr]) {
    if (stream.destroyed || stream.writableLength === 0) continue
    await new Promise<void>((resolve) => stream.write('', () => resolve()))
  }
}
