import { readPage } from '../../platform/db/pages.ts'
import { AppError } from '../../platform/errors.ts'
import type { SizeLimit } from '../../platform/json/json.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { SubscriptionsRepository } from '../channels/subscriptions.repository.ts'
import type { Adopted, AdoptionService } from '../crm/adoption/service.ts'
import type { AdoptedInstall, AdoptedUser, Here } from '../crm/adoption/types.ts'
import type { CheckRules } from './check.ts'
import { detailsOf } from './details.ts'
import type { ImportsRepository } from './repository.ts'
import type { Comer, ImportCounts, ImportProgress, Ready, SourceName } from './types.ts'

export interface ImportsParts {
  repo: ImportsRepository
  adoption: AdoptionService
  subscriptions: Pick<SubscriptionsRepository, 'setInstalls'>
  /** Erasures and imports of one app take turns. */
  lockListing(appId: number): Promise<void>
  /** Puts users on the suppression list. Returns how many were not on it. */
  suppress(appId: number, identifiers: readonly string[], reason: string): Promise<number>
  clock: Clock
  maxAttributes: SizeLimit | undefined
  refusalOfEndpoint(endpoint: string): string | undefined
  /** Which of these were erased here, as indexes. */
  erasedAmong(appId: number, comers: readonly Comer[]): Promise<Set<number>>
}

/** What a row of a batch gives. */
export interface BatchRow {
  ready: readonly Ready[]
}

/** How a batch is stored. */
export interface StoreOptions {
  /** Channel UUID -> id. Subscriptions to channels that are not in it are left out. */
  channels: ReadonlyMap<string, number>
  /** Users who said no in the app go on the suppression list. */
  suppressOptedOut: boolean
  /** Who was erased here is imported all the same. */
  includeErased?: boolean | undefined
  /** Opt-outs change nothing that was here before this instant, at which the import began. Absent: they are taken over. */
  keepBefore?: number | undefined
}

/** Why rows of a batch were refused when they were stored, by their index in it. */
export type Problems = Map<number, string>

/** Without whom and what was erased here. */
interface Living {
  rows: readonly BatchRow[]
  /** Indexes of the rows of which something was left out. */
  erased: Set<number>
}

/** Imports of other services: what is stored, batch by batch. */
export function importsService(parts: ImportsParts) {
  const { repo, adoption, subscriptions, suppress, clock } = parts

  /** Subscribes the installs that were made. Returns how many subscriptions. */
  async function subscribe(
    appId: number,
    rows: readonly BatchRow[],
    { rows: rowOf }: Adopted,
    channels: ReadonlyMap<string, number>,
  ): Promise<number> {
    const byChannel = new Map<number, Set<number>>()
    for (const { ready } of rows) {
      for (const { installId, channels: uuids } of ready) {
        const row = installId === null ? undefined : rowOf.get(installId)
        if (row === undefined) continue
        for (const uuid of uuids) {
          const id = channels.get(uuid)
          if (id !== undefined) byChannel.set(id, (byChannel.get(id) ?? new Set()).add(row))
        }
      }
    }
    let count = 0
    for (const [id, members] of [...byChannel].sort(([a], [b]) => a - b)) {
      await subscriptions.setInstalls(appId, id, [...members], true)
      count += members.size
    }
    return count
  }

  async function withoutErased(appId: number, rows: readonly BatchRow[]): Promise<Living> {
    const all = rows.flatMap(({ ready }, row) => ready.map((one) => ({ row, one })))
    const gone = await parts.erasedAmong(
      appId,
      all.map(({ one: { identifier, installId, token } }) => ({ identifier, installId, token: token?.token ?? null })),
    )
    if (gone.size === 0) return { rows, erased: new Set() }
    const left: { ready: Ready[] }[] = rows.map(() => ({ ready: [] }))
    const erased = new Set<number>()
    for (const [i, { row, one }] of all.entries()) {
      if (gone.has(i)) erased.add(row)
      else left[row]!.ready.push(one)
    }
    return { rows: left, erased }
  }

  return {
    /** Without whom was erased here; for a look at the files before anything is stored. */
    withoutErased,

    /** What rows are checked against before they are stored. */
    rules: (source: SourceName, { suppressOptedOut }: Pick<CheckRules, 'suppressOptedOut'> = {}): CheckRules => ({
      source,
      maxAttributes: parts.maxAttributes,
      refusalOfEndpoint: parts.refusalOfEndpoint,
      suppressOptedOut,
    }),

    /** The installs that are here with one of these ids or tokens, for the tally of consent. */
    standing: (appId: number, installIds: readonly string[], tokens: readonly string[]): Promise<Here> =>
      adoption.standing(appId, installIds, tokens),

    /** An import with these contents that was interrupted. */
    find: (appId: number, source: SourceName, digest: string) => repo.find(appId, source, digest),

    /** Begins an import at its first row, also when it was interrupted before. */
    begin(appId: number, source: SourceName, digest: string, counts: ImportCounts): Promise<ImportProgress> {
      const now = clock.now()
      return repo.begin({ appId, source, digest, place: 0, counts, errorsSize: 0, createdAt: now, updatedAt: now })
    },

    /**
     * In a transaction: stores what the rows of a batch give, without the progress. Returns what became of it and the
     * rows that are refused because of what is stored already.
     */
    async store(
      appId: number,
      given: readonly BatchRow[],
      { channels, suppressOptedOut, includeErased, keepBefore }: StoreOptions,
    ): Promise<{ counts: Partial<ImportCounts>; problems: Problems }> {
      const now = clock.now()
      await parts.lockListing(appId)
      const { rows, erased } = includeErased ? { rows: given, erased: new Set() } : await withoutErased(appId, given)
      const devices = new Map<string, AdoptedInstall>()
      const people = new Map<string, AdoptedUser>()
      let repeated = 0
      for (const { ready } of rows) {
        for (const one of ready) {
          addPerson(people, one, now)
          if (one.installId === null) continue
          // The same device twice in one batch: the first row counts, as it does across batches, but a no always does.
          const before = devices.get(one.installId)
          if (!before) devices.set(one.installId, adoptedInstall(one, now))
          else {
            repeated++
            if (!one.enabled) devices.set(one.installId, switchedOff(before))
          }
        }
      }
      const adopted = await adoption.adopt(appId, [...devices.values()], people, { keepBefore: keepBefore ?? null })
      const problems = problemsOf(rows, adopted)
      const subscribed = await subscribe(appId, rows, adopted, channels)
      const refusing = suppressOptedOut ? optedOut(rows) : []
      const suppressed = refusing.length > 0 ? await suppress(appId, refusing, 'opted out in the former service') : 0
      const became = [...adopted.installs]
      const made = adopted.made
      return {
        problems,
        counts: {
          installs: made.length,
          existing: became.filter(([, as]) => as === 'existing').length + repeated,
          moved: became.filter(([, as]) => as === 'moved').length,
          unreachable: made.filter(({ token }) => token === null).length,
          disabled: made.filter(({ token, enabled }) => token !== null && !enabled).length,
          optedOut: made.filter(({ enabled }) => !enabled).length + adopted.optedOut,
          users: adopted.usersMade,
          subscriptions: subscribed,
          suppressed,
          erased: erased.size,
        },
      }
    },

    /**
     * In the transaction of a batch: stores how far the import is. Throws `conflict` when another process continues the
     * same import; the batch must not be committed then.
     */
    async advance(
      progress: ImportProgress,
      step: Pick<ImportProgress, 'place' | 'counts' | 'errorsSize'>,
    ): Promise<void> {
      if (await repo.advance(progress, progress.place, { ...step, updatedAt: clock.now() })) return
      throw new AppError('conflict', 'another process imports the same files at this moment: let it finish')
    },

    finish: (progress: ImportProgress) => repo.finish(progress),

    /** At most `limit` imports of all apps that are under way or were interrupted, oldest first. */
    unfinished: (limit: number): Promise<ImportProgress[]> => repo.list(limit),

    /** Those of an app behind the id `after`; `next` is null on the last page. */
    async list(
      appId: number,
      { after = 0, limit }: { after?: number | undefined; limit: number },
    ): Promise<{ imports: ImportProgress[]; next: number | null }> {
      const { rows: imports, last } = await readPage(limit, (most) => repo.listOf(appId, after, most))
      return { imports, next: last?.id ?? null }
    },

    /** Forgets how far an import is; what it stored stays. Throws `not_found`. */
    async drop(appId: number, id: number): Promise<void> {
      if (await repo.drop(appId, id)) return
      throw new AppError('not_found', `there is no unfinished import ${id}: appsvc import list shows them`)
    },
  }
}

export type ImportsService = ReturnType<typeof importsService>

/** Times of the future count as now, and the first activity does not come after the last. */
function timesOf({ createdAt, lastActive }: Ready, now: number): { first: number; last: number } {
  const last = Math.min(lastActive ?? createdAt ?? now, now)
  return { first: Math.min(createdAt ?? last, last), last }
}

function addPerson(people: Map<string, AdoptedUser>, one: Ready, now: number): void {
  const identifier = one.identifier ?? one.installId!
  const { first, last } = timesOf(one, now)
  const before = people.get(identifier)
  // Only rows that say when count, if there are any.
  const isDated = one.lastActive !== null || one.createdAt !== null
  const isBetter = before === undefined || (isDated && !before.isDated)
  const isSame = before?.isDated === isDated
  people.set(identifier, {
    identifier,
    anonymous: one.identifier === null && (before?.anonymous ?? true),
    // What an earlier row says stays.
    attributes: { ...one.attributes, ...before?.attributes },
    firstActive: isBetter ? first : isSame ? Math.min(first, before.firstActive) : before.firstActive,
    lastActive: isBetter ? last : isSame ? Math.max(last, before.lastActive) : before.lastActive,
    isDated: isDated || (before?.isDated ?? false),
  })
}

function adoptedInstall(one: Ready, now: number): AdoptedInstall {
  return {
    installId: one.installId!,
    identifier: one.identifier,
    details: detailsOf(one.words),
    token: one.token,
    enabled: one.enabled,
    lastActive: timesOf(one, now).last,
  }
}

function switchedOff({ token, ...install }: AdoptedInstall): AdoptedInstall {
  return { ...install, token: token && { ...token, notificationsEnabled: false }, enabled: false }
}

function problemsOf(rows: readonly BatchRow[], { installs, tooLarge }: Adopted): Problems {
  const problems: Problems = new Map()
  for (const [i, { ready }] of rows.entries()) {
    for (const { installId, identifier } of ready) {
      if (installId !== null && installs.get(installId) === 'too_many') {
        problems.set(i, 'its user has as many installs as limits.installsPerUser allows')
      } else if (identifier !== null && tooLarge.has(identifier)) {
        problems.set(
          i,
          'the attributes of its user would be larger than limits.attributes allows: they stay as they were',
        )
      }
    }
  }
  return problems
}

function optedOut(rows: readonly BatchRow[]): string[] {
  const names = rows.flatMap(({ ready }) => ready.flatMap((one) => (one.optedOut ? (one.identifier ?? []) : [])))
  return [...new Set(names)]
}
