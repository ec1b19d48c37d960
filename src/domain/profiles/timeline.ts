import { invalid } from '../../platform/errors.ts'
import { type Pace, unhurried } from '../../platform/long-reads/pace.ts'
import type { UserWithInstalls } from '../crm/types.ts'
import type { Ledger } from '../notifications/record/ledger.repository.ts'
import { slotName } from '../notifications/record/page.ts'
import type { NotificationRecord } from '../notifications/types.ts'
import { mergeLatest, type Places, type Source } from './merged.ts'
import type { EventRow, MessageRow, TimelineRepository } from './timeline.repository.ts'
import type { Moment, MomentKind, Timeline } from './types.ts'

/** Events that one read looks at: some may be of another person on the same device. */
const LOOKED_AT = 200
/**
 * The fewest and the most notifications that one read looks at: their pages are searched for the installs. A broadcast to a million has a thousand
 * of these, most sends of an app's server have one. So the number follows the time that the last read took.
 */
const FEWEST_SENDS = 10
const MOST_SENDS = 160
/** A read of sends that took less time (ms) is followed by one of twice as many, one that took four times as long by half as many. */
const QUICK_MS = 8
const MESSAGES_AT_ONCE = 50
/** Maximum number of a person's installs that count: the most recently active ones. */
const MOST_INSTALLS = 20
/** Installs that they had before. */
const MOST_FORMER = 50

interface Parts {
  repo: TimelineRepository
  user(appId: number, id: number): Promise<UserWithInstalls>
  people: {
    formerInstalls(appId: number, name: string, rows: readonly number[], limit: number): Promise<number[]>
  }
  sent: { byIds(appId: number, ids: readonly number[]): Promise<NotificationRecord[]> }
  ledger: Pick<Ledger, 'pagesAmong'>
}

export interface TimelineQuery {
  after?: string | undefined
  limit: number
  /** Limits the timeline to moments of this kind. */
  kind?: MomentKind | undefined
}

/** A send to an install: the notification, the time at which it was due, and what became of it. */
interface SentTo {
  id: number
  row: number
  installId: string
  at: number
  state: string
}

/** Tells the history of a user, from data that is stored about them anyway. */
export function createTimeline({ repo, user, people, sent, ledger }: Parts) {
  /** Finds which of some notifications were sent to one of some installs, by one statement for each install. */
  async function sentTo(
    appId: number,
    ids: readonly number[],
    idOf: ReadonlyMap<number, string>,
  ): Promise<ReadonlyMap<number, readonly SentTo[]>> {
    const found = new Map<number, SentTo[]>()
    if (ids.length === 0) return found
    for (const [row, installId] of idOf) {
      // A later page of the same notification has the last word.
      const last = new Map<number, SentTo>()
      for (const { notificationId: id, notBefore: at, rows, outcomes } of await ledger.pagesAmong(appId, ids, row)) {
        const slot = rows.indexOf(row)
        if (slot >= 0) last.set(id, { id, row, installId, at, state: slotName(outcomes[slot]!) })
      }
      for (const [id, one] of last) found.set(id, [...(found.get(id) ?? []), one])
    }
    return found
  }

  /** Tells of each notification what became of it on the install where it got furthest, the newest notification first. */
  async function momentsOf(
    appId: number,
    got: ReadonlyMap<number, readonly SentTo[]>,
    rows: readonly number[],
  ): Promise<(Moment & { key: number })[]> {
    const ids = [...got.keys()].sort((a, b) => b - a)
    if (ids.length === 0) return []
    const records = new Map((await sent.byIds(appId, ids)).map((record) => [record.id, record]))
    const reported = await repo.reported(appId, ids, rows)
    return ids.flatMap((id) => {
      const record = records.get(id)
      if (!record) return []
      const all = got.get(id)!.map((one) => {
        const said = reported.find(({ notificationId, installRow }) => notificationId === id && installRow === one.row)
        const told = said?.openedAt ? 'opened' : said?.deliveredAt ? 'delivered' : undefined
        return { ...one, state: told ?? one.state }
      })
      // One that they opened tells more than one that was refused.
      const best = all.toSorted((a, b) => worth(b.state) - worth(a.state))[0]!
      return {
        kind: 'send',
        key: id,
        at: Math.max(best.at, record.createdAt),
        installId: best.installId,
        type: null,
        about: { id, name: record.content.title || record.content.message || null },
        state: best.state,
        data: null,
      }
    })
  }

  async function sourcesOf(
    appId: number,
    found: UserWithInstalls,
    pace: Pace,
  ): Promise<Record<'e' | 'n' | 'm' | 't', Source<Moment>>> {
    const { identifier, id: userId } = found
    const installs = found.installs.toSorted((a, b) => b.lastActive - a.lastActive).slice(0, MOST_INSTALLS)
    const rows = installs.map(({ row }) => row)
    const idOf = new Map(installs.map(({ row, installId }) => [row, installId]))
    const former = await people.formerInstalls(appId, identifier, rows, MOST_FORMER)
    const names = new Set([identifier, ...idOf.values()])
    // What another person did on the same device is theirs.
    const isTheirs = ({ installRow, userIdentifier }: EventRow) =>
      userIdentifier === identifier ||
      (installRow !== null && idOf.has(installRow) && (userIdentifier === null || names.has(userIdentifier)))

    const events: Source<Moment> = {
      name: 'e',
      async read(before) {
        const all = [
          ...(await repo.ofInstalls(appId, [...rows, ...former], before, LOOKED_AT)),
          ...(await repo.ofServers(appId, identifier, before, LOOKED_AT)),
        ]
        const ids = all.sort((a, b) => b - a).slice(0, LOOKED_AT)
        const entries = (await repo.events(appId, ids)).filter(isTheirs).map((event) => ({
          ...momentOf(event, idOf),
          key: event.id,
        }))
        return { entries, reached: ids.length < LOOKED_AT ? null : ids.at(-1)! }
      },
    }
    let sendsAtOnce = FEWEST_SENDS
    const sends: Source<Moment> = {
      name: 'n',
      async read(before) {
        const asked = sendsAtOnce
        const began = pace.monotonic()
        const ids = await repo.notificationIds(appId, before, asked)
        const got = await sentTo(appId, ids, idOf)
        const tookMs = pace.monotonic() - began
        if (tookMs < QUICK_MS) sendsAtOnce = Math.min(MOST_SENDS, asked * 2)
        else if (tookMs > 4 * QUICK_MS) sendsAtOnce = Math.max(FEWEST_SENDS, Math.floor(asked / 2))
        return { entries: await momentsOf(appId, got, rows), reached: ids.length < asked ? null : ids.at(-1)! }
      },
    }
    const messages: Source<Moment> = {
      name: 'm',
      async read(before) {
        const found = await repo.messages(appId, userId, before, MESSAGES_AT_ONCE)
        const entries = found.map((message) => ({ ...ofMessage(message), key: message.id }))
        return { entries, reached: found.length < MESSAGES_AT_ONCE ? null : found.at(-1)!.id }
      },
    }
    const taps: Source<Moment> = {
      name: 't',
      async read(before) {
        const found = await repo.taps(appId, [...idOf.values()])
        const entries = found
          .filter(({ tappedAt }) => before === undefined || tappedAt < before)
          .map(({ installId, linkId, slug, tappedAt, installedAt }): Moment & { key: number } => ({
            kind: 'link',
            key: tappedAt,
            at: tappedAt,
            installId,
            type: null,
            about: { id: linkId, name: slug },
            state: installedAt === null ? 'tapped' : 'installed',
            data: null,
          }))
        return { entries, reached: null }
      },
    }
    return { e: events, n: sends, m: messages, t: taps }
  }

  return {
    /**
     * The next moments, the latest first. A page may hold fewer than `limit`, or none, and still have a `next`: events of a user are
     * looked at in short statements until the time of `pace` is over. Throws `not_found`, and `invalid` for a cursor that is none.
     */
    async read(
      appId: number,
      id: number,
      { after, limit, kind }: TimelineQuery,
      pace: Pace = unhurried,
    ): Promise<Timeline> {
      const from = after === undefined ? {} : readPlaces(after)
      const { e, n, m, t } = await sourcesOf(appId, await user(appId, id), pace)
      const wanted =
        kind === undefined ? [e, n, m, t] : ({ send: [n], link: [t], message: [e, m] }[kind as 'send'] ?? [e])
      const only = (source: Source<Moment>): Source<Moment> =>
        kind === undefined
          ? source
          : {
              name: source.name,
              async read(key) {
                const { entries, reached } = await source.read(key)
                return { entries: entries.filter((one) => one.kind === kind), reached }
              },
            }
      const { entries, places } = await mergeLatest(wanted.map(only), from, { limit, goOn: () => pace.turn() })
      return { moments: entries, next: places ? writePlaces(places) : null }
    },
  }
}

const worth = (state: string): number => ['accepted', 'delivered', 'opened'].indexOf(state)

const OPENS: ReadonlySet<string> = new Set(['k.push.opened', 'k.message.opened'])

function kindOf(type: string): MomentKind {
  if (type === 'k.fg' || type === 'k.bg') return 'session'
  if (OPENS.has(type)) return 'open'
  return type.startsWith('k.message.') ? 'message' : 'event'
}

function momentOf(event: EventRow, idOf: ReadonlyMap<number, string>): Moment {
  const data = event.data === null ? null : (JSON.parse(event.data) as Record<string, unknown>)
  const kind = kindOf(event.type)
  const named = kind === 'open' || kind === 'message' ? Number(data?.['id']) : Number.NaN
  return {
    kind,
    at: event.happenedAt,
    installId: event.installRow === null ? null : (idOf.get(event.installRow) ?? null),
    type: event.type,
    about: Number.isSafeInteger(named) ? { id: named, name: null } : null,
    state: null,
    data,
  }
}

function ofMessage(message: MessageRow): Moment {
  const states = [
    ['inboxDeletedAt', 'deleted'],
    ['readAt', 'read'],
    ['dismissedAt', 'dismissed'],
    ['shownAt', 'shown'],
    ['deliveredAt', 'delivered'],
  ] as const
  return {
    kind: 'message',
    at: message.sentAt,
    installId: null,
    type: null,
    about: { id: message.id, name: message.name },
    state: states.find(([column]) => message[column] !== null)?.[1] ?? 'waiting',
    data: null,
  }
}

const writePlaces = (places: Places): string => Buffer.from(JSON.stringify(places)).toString('base64url')

/** Throws `invalid`. */
function readPlaces(cursor: string): Places {
  try {
    const places = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as Places
    const isRight = Object.entries(places).every(
      ([name, at]) => /^[enmt]$/.test(name) && (at === null || Number.isSafeInteger(at)),
    )
    if (isRight) return places
  } catch {
    // Said below.
  }
  throw invalid({ after: ['must be the next of the page before'] })
}
