import { isAppError } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Target } from '../audience/types.ts'
import type { Audience, MissingPart } from '../audience/walk/install-walk.ts'
import type { Install, UserWithInstalls } from '../crm/types.ts'
import { gateways, platformOf } from '../gateways/registry.ts'
import type { Trace, Traces } from '../notifications/report/trace.ts'
import type { NotificationRecord } from '../notifications/types.ts'
import { STATUS } from '../notifications/types.ts'
import type { ProfilesRepository } from './repository.ts'
import type { Reported, TimelineRepository } from './timeline.repository.ts'
import type { InstallVerdict, TokenState, Verdict } from './types.ts'
import { wordsOf } from './why-words.ts'

/** Of a person with more installs, these most recently active ones are explained. */
const MOST_INSTALLS = 20

/** Outcomes with which a notification has arrived, as far as anybody can know. */
const REACHED: ReadonlySet<string> = new Set(['accepted', 'delivered', 'opened'])
const MISSING: Readonly<Record<MissingPart, string>> = {
  excluded: 'excluded',
  names: 'not_named',
  channels: 'not_in_channel',
  geofences: 'not_in_geofence',
  segments: 'not_in_segment',
}

interface Parts {
  user(appId: number, id: number): Promise<UserWithInstalls>
  notifications: { get(appId: number, id: number): Promise<NotificationRecord> }
  ledger: { walked(appId: number, notificationId: number): Promise<{ target: Target } | undefined> }
  kept: { keptCounts(appId: number, id: number): Promise<unknown> }
  traces: Pick<Traces, 'of'>
  audience: Pick<Audience, 'missing'>
  tokens: Pick<ProfilesRepository, 'tokens'>
  reports: Pick<TimelineRepository, 'reported'>
  clock: Pick<Clock, 'now'>
}

/** Says why a person got a notification or did not: the trace of each install in plain sentences. */
export function createWhy(parts: Parts) {
  const { user, notifications, ledger, kept, traces, audience, tokens, reports } = parts

  /** Why an install is in no page of the notification. */
  async function whyNoRecipient(
    appId: number,
    notification: NotificationRecord,
    install: Install,
    token: TokenState | undefined,
  ): Promise<string> {
    if (await kept.keptCounts(appId, notification.id)) return 'forgotten'
    if (install.createdAt > notification.updatedAt) return 'came_later'
    const message = await ledger.walked(appId, notification.id)
    const missing =
      message &&
      (await audience.missing(appId, message.target, install.row).catch((error: unknown) => {
        // A segment that was deleted has no conditions any more that anybody could fit.
        if (isAppError(error) && error.code === 'not_found') return 'segments' as const
        throw error
      }))
    // Whom a list names is a recipient whatever its token: what is missing is said first otherwise.
    if (missing !== undefined) return MISSING[missing]
    if (!install.subscribed) return whyNotSubscribed(install, token)
    return 'not_a_recipient'
  }

  function stateOf(trace: Trace, reported: Reported | undefined, notification: NotificationRecord): string {
    if (reported?.openedAt) return 'opened'
    if (reported?.deliveredAt) return 'delivered'
    if (trace.pages.length === 0 && notification.status === STATUS.scheduled) return 'not_due'
    if (trace.pages.length === 0 && notification.status === STATUS.cancelled) return 'cancelled'
    return trace.state
  }

  return {
    /** Throws `not_found` for an unknown user or notification. */
    async explain(appId: number, id: number, notificationId: number): Promise<Verdict> {
      const found = await user(appId, id)
      const notification = await notifications.get(appId, notificationId)
      const installs = found.installs.toSorted((a, b) => b.lastActive - a.lastActive).slice(0, MOST_INSTALLS)
      const rows = installs.map(({ row }) => row)
      const tokenOf = new Map((await tokens.tokens(appId, rows)).map((token) => [token.row, token]))
      const reported = await reports.reported(appId, [notificationId], rows)
      const verdicts: InstallVerdict[] = []
      for (const install of installs) {
        const { row, installId, os, deviceName, deviceModel } = install
        const trace = await traces.of(appId, notification, install)
        const said = stateOf(
          trace,
          reported.find((one) => one.installRow === row),
          notification,
        )
        const state =
          said === 'not_a_recipient' ? await whyNoRecipient(appId, notification, install, tokenOf.get(row)) : said
        const last = trace.pages.at(-1)
        verdicts.push({
          install: { row, installId, os, deviceName, deviceModel },
          state,
          wasReached: REACHED.has(state),
          ...wordsOf(state, vendorOf(install)),
          answers: trace.answers,
          nextAt: state === 'pending' && last && last.notBefore > parts.clock.now() ? last.notBefore : null,
        })
      }
      return { ...summaryOf(verdicts), installs: verdicts }
    },
  }
}

function whyNotSubscribed({ notificationsEnabled }: Install, token: TokenState | undefined): string {
  if (token?.hasToken && !notificationsEnabled) return 'notifications_off'
  if (token?.retired && !token.hasToken) return 'token_retired'
  return notificationsEnabled ? 'no_token' : 'notifications_off'
}

function vendorOf({ platform }: Install): string {
  const name = platform === null ? undefined : platformOf(platform)
  return name === undefined ? 'The gateway' : gateways[name].vendor
}

function summaryOf(verdicts: readonly InstallVerdict[]): Omit<Verdict, 'installs'> {
  if (verdicts.length === 0) return { wasReached: false, ...wordsOf('no_install', '') }
  const reached = verdicts.filter(({ wasReached }) => wasReached).length
  const [first] = verdicts
  if (verdicts.every(({ state }) => state === first!.state)) {
    return { wasReached: reached > 0, says: first!.says, remedy: first!.remedy }
  }
  return reached > 0
    ? { wasReached: true, says: `It reached ${reached} of ${verdicts.length} installs.`, remedy: null }
    : {
        wasReached: false,
        says: `It reached none of ${verdicts.length} installs, for different reasons.`,
        remedy: null,
      }
}
