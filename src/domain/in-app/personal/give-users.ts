import { chunks } from '../../../platform/concurrency/chunks.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import { type Chain, chainBy } from '../../personalization/people/chain.ts'
import type { PeopleRepository } from '../../personalization/people/people.repository.ts'
import { type AppReads, joinLookUps, type Reader, readsPeople } from '../../personalization/people/readers.ts'
import type { InAppMessage, PersonalContent } from '../types.ts'
import { type CompiledMessage, compileMessage, type ForUser } from './compiled-message.ts'

/** Users that are read at a time: their attributes may be large. */
const SOME = 250

/** The data that texts of in-app messages read. */
export interface InAppReads extends AppReads {
  people: Pick<PeopleRepository, 'ofUsers'>
}

/** A message whose texts are read by users. */
export interface ReadMessage {
  appId: number
  message: CompiledMessage
  /** The language in which everybody gets it, as if that of their phone and attribute were this one; absent: each their own. */
  language?: string | undefined
  /** True when the identifiers of the users are wanted although no text reads them. */
  named?: boolean
}

/** Finds out for each of these users what becomes of a message, with what is stored about them now (ms). */
export async function forUsers(
  reads: InAppReads,
  asked: ReadMessage,
  users: readonly number[],
  now: number,
): Promise<Map<number, ForUser>> {
  const found = new Map<number, ForUser>()
  await forReaders(reads, asked, users, now, (user, reader, chain) =>
    found.set(user, asked.message.give(reader, chain)),
  )
  return found
}

/** Reads everything that a message needs of these users, as of `now` (ms). Calls `take` for each of them, in order. */
export async function forReaders(
  reads: InAppReads,
  { appId, message: { needs, hasLanguages }, language, named = false }: ReadMessage,
  users: readonly number[],
  now: number,
  take: (user: number, reader: Reader, chain: Chain) => void,
): Promise<void> {
  const app = needs.app ? { name: await reads.appName(appId) } : undefined
  const attribute = hasLanguages && language === undefined ? await reads.languageAttribute(appId) : null
  const chainOf = language === undefined ? chainBy(attribute) : () => [language]
  const parts = {
    ...needs.person,
    identifier: needs.person.identifier || named,
    attributes: needs.person.attributes || attribute !== null,
  }
  for (const some of chunks(users, SOME)) {
    const people = readsPeople(parts) ? await reads.people.ofUsers(appId, some, parts) : undefined
    const readers = some.map((user): Reader => {
      const person = people?.get(user)
      return { person: person && language !== undefined ? { ...person, locale: language } : person, app, now }
    })
    await joinLookUps(reads, appId, needs, readers)
    for (const [i, user] of some.entries()) take(user, readers[i]!, chainOf(readers[i]!.person))
  }
}

/** Messages that are kept compiled. */
const MAX_KEPT = 64

export type CompiledMessages = ReturnType<typeof createCompiledMessages>

/** A message as it was stored, and as each edit has stored it. */
export type Edition = Pick<InAppMessage, 'id' | 'editedAt'>

/** A name for an edition: what it shows and its times never change. */
export const editionOf = ({ id, editedAt }: Edition): string => `${id}/${editedAt ?? ''}`

/** Keeps the compiled messages that were used last. */
export function createCompiledMessages() {
  const kept = new Map<string, CompiledMessage>()
  function keep(id: string, compiled: CompiledMessage): CompiledMessage {
    kept.delete(id)
    kept.set(id, compiled)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    return compiled
  }
  return {
    get(edition: Edition): CompiledMessage | undefined {
      const key = editionOf(edition)
      const compiled = kept.get(key)
      return compiled && keep(key, compiled)
    },

    /** Throws `Unreadable`. */
    add(edition: Edition, content: PersonalContent): CompiledMessage {
      try {
        return keep(editionOf(edition), compileMessage(content))
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        throw new Unreadable(`what in-app message ${edition.id} says`)
      }
    },
  }
}
