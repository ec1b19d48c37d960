import { FAULTS } from '../../platform/instance/faults.ts'
import { faultsOf } from '../state/faults.ts'
import { troubledWebhooks } from '../state/log-readers.ts'
import { type Check, error, type Finding, info, ok, type WithProgram, warning } from './types.ts'

const minutes = (ms: number) => (ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`)
const instant = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

const REMEDIES: Record<keyof typeof FAULTS, string> = {
  worker: 'see the log and ulimit -n, then restart appsvc',
  disk: 'free some space, or lower disk.lowWater',
  clock: 'correct the clock, or restart appsvc if it is correct now',
  database: 'see the finding of the check "database"',
  corrupt: 'stop appsvc, restore a backup, start it, and run appsvc release',
  held: 'appsvc release, which shows what waits and asks',
  gateway: 'appsvc gateways check --app APP',
  backup: 'appsvc status shows the last backup and why it failed',
}

/** Checks whether a server runs, and which faults running servers have reported. */
export const serverCheck: Check = {
  name: 'server',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, served, inside }) {
    const findings: Finding[] = []
    if (served === false) findings.push(info('no server runs on this database: appsvc serve starts it'))
    const faults = inside === 'server' ? program.kernel.faults.list() : await faultsOf(program, served)
    for (const { kind, sentence, since } of faults) {
      const say = FAULTS[kind].ready ? warning : error
      // The sentences end with the remedy, which stands on a line of its own here.
      const what = sentence.split('; ')[0]!
      findings.push(
        say(`${what} (since ${instant(since)} UTC)`, sentence.split('; ').slice(1).join('; ') || REMEDIES[kind]),
      )
    }
    if (findings.length > 0) return findings
    return [ok(served === undefined ? 'no server has reported a fault' : 'the server runs and has found no fault')]
  },
  fix: {
    async repair({ storage: { program }, served }) {
      if (served !== false || !(await program.storedFaults.isAny())) return []
      await program.inTransaction((tx) => tx.storedFaults.forget(true))
      return ['removed the faults that a server which was killed had reported']
    },
  },
}

/** Lanes that are paused, and why. */
export const lanesCheck: Check = {
  name: 'lanes',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, clock, appId }) {
    const findings: Finding[] = []
    const now = clock.now()
    let open = 0
    for (const lane of await program.gateways.lanes.list()) {
      if (appId !== undefined && lane.appId !== appId) continue
      // A lane stays after its gateway is removed.
      if ((await program.gateways.find(lane.appId, lane.platform)) === undefined) continue
      if (lane.heldUntil <= now && lane.holds === 0) {
        open++
        continue
      }
      const until = lane.heldUntil > now ? ` until ${instant(lane.heldUntil)} UTC` : ''
      const what = `sending through the ${lane.platform} gateway of app ${lane.appId} is paused${until}: ${lane.holdReason ?? 'it does not accept our requests'}`
      const remedy = `appsvc gateways check --app ${lane.appId} ${lane.platform}`
      if (lane.holdKind === 'throttled_gateway')
        findings.push(
          warning(what, 'nothing: it goes on by itself; a rate limit of the notification sends more slowly'),
        )
      else findings.push(lane.holdKind === 'config_error' ? error(what, remedy) : warning(what, remedy))
    }
    if (findings.length > 0) return findings
    return open === 0 ? [] : [ok(open === 1 ? 'the lane is open' : `all ${open} lanes are open`)]
  },
}

/** The longest wait (ms) that is right: the longest broadcast takes less. The main alert has the same bound. */
const LATE_MS = 15 * 60_000

/** Checks how long the oldest recipient has been due. */
export const oldestDueCheck: Check = {
  name: 'oldest-due',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, clock, served }) {
    const at = await program.vitals.oldestDueAt(clock.now())
    const late = at === undefined ? 0 : clock.now() - at
    if (late <= LATE_MS)
      return [ok(at === undefined ? 'nobody is due' : `the oldest recipient has been due for ${minutes(late)}`)]
    const what = `a recipient has been due for ${minutes(late)}`
    if (served === false) return [warning(`${what}, and no server runs`, 'appsvc serve')]
    return [warning(what, 'appsvc status, which says for every gateway why recipients wait')]
  },
}

const NEWEST = 200
const OPEN = 1000
/** The most recipients that are counted, which takes some seconds. */
const MOST_RECIPIENTS = 2_000_000

/** Checks whether every recipient of the newest and the open notifications is counted exactly once. */
export const conservationCheck: Check = {
  name: 'conservation',
  group: 'sending',
  needs: 'program',
  deadlineMs: 60_000,
  async run({ storage: { program }, appId }, signal) {
    const { notifications, recipients, imbalances, complete } = await program.conservation.addUp({
      newest: NEWEST,
      open: OPEN,
      recipients: MOST_RECIPIENTS,
      appId,
      signal,
    })
    const findings = imbalances
      .slice(0, 10)
      .map(({ id, appId, what }) =>
        error(
          `the recipients of notification ${id} of app ${appId} do not add up: ${what}`,
          `keep a copy of the database and report it with: appsvc notifications show ${id} --app ${appId} --json`,
        ),
      )
    if (imbalances.length > 10)
      findings.push(error(`${imbalances.length - 10} more do not add up`, 'appsvc doctor --json'))
    if (findings.length > 0) return findings
    if (notifications === 0) return []
    const which = complete ? '' : ' (there are more, which were not read)'
    return [ok(`the ${recipients} recipients of ${notifications} notifications add up${which}`)]
  },
}

const EXPIRES_SOON_MS = 30 * 86_400_000

/** Checks how long the credentials of gateways are valid. */
export const credentialsCheck: Check = {
  name: 'credentials',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, clock, appId }) {
    const all = (await program.gateways.expiries()).filter((one) => appId === undefined || one.appId === appId)
    const findings = all.flatMap(({ appId, platform, notAfter }) => {
      const left = notAfter - clock.now()
      if (left > EXPIRES_SOON_MS) return []
      const what = `the ${platform} credential of app ${appId}`
      const remedy = `appsvc gateways set --app ${appId} ${platform} with a new one (docs/gateways)`
      if (left <= 0) return [error(`${what} expired on ${instant(notAfter)} UTC`, remedy)]
      const days = Math.max(1, Math.floor(left / 86_400_000))
      return [warning(`${what} expires in ${days === 1 ? 'a day' : `${days} days`}`, remedy)]
    })
    if (findings.length > 0) return findings
    return all.length === 0 ? [] : [ok('no credential expires within 30 days')]
  },
}

/** A follower that needs longer than this does not keep up. */
const BEHIND_S = 300

/** Checks the readers of the event log inside the server. */
export const readersCheck: Check = {
  name: 'event-readers',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program } }) {
    const findings: Finding[] = []
    for (const { name, lagSeconds, missedAt } of await program.followers.states()) {
      if (missedAt !== null) {
        findings.push(
          warning(
            `the follower ${name} missed events, last at ${instant(missedAt)} UTC: they were deleted before it read them`,
            'raise events.retentionDays, and see why it was slow: the log of the server',
          ),
        )
      }
      if (lagSeconds > BEHIND_S) {
        findings.push(
          warning(`the follower ${name} is ${minutes(lagSeconds * 1000)} behind`, 'see the log of the server'),
        )
      }
    }
    if (findings.length > 0) return findings
    return [ok('everybody who reads the event log is at its end')]
  },
}

/** Checks the webhooks, which read the event log for programs outside. */
export const webhooksCheck: Check = {
  name: 'webhooks',
  group: 'sending',
  needs: 'program',
  async run({ storage: { program }, clock, appId }) {
    const troubled = await troubledWebhooks(program, clock.now())
    const ours = troubled.filter(({ webhook }) => appId === undefined || webhook.appId === appId)
    if (ours.length === 0) return [ok('no webhook is off, failing or behind')]
    return ours.map(({ webhook, lagSeconds }) => judgeWebhook(webhook, lagSeconds))
  },
}

type Webhook = Awaited<ReturnType<WithProgram['storage']['program']['webhooks']['newest']>>[number]

function judgeWebhook({ id, appId, state, offReason, failingSince }: Webhook, lagSeconds: number): Finding {
  const who = `webhook ${id} of app ${appId}`
  const remedy = `appsvc webhooks attempts --app ${appId} ${id}`
  if (state === 'off') return warning(`${who} is off: ${offReason}`, remedy)
  if (failingSince !== null) return warning(`${who} has been failing since ${instant(failingSince)} UTC`, remedy)
  return warning(`${who} is ${minutes(lagSeconds * 1000)} behind`, remedy)
}
