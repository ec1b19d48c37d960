import { chunks } from '../../../platform/concurrency/chunks.ts'
import { readBarePath } from '../../../platform/json/path.ts'
import { type Chain, chainBy } from '../../personalization/people/chain.ts'
import type { Person, PersonParts } from '../../personalization/people/people.repository.ts'
import { type PickedAttributes, pickedAttributes } from '../../personalization/people/picked-attributes.ts'
import { joinLookUps, type Reader, readsPeople } from '../../personalization/people/readers.ts'
import type { CompiledContent } from './compiled-content.ts'
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

/** The editing of a content, as of one moment: what it needs of its people, and how to get everything else. */
export interface Editing {
  parts: PersonParts
  /** The attributes that are picked from the document; undefined where the whole of it is read, or nothing. */
  attributes: PickedAttributes | undefined
  /**
   * True when what somebody gets depends on nothing but their attributes and their locale: two who agree in what is read of these get
   * the same.
   */
  isShared: boolean
  /** The rows that are read at a time. */
  some(rows: readonly number[]): Iterable<readonly number[]>
  /**
   * Calls `take` for each of these people, in their order, with the reader that they are and the tags of their language. One who is gone is
   * undefined. A reader may be used again for the next one.
   */
  eachReader(people: readonly (Person | undefined)[], take: TakeReader): Promise<void>
}

type TakeReader = (index: number, reader: Reader, chain: Chain) => void

const NO_CHAIN: Chain = []

/** Begins to edit a content as of `now` (ms). */
export async function startEditing(reads: PersonalReads, message: EditedMessage, now: number): Promise<Editing> {
  const { appId, content, language } = message
  const { needs } = content
  const app = needs.app ? { name: await reads.appName(appId) } : undefined
  const attribute = content.hasLanguages && language === undefined ? await reads.languageAttribute(appId) : null
  const chainOf = chainFor(content, language, attribute)
  const parts = {
    ...needs.person,
    identifier: needs.person.identifier || message.named === true,
    attributes: needs.person.attributes || attribute !== null,
  }
  const path = attribute === null ? undefined : readBarePath(attribute)
  return {
    parts,
    attributes: parts.attributes ? pickedAttributes(content.paths, path) : undefined,
    isShared: !(parts.identifier || parts.install || needs.meta || needs.lookUps.length > 0),
    some: (rows) => (parts.attributes ? chunks(rows, SOME) : [rows]),
    async eachReader(people, take) {
      const personOf = (known: Person | undefined) =>
        known && language !== undefined ? { ...known, locale: language } : known
      if (!needs.meta && needs.lookUps.length === 0) {
        // One for all of them: a broadcast would make one for each recipient, and forget it at once.
        const reader: Reader = { app, now, person: undefined }
        for (let i = 0; i < people.length; i++) {
          reader.person = personOf(people[i])
          take(i, reader, chainOf(reader.person))
        }
        return
      }
      const metaOf = needs.meta ? await metaFor(reads, message, people) : undefined
      const readers = people.map((known): Reader => {
        const person = personOf(known)
        return metaOf ? { app, now, person, meta: person && metaOf(person.identifier!) } : { app, now, person }
      })
      await joinLookUps(reads, appId, needs, readers)
      for (const [i, reader] of readers.entries()) take(i, reader, chainOf(reader.person))
    },
  }
}

/** Makes the function that tells the chain of a person: empty where a content has no languages, and nobody asks. */
function chainFor({ hasLanguages }: CompiledContent, language: string | undefined, attribute: string | null) {
  if (!hasLanguages) return () => NO_CHAIN
  return language === undefined ? chainBy(attribute) : () => [language]
}

/** Reads everything that a content needs of these people, as of `now` (ms). Calls `take` for each of them, in order. */
export async function forReaders(
  reads: PersonalReads,
  message: EditedMessage,
  { of, rows }: { of: Of; rows: readonly number[] },
  now: number,
  take: (row: number, reader: Reader, chain: Chain) => void,
): Promise<void> {
  const { parts, some, eachReader } = await startEditing(reads, message, now)
  const read = of === 'installs' ? reads.people.ofInstalls : reads.people.ofUsers
  for (const few of some(rows)) {
    const people = readsPeople(parts) ? await read(message.appId, few, parts) : undefined
    await eachReader(
      few.map((row) => people?.get(row)),
      (i, reader, chain) => take(few[i]!, reader, chain),
    )
  }
}

type MetaOf = (identifier: string) => unknown

const partOf =
  (userMeta: Readonly<Record<string, unknown>>): MetaOf =>
  (identifier) =>
    Object.hasOwn(userMeta, identifier) ? userMeta[identifier] : undefined

/** The metadata of a request for these people; none for a notification that is not sent yet and brings none. */
async function metaFor(
  reads: PersonalReads,
  { appId, notificationId, userMeta }: EditedMessage,
  people: readonly (Person | undefined)[],
): Promise<MetaOf> {
  if (userMeta) return partOf(userMeta)
  if (notificationId === undefined) return () => undefined
  const identifiers = new Set(people.flatMap((person) => person?.identifier ?? []))
  const meta = await reads.metaOf(appId, notificationId, [...identifiers])
  return (identifier) => meta.get(identifier)
}
