import { type Right, rightsIn } from '../../domain/admins/types.ts'
import { AppError } from '../../platform/errors.ts'
import { NDJSON, type Person, post, Reply, type Route } from '../route.ts'
import { auditOf } from './audited.ts'
import { type CommandDone, type CommandPerson, commandRunnerOf } from './command-runner.ts'
import { enterCommand, streamCommand } from './command-stream.ts'
import { receiveCommand } from './command-upload.ts'

/** Nothing on the way may keep what the command says until it has ended. */
const LIVE = {
  'Content-Type': `${NDJSON}; charset=utf-8`,
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}

export const commandRoutes: readonly Route[] = [
  post('/v1/commands', {
    area: 'admin',
    needs: 'person',
    // Each command names its own right (src/cli/remote/rights.ts), and notes itself in the audit log if it changes something.
    right: 'self',
    transaction: false,
    reads: true,
    summary: 'Run a command of the command line, for appsvc with --url',
    produces: NDJSON,
    also: {
      429: 'As many commands as may run at once are running',
      503: 'This server was started without commands',
    },
    headers: { 'X-Accel-Buffering': ['Tells proxies to pass each event on at once.', 'no'] },
    upload: async ({ host }) => receiveCommand(host.kernel),
    run: async ({ host, person, file, remote }) => {
      const runner = commandRunnerOf(host)
      if (!runner)
        throw new AppError('unavailable', 'this server runs no commands', { headers: { 'Retry-After': '60' } })
      const { leave } = enterCommand(host, person.id)
      const audit = async ({ action, appId, words, exit }: CommandDone) => {
        const details = { target: words.join(' '), after: { words, exit } }
        const entry = auditOf(action, { appId: appId ?? 0, person, remote, details })
        await host.inTransaction((tx) => tx.audit.record(entry))
      }
      const stream = streamCommand(host, runner, {
        command: file,
        person: commandPerson(person, host.kernel.clock.now()),
        audit,
        onEnd: leave,
      })
      return new Reply(200, stream, LIVE)
    },
  }),
]

/** A person's rights in every app, and on the whole server. */
function commandPerson({ id, roles, tokenApp, tokenScopes, session }: Person, now: number): CommandPerson {
  const mayHere = (appId: number | null) => tokenApp === undefined || tokenApp === appId
  const rights = (appId: number | null): readonly Right[] => (mayHere(appId) ? rightsIn(roles, appId) : [])
  return {
    id,
    isMasked: (appId) => !rights(appId).some((right) => right === 'campaign' || right === 'operate'),
    isConfirmed: tokenScopes?.includes('confirmed') ?? (session !== undefined && session.freshUntil > now),
    may: (right, appId) => rights(appId).includes(right) && (tokenScopes === undefined || tokenScopes.includes(right)),
    sees: (appId) => rights(appId).length > 0,
  }
}
