import { type Right, rightsIn } from '../../domain/admins/types.ts'
import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { NDJSON, type Person, post, Reply, type Route } from '../routing/route.ts'
import { noteCommand } from './command-audit.ts'
import type { CommandRequest } from './command-request.ts'
import { type CommandDone, type CommandPerson, type CommandRunner, commandRunnerOf } from './command-runner.ts'
import { enterCommand, streamCommand } from './command-stream.ts'
import { receiveCommand } from './command-upload.ts'
import { whileAllowed } from './while-allowed.ts'

/** Headers for an answer of which nothing on the way may keep a part until it has ended. */
const LIVE = { 'Content-Type': `${NDJSON}; charset=utf-8`, 'X-Accel-Buffering': 'no' }

export const commandRoutes: readonly Route[] = [
  post('/v1/commands', {
    area: 'admin',
    needs: 'person',
    // Each command asks for what the route with the same effect asks for (src/cli/remote/rights.ts), and notes itself in the audit log.
    right: 'self',
    transaction: false,
    reads: true,
    summary: 'Run a command of the command line, for appsvc with --url',
    description:
      'For the program `appsvc` with `--url`; the form is its own and changes with its versions. The file of the form is a line of JSON ' +
      '(words of the command line, terminal, files, answers) and the bytes of the files behind it. The answer is NDJSON: what the ' +
      'command prints, line by line, and at the end its exit code or what it wants of the caller. Each command asks for a right of its ' +
      'own (docs/remote.md).',
    produces: NDJSON,
    also: {
      429: 'As many commands as may run at once are running',
      503: 'This server was started without commands, or has no room for the files',
    },
    headers: { 'X-Accel-Buffering': ['Tells proxies to pass each event on at once.', 'no'] },
    async upload({ program, person, remote }) {
      return receiveCommand({
        program,
        personId: person.id,
        admit: (request) => requireAdmitted({ program, person, remote }, request),
        leave: enterCommand(program, person.id),
      })
    },
    run: async ({ program, person, file, remote }) => {
      const inUse = commandPerson(person, program.kernel.clock.now())
      const stream = streamCommand(program, runnerOf(program), {
        command: file,
        person: inUse.person,
        audit: (done) => noteCommand(program, { person, remote }, done),
        watch: (end) => whileAllowed(program, { person, place: inUse.place, end }),
      })
      return new Reply(200, stream, LIVE)
    },
  }),
]

function runnerOf(program: Program): CommandRunner {
  const runner = commandRunnerOf(program)
  if (!runner) throw new AppError('unavailable', 'this server runs no commands', { headers: { 'Retry-After': '60' } })
  return runner
}

/** Throws `forbidden` unless the person may run the command, and `bad_request` for a text that is no command line. */
async function requireAdmitted(
  { program, person, remote }: { program: Program; person: Person; remote: string },
  request: CommandRequest,
): Promise<void> {
  const runner = runnerOf(program)
  const said: string[] = []
  let exit = 0
  await runner({
    program: program,
    command: { request, paths: new Map() },
    person: commandPerson(person, program.kernel.clock.now()).person,
    signal: NEVER,
    ended: NEVER,
    unwatch() {},
    onlyAdmit: true,
    async say(event) {
      if ('err' in event) said.push(event.err)
      if ('exit' in event) exit = event.exit
    },
    audit: (done: CommandDone) => noteCommand(program, { person, remote }, done),
  })
  if (exit === 0) return
  const why = said
    .join('')
    .replace(/^appsvc: /, '')
    .trim()
  throw new AppError(exit === USAGE ? 'bad_request' : 'forbidden', why)
}

const NEVER = new AbortController().signal
/** Exit code of a command line that makes no sense. */
const USAGE = 64

/** A person's rights in every app, and on the whole server; `place` is where they are needed since the command began. */
function commandPerson({ id, roles, tokenApp, tokenScopes, session }: Person, now: number) {
  const mayHere = (appId: number | null) => tokenApp === undefined || tokenApp === appId
  const rights = (appId: number | null): readonly Right[] => (mayHere(appId) ? rightsIn(roles, appId) : [])
  let place: { appId: number | null; rights: readonly Right[] } = { appId: null, rights: [] }
  const person: CommandPerson = {
    id,
    isMasked: (appId) => !rights(appId).some((right) => right === 'campaign' || right === 'operate'),
    isConfirmed: tokenScopes?.includes('confirmed') ?? (session !== undefined && session.freshUntil > now),
    may: (right, appId) => rights(appId).includes(right) && (tokenScopes === undefined || tokenScopes.includes(right)),
    sees: (appId) => rights(appId).length > 0,
    began(appId) {
      // All of them, because what is shown masked and what is not depends on others, too.
      place = { appId, rights: rights(appId) }
    },
  }
  return { person, place: () => place }
}
