import { newOrderedUuid } from '../../platform/crypto/ids.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { readStoredOr } from '../../platform/values/unreadable.ts'
import type { ImportsRepository } from '../channels/imports.repository.ts'
import { digestOfIdentifier } from '../crm/identifier-digest.ts'
import { IDENTIFIER_RULE, isIdentifier } from '../crm/schema.ts'
import type { InstallsRepository } from '../crm/store/installs.repository.ts'
import type { TokensRepository } from '../crm/store/tokens.repository.ts'
import type { UsersRepository } from '../crm/store/users.repository.ts'
import { sealErased, USER_ERASED } from '../events/erased-user.ts'
import type { EventsService } from '../events/service.ts'
import type { Comer } from '../imports/types.ts'
import type { Ledger } from '../notifications/record/ledger.repository.ts'
import type { ListedErasure } from './list-file.ts'
import { type Key, PERSONAL, type Personal } from './personal.ts'
import type { ErasuresRepository } from './repository.ts'
import { type Place, SEARCHED, type SearchRepository } from './search.repository.ts'
import type { Erasure, ErasureKind, ErasureState, Subject } from './types.ts'
import { answerWithout, filtersWithout, requestWithout } from './without-names.ts'

/** Accepts any JSON: the form of an answer is unknown. */
const isAnything = (_value: unknown): _value is unknown => true

/** The number of days after which the event that reports an erasure is deleted. */
const ERASED_EVENT_DAYS = 30

/** Installs of one step; further ones come in later steps. */
const INSTALLS = 20
/** Installs of others that once named the person, of one step. */
const FORMER = 20

/** The result of a step: there is more to do, it has to wait for others, or its rows are gone. */
export type Stepped = 'more' | 'wait' | 'gone'

export interface ErasuresParts {
  repo: ErasuresRepository
  search: SearchRepository
  users: Pick<UsersRepository, 'lockListing' | 'changeStanding' | 'remove'>
  installs: Pick<InstallsRepository, 'remove'>
  tokens: Pick<TokensRepository, 'strip'>
  ledger: Pick<Ledger, 'isBeingSentTo'>
  imports: Pick<ImportsRepository, 'isReading' | 'awaitBatches'>
  events: Pick<EventsService, 'record' | 'forgetOfType'>
  vault: Pick<Vault, 'digest' | 'seal'>
  /** The erasure list beside the database, which a restored database may not know yet. */
  listed(): readonly ListedErasure[]
  clock: Clock
}

/** The rows that a batch of a subscriber file may make while an erasure deletes. */
const SUBSCRIBED = PERSONAL.filter(({ table }) => table === 'channel_users')

/** The function that takes names out of a text of each searched table. */
const WITHOUT = {
  notifications: filtersWithout,
  in_app_messages: filtersWithout,
  series: requestWithout,
  idempotency_keys: answerWithout,
} as const

export type ErasuresService = ReturnType<typeof erasuresService>

/** Erases users and installs (docs/personal-data.md). */
export function erasuresService(parts: ErasuresParts) {
  const { repo, search, users, installs, tokens, ledger, imports, events, vault, listed, clock } = parts

  const digestOf = (appId: number, name: string) => digestOfIdentifier(vault, 'erasure', appId, name)
  const digestOfInstall = (appId: number, id: string) => digestOfIdentifier(vault, 'erased install', appId, id)
  const digestOfToken = (appId: number, token: string) => digestOfIdentifier(vault, 'erased token', appId, token)

  /** Remembers the devices that go, so that no import brings them back. */
  async function rememberDevices({ appId, installs: some }: Subject): Promise<void> {
    await repo.addDevices(
      appId,
      some.flatMap(({ installId, token }) => [
        digestOfInstall(appId, installId),
        ...(token === null ? [] : [digestOfToken(appId, token)]),
      ]),
    )
  }

  /** Tells whether an import has brought the person or an install of theirs since `seen` was read. Call it with the listing locked. */
  async function hasCome({ appId, kind, name }: { appId: number; kind: ErasureKind; name: string }, seen: Subject) {
    const now = await repo.look(appId, kind, name, INSTALLS)
    const before = new Set(seen.installs.map(({ row }) => row))
    return now.person !== seen.person || now.installs.some(({ row }) => !before.has(row))
  }

  /** The keys by which rows of a kind are found for a subject. */
  function keysOf(
    { by }: Personal,
    { installs, names, person, anonymous }: Subject,
    former: readonly number[],
  ): readonly Key[] {
    if (by === 'former') return former
    if (by === 'user') return person === undefined ? anonymous : [person, ...anonymous]
    if (by === 'name') return names
    return installs.map(({ row, installId }) => (by === 'install' ? row : installId))
  }

  /** Deletes at most `limit` rows that belong to the subject, not the users and installs themselves; returns how many. */
  async function clear(
    subject: Subject,
    { name, former }: { name: string; former: readonly number[] },
    limit: number,
    places: readonly Personal[] = PERSONAL,
  ): Promise<number> {
    let left = limit
    for (const one of places) {
      if (one.table === 'users' || one.table === 'installs') continue
      for (const key of keysOf(one, subject, former)) {
        left -= await repo.deleteRows(subject.appId, one, key, left, name)
        if (left <= 0) return limit
      }
    }
    return limit - left
  }

  /** Deletes the installs with their anonymous users, and with the last of them the person. Call it with the listing locked. */
  async function cut({ appId, installs: some, anonymous, person }: Subject, isLast: boolean): Promise<void> {
    await installs.remove(
      appId,
      some.map(({ row }) => row),
    )
    for (const { userId } of some) await users.changeStanding(appId, userId, { installs: -1 })
    await users.remove(appId, isLast && person !== undefined ? [...anonymous, person] : anonymous)
  }

  return {
    /**
     * Puts a user or an install on the erasure list; `runErasures` deletes their data. Returns the erasure that is
     * under way if there is one. An identifier that nobody has is erased as well: a send or an import may have named
     * it. Throws `invalid` for an identifier that nobody can have.
     */
    async request(appId: number, kind: ErasureKind, name: string): Promise<Erasure> {
      if (!isIdentifier(name)) throw invalid({ [kind === 'user' ? 'userId' : 'installId']: [IDENTIFIER_RULE] })
      const digest = digestOf(appId, name)
      const open = await repo.openOf(appId, digest)
      if (open?.kind === kind) return open
      const now = clock.now()
      const erasure: Erasure = {
        id: newOrderedUuid(now),
        appId,
        kind,
        digest,
        state: 'requested',
        found: null,
        names: [name],
        requestedAt: now,
        doneAt: null,
      }
      await repo.insert(erasure)
      return erasure
    },

    /** Throws `not_found`. */
    async get(appId: number, id: string): Promise<Erasure> {
      const erasure = isIdentifier(id) ? await repo.find(appId, id) : undefined
      if (!erasure) throw new AppError('not_found', `there is no erasure ${JSON.stringify(id)}`)
      return erasure
    },

    /** Erasures of all apps in one of these states, oldest first, behind `after`, at most `limit`. */
    open: (limit: number, states: readonly ErasureState[], after?: Erasure): Promise<Erasure[]> =>
      repo.open(limit, states, after),

    /** Ids among `ids` that are on the list. */
    among: (appId: number, ids: readonly string[]): Promise<string[]> => repo.among(appId, ids),

    /**
     * Puts an erasure back on the list that a restored database has forgotten. Only its digest is known: `recognise`
     * finds the name.
     */
    async restore(erasure: Pick<Erasure, 'id' | 'appId' | 'kind' | 'digest' | 'requestedAt'>): Promise<void> {
      await repo.insert({ ...erasure, state: 'requested', found: null, names: null, doneAt: null })
    },

    /**
     * Looks for the names of erasures of one app and kind of which only the digests are known: one slice of the users
     * or installs behind the row `after`. Users and installs from after the request are others. Returns the last row;
     * undefined at the end, when the erasures without a name are done.
     */
    async recognise(list: readonly Erasure[], after: number, limit: number): Promise<number | undefined> {
      const { appId, kind } = list[0]!
      const some = await repo.known(appId, kind, after, limit)
      for (const { name, createdAt } of some) {
        const digest = digestOf(appId, name)
        const erasure = list.find((one) => one.digest === digest && createdAt <= one.requestedAt)
        if (erasure) await repo.save(erasure, { names: [name] })
      }
      if (some.length === limit) return some.at(-1)!.id
      for (const { id } of list) {
        const now = await repo.find(appId, id)
        if (now?.names === null) await repo.save(now, { state: 'done', found: false, doneAt: clock.now() })
      }
      return undefined
    },

    /**
     * Indexes of the comers that were erased here: the user, the install, or a device that went with an erased user. A
     * user who came back on their own is on the list all the same: data of another service about them is older. An import
     * calls it in its transaction, with the listing of users locked, so that an erasure comes before or after it.
     */
    async erasedAmong(appId: number, comers: readonly Comer[]): Promise<Set<number>> {
      const inFile = listed().filter((one) => one.appId === appId)
      if (comers.length === 0 || (inFile.length === 0 && !(await repo.hasAny(appId)))) return new Set()
      const wanted = comers.map(({ identifier, installId, token }) => {
        const person = identifier ?? installId
        return {
          persons: person === null ? [] : [`user ${digestOf(appId, person)}`],
          installs: installId === null ? [] : [`install ${digestOf(appId, installId)}`],
          devices: [
            ...(installId === null ? [] : [digestOfInstall(appId, installId)]),
            ...(token === null ? [] : [digestOfToken(appId, token)]),
          ],
        }
      })
      const named = new Set(wanted.flatMap((one) => [...one.persons, ...one.installs]))
      const gone = new Set([
        ...inFile.map(({ kind, digest }) => `${kind} ${digest}`),
        ...(await repo.listed(appId, [...new Set([...named].map((text) => text.split(' ')[1]!))])),
        ...(await repo.devicesAmong(appId, [...new Set(wanted.flatMap(({ devices }) => devices))])),
      ])
      const isGone = (one: (typeof wanted)[number]) =>
        [...one.persons, ...one.installs, ...one.devices].some((text) => gone.has(text))
      return new Set(wanted.flatMap((one, i) => (isGone(one) ? [i] : [])))
    },

    /**
     * One step: deletes at most `limit` rows. The order makes it exact. First the tokens go, so that no page that is
     * claimed from then on is sent to these installs. Then, with the installs locked against uploads, their rows go.
     * When none is left, and nobody holds a page that was claimed before, the installs and the user go.
     */
    async step(appId: number, id: string, limit: number): Promise<Stepped> {
      const erasure = await repo.lock(appId, id)
      if (!erasure) return 'wait'
      if (!erasure.names || (erasure.state !== 'requested' && erasure.state !== 'erasing')) return 'gone'
      const name = erasure.names[0]!
      const subject = await repo.subject(appId, erasure.kind, name, INSTALLS)
      const rows = subject.installs.map(({ row }) => row)
      if (erasure.state === 'requested') {
        const found = erasure.kind === 'user' ? subject.person !== undefined : rows.length > 0
        await repo.save(erasure, { state: 'erasing', found })
      }
      if (subject.installs.some(({ token }) => token !== null)) {
        await rememberDevices(subject)
        await tokens.strip(appId, rows, clock.now())
        return 'more'
      }
      const former = await repo.formerInstalls(appId, name, rows, FORMER)
      if ((await clear(subject, { name, former }, limit)) >= limit) return 'more'
      if (former.length >= FORMER) return 'more'
      if (rows.length > 0 && (await ledger.isBeingSentTo(appId, rows))) return 'wait'
      const isLast = rows.length < INSTALLS
      if (isLast && (await imports.isReading(appId, erasure.requestedAt))) return 'wait'
      await imports.awaitBatches(appId)
      // A batch that found the person may have committed only now.
      if ((await clear(subject, { name, former }, limit, SUBSCRIBED)) >= limit) return 'more'
      await users.lockListing(appId)
      // An import that looked at the list before the request was there may have committed only now.
      if (isLast && (await hasCome({ appId, kind: erasure.kind, name }, subject))) return 'more'
      await rememberDevices(subject)
      await cut(subject, isLast)
      const names = [...new Set([...erasure.names, ...subject.names])]
      await repo.save(erasure, { names, state: isLast ? 'searching' : 'erasing' })
      if (!isLast) return 'more'
      if (erasure.kind === 'user') {
        await events.record(appId, { type: USER_ERASED, data: sealErased(vault, appId, name) })
      }
      return 'gone'
    },

    /** The next `limit` rows of one searched table: the rows in which names of erased people may stand, and the last row. */
    async searchNext(
      appId: number,
      table: number,
      names: readonly string[],
      after: Place | undefined,
      limit: number,
    ): Promise<{ hits: Place[]; last: Place | undefined }> {
      const rows = await search.next(appId, SEARCHED[table]!, names, after, limit)
      const hits = rows.filter(({ hit }) => hit).map(({ place }) => place)
      return { hits, last: rows.length === limit ? rows.at(-1)!.place : undefined }
    },

    /** Takes names out of one row that `searchNext` found. */
    async takeOut(appId: number, table: number, names: readonly string[], place: Place): Promise<void> {
      const where = SEARCHED[table]!
      const texts = await search.read(appId, where, place)
      if (!texts) return
      const gone = new Set(names)
      const without = WITHOUT[where.table]
      const changed = Object.fromEntries(
        Object.entries(texts).map(([column, text]) => [
          column,
          text === null ? null : JSON.stringify(without(readStoredOr(text, isAnything, {}), gone)),
        ]),
      )
      await search.write(appId, where, place, changed)
    },

    /** Ends the search: the names are forgotten. */
    async forgetNames(erasure: Erasure): Promise<void> {
      await repo.save(erasure, { state: 'cleaning', names: null })
    },

    async finish(erasure: Erasure): Promise<void> {
      await repo.save(erasure, { state: 'done', doneAt: clock.now() })
    },

    /** Deletes at most `limit` events that reported an erasure 30 days ago; returns how many. */
    forgetEvents: (limit: number): Promise<number> => events.forgetOfType(USER_ERASED, ERASED_EVENT_DAYS, limit),
  }
}
