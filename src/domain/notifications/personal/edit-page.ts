import { chunks } from '../../../platform/concurrency/chunks.ts'
import { type Chain, chainBy } from '../../personalization/people/chain.ts'
import type { Person, PersonParts } from '../../personalization/people/people.repository.ts'
import { joinLookUps, type Reader, readsPeople } from '../../personalization/people/readers.ts'
import type { CompiledContent, Edited } from './compiled-content.ts'
import type { PersonalReads } from './reads.ts'

/** Recipients that are read and edited at a time: their attributes may be large. */
const SOME = 250

/** The notification whose content is edited. */
export interface EditedMessage {
  appId: number
  /** Undefined for one that is not sent yet. */
  notificationId: number | undefined
  content: CompiledContent
  /** The `userMeta` of one that is not sent yet. */
  userMeta?: Readonly<Record<string, unknown>> | undefined
  /** The language in which everybody gets it, as if that of their phone and attribute were this one; absent: each their own. */
  language?: string | undefined
  /** True when the people are wanted although no text reads them. */
  named?: boolean
}

/** Rows of installs; or of users, each of whom counts as their most recently active install. */
type Of = 'installs' | 'users'

/** Edits a content for installs, `rows`, as of `now` (ms). Calls `take` for each of them, in order. */
export async function editForInstalls(
  reads: PersonalReads,
  message: EditedMessage,
  rows: readonly number[],
  now: number,
  take: (row: number, edited: Edited, reader: Reader) => void,
): Promise<void> {
  await forReaders(reads, message, { of: 'installs', rows }, now, (row, reader, chain) =>
    take(row, message.content.edit(reader, chain), reader),
  )
}

/** Reads everything that a content needs of these people, as of `now` (ms). Calls `take` for each of them, in order. */
export async function forReaders(
  reads: PersonalReads,
  message: EditedMessage,
  { of, rows }: { of: Of; rows: readonly number[] },
  now: number,
  take: (row: number, reader: Reader, chain: Chain) => void,
): Promise<void> {
  const { appId, content, language } = message
  const { needs } = content
  const app = needs.app ? { name: await reads.appName(appId) } : undefined
  const attribute = content.hasLanguages && language === undefined ? await reads.languageAttribute(appId) : null
  const chainOf = chainBy(attribute)
  const parts = {
    ...needs.person,
    identifier: needs.person.identifier || message.named === true,
    attributes: needs.person.attributes || attribute !== null,
  }
  for (const some of readsPeople(parts) ? chunks(rows, SOME) : [rows]) {
    const readers = await readersOf(reads, message, { of, rows: some }, parts, { app, now })
    await joinLookUps(reads, appId, needs, readers)
    for (const [i, row] of some.entries()) {
      const reader = readers[i]!
      take(row, reader, language === undefined ? chainOf(reader.person) : [language])
    }
  }
}

async function readersOf(
  reads: PersonalReads,
  { appId, notificationId, content: { needs }, userMeta, language }: EditedMessage,
  { of, rows }: { of: Of; rows: readonly number[] },
  parts: PersonParts,
  same: { app: { name: string } | undefined; now: number },
): Promise<Reader[]> {
  if (!readsPeople(parts)) return rows.map(() => ({ ...same, person: undefined }))
  const people = await (of === 'installs' ? reads.people.ofInstalls : reads.people.ofUsers)(appId, rows, parts)
  const personOf = (row: number) => {
    const known = people.get(row)
    return known && language !== undefined ? { ...known, locale: language } : known
  }
  const { app, now } = same
  if (!needs.meta) return rows.map((row) => ({ app, now, person: personOf(row) }))
  const metaOf = userMeta ? partOf(userMeta) : await storedMeta(reads, appId, notificationId, people)
  return rows.map((row) => {
    const person = personOf(row)
    return { ...same, person, meta: person && metaOf(person.identifier!) }
  })
}

type MetaOf = (identifier: string) => unknown

const partOf =
  (userMeta: Readonly<Record<string, unknown>>): MetaOf =>
  (identifier) =>
    Object.hasOwn(userMeta, identifier) ? userMeta[identifier] : undefined

/** The metadata of a notification for these people; none for one that is not sent yet. */
async function storedMeta(
  reads: PersonalReads,
  appId: number,
  notificationId: number | undefined,
  people: ReadonlyMap<number, Person>,
): Promise<MetaOf> {
  if (notificationId === undefined) return () => undefined
  const identifiers = [...new Set([...people.values()].map(({ identifier }) => identifier!))]
  const meta = await reads.metaOf(appId, notificationId, identifiers)
  return (identifier) => meta.get(identifier)
}
