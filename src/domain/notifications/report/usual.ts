import { type Comparable, type Counts, type NotificationRecord, STATUS } from '../types.ts'

/** Sends that are compared with, at most. */
const MOST = 20
/** The least of them that tell what is usual. */
const FEWEST = 3
/** Notifications before this one among which they are looked for. */
const LOOKED_AT = 100

/** The medians of the sends before a notification that are like it. */
export interface Usual {
  sends: number
  accepted: number
  /** Openings per acceptance, from 0 to 1. */
  openedShare: number
}

export interface UsualParts {
  repo: {
    /** The notifications that were created before this one, newest first. */
    before(appId: number, one: Pick<NotificationRecord, 'id' | 'createdAt'>, limit: number): Promise<Comparable[]>
  }
  countsOf(appId: number, id: number): Promise<Counts>
}

/** To whom a send goes, roughly: the same share opens what goes to everybody, to a part of them, or to somebody by name. Pure. */
export function audienceOf(filters: string): 'everybody' | 'named' | 'part' {
  if (filters.includes('"broadcast":true')) return 'everybody'
  return /"(?:installIds|userIds)":/.test(filters) ? 'named' : 'part'
}

/** The middle one of some numbers, or between the two in the middle; there is at least one. Pure. */
export function medianOf(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Reads what is usual for sends like this one: of those before it that were sent to somebody, and are no tests. Null when there are few. */
export function createUsual({ repo, countsOf }: UsualParts) {
  return async (appId: number, notification: NotificationRecord): Promise<Usual | null> => {
    const kind = audienceOf(JSON.stringify(notification.filters))
    const like = (await repo.before(appId, notification, LOOKED_AT)).filter(
      ({ status, isTest, filters }) => status === STATUS.sent && !isTest && audienceOf(filters) === kind,
    )
    const sends: { accepted: number; share: number }[] = []
    for (const { id, opened } of like.slice(0, MOST)) {
      const { accepted } = await countsOf(appId, id)
      if (accepted > 0) sends.push({ accepted, share: opened / accepted })
    }
    if (sends.length < FEWEST) return null
    return {
      sends: sends.length,
      accepted: Math.round(medianOf(sends.map(({ accepted }) => accepted))),
      openedShare: medianOf(sends.map(({ share }) => share)),
    }
  }
}
