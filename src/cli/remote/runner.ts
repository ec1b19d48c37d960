import { Readable, Writable } from 'node:stream'
import { AppError } from '../../platform/errors.ts'
import type { CommandEvent } from '../../server/admin/command-request.ts'
import type { CommandJob, CommandPerson, CommandRight, CommandRunner } from '../../server/admin/command-runner.ts'
import type { Io } from '../io.ts'
import { type Caller, type Want, Wanted } from './caller.ts'
import { named, ONLY_THERE, PLACES, type Served } from './rights.ts'

/** Which roles have a right, for the sentence that refuses. */
const ROLES: Record<CommandRight, string> = {
  see: 'any role',
  campaign: 'marketer or owner',
  operate: 'operator or owner',
  own: 'owner',
}

/**
 * Runs command lines in the server, for people on other machines. `runCommandLine` is that of run.ts, which is handed over
 * because run.ts imports the command that starts the server.
 */
export function createCommandRunner(runCommandLine: (argv: string[], io: Io) => Promise<number>): CommandRunner {
  return async (job) => {
    const { app, say, command } = job
    const { request } = command
    const streams = streamsTo(job)
    const { caller, told } = callerOf(job, () => flushed(streams))
    const io: Io = { ...streams, environment: request.variables, caller }
    const exit = await runCommandLine([...request.words], io)
    await flushed(streams)
    if (told.want) return say({ want: told.want })
    if (told.command && told.command.served.writes && told.isAdmitted) {
      const { id, served } = told.command
      const words = served.people ? nameless(request.words, id) : request.words
      app.kernel.wake()
      await job.audit({ action: id.replaceAll(':', '.'), appId: told.appId, words, exit })
    }
    await say({ exit })
  }
}

/**
 * A command line for the audit log, which outlives the people whom it is about: `users erase … --app … --yes`. Pure.
 */
function nameless(words: readonly string[], id: string): string[] {
  const known = id.split(':').length
  return words.map((word, i) => (i < known ? word : word.startsWith('--') ? word.replace(/=.*/, '=…') : '…'))
}

interface Told {
  want: Want | undefined
  command: { id: string; served: Served } | undefined
  isAdmitted: boolean
  appId: number | null
}

function callerOf({ app, command, person, signal, say }: CommandJob, flush: () => Promise<void>) {
  const { request, paths } = command
  const told: Told = { want: undefined, command: undefined, isAdmitted: false, appId: null }
  const want = (wanted: Want): Wanted => {
    told.want = wanted
    return new Wanted(wanted)
  }
  const outputs = new Map(request.outputs.map(({ name, error }) => [name, error]))
  const unread = new Map(request.files.flatMap(({ name, error }) => (error ? [[name, error] as const] : [])))
  let answered = 0

  const caller: Caller = {
    app,
    signal,
    begin(id) {
      const served = servedOf(id)
      told.command = { id, served }
      if (served.confirmed && !person.isConfirmed) throw new AppError('forbidden', `${named(id)} ${UNCONFIRMED}`)
      if (served.in === 'app') return
      if (served.in === 'server') refuseUnless(person, served.right, null, id)
      told.isAdmitted = true
    },
    sees: (appId) => person.sees(appId),
    admit(appId) {
      const { id, served } = told.command!
      refuseUnless(person, served.right, appId, id)
      if (served.people && person.isMasked(appId)) throw new AppError('forbidden', `${named(id)} ${MASKED}`)
      told.isAdmitted = true
      told.appId = appId
    },
    pathOf(file) {
      const path = paths.get(file)
      if (path !== undefined) return path
      const error = unread.get(file)
      throw error ? systemError(error) : want({ file })
    },
    expectOutput(file, mode) {
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

function refuseUnless(person: CommandPerson, right: CommandRight, appId: number | null, id: string): void {
  if (person.may(right, appId)) return
  const where = appId === null ? 'on the whole server' : `in app ${appId}`
  throw new AppError('forbidden', `${named(id)} needs the right "${right}" ${where} (${ROLES[right]})`)
}

function systemError(code: string): NodeJS.ErrnoException {
  return Object.assign(new Error(code), { code })
}

type Streams = Pick<Io, 'stdin' | 'stdout' | 'stderr'>

function streamsTo({ command: { request }, say }: CommandJob): Streams {
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

/** A stream whose writes are events. It fails like a closed pipe when the caller is gone. */
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
  return stream
}

/** Resolves when all that was written is said. */
async function flushed({ stdout, stderr }: Pick<Streams, 'stdout' | 'stderr'>): Promise<void> {
  for (const stream of [stdout, stderr]) {
    if (stream.destroyed || stream.writableLength === 0) continue
    await new Promise<void>((resolve) => stream.write('', () => resolve()))
  }
}
