import { chunks } from '../../../platform/concurrency/chunks.ts'
import { Unreadable } from '../../../platform/values/unreadable.ts'
import { chainBy } from '../../personalization/people/chain.ts'
import type { PeopleRepository } from '../../personalization/people/people.repository.ts'
import { type AppReads, joinLookUps, type Reader, readsPeople } from '../../personalization/people/readers.ts'
import type { PersonalContent } from '../types.ts'
import { type CompiledMessage, compileMessage, type ForUser } from './compiled-message.ts'

/** Users that are read at a time: their attributes may be large. */
const SOME = 250

/** The data that texts of in-app messages read. */
export interface InAppReads extends AppReads {
  people: Pick<PeopleRepository, 'ofUsers'>
}

/** Finds out for each of these users what becomes of a message, with what is stored about them now (ms). */
export async function forUsers(
  reads: InAppReads,
  { appId, message }: { appId: number; message: CompiledMessage },
  users: readonly number[],
  now: number,
): Promise<Map<number, ForUser>> {
  const { needs, hasLanguages } = message
  const app = needs.app ? { name: await reads.appName(appId) } : undefined
  const attribute = hasLanguages ? await reads.languageAttribute(appId) : null
  const chainOf = chainBy(attribute)
  const parts = { ...needs.person, attributes: needs.person.attributes || attribute !== null }
  const found = new Map<number, ForUser>()
  for (const some of chunks(users, SOME)) {
    const people = readsPeople(parts) ? await reads.people.ofUsers(appId, some, parts) : undefined
    const readers = some.map((user): Reader => ({ person: people?.get(user), app, now }))
    await joinLookUps(reads, appId, needs, readers)
    for (const [i, user] of some.entries()) {
      const reader = readers[i]!
      found.set(user, message.give(reader, chainOf(reader.person)))
    }
  }
  return found
}

/** Messages that are kept compiled. */
const MAX_KEPT = 64

export type CompiledMessages = ReturnType<typeof createCompiledMessages>

/** Keeps the compiled messages that were used last: what a message shows never changes. */
export function createCompiledMessages() {
  const kept = new Map<number, CompiledMessage>()
  function keep(id: number, compiled: CompiledMessage): CompiledMessage {
    kept.delete(id)
    kept.set(id, compiled)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    return compiled
  }
  return {
    get(id: number): CompiledMessage | undefined {
      const compiled = kept.get(id)
      return compiled && keep(id, compiled)
    },

    /** Throws `Unreadable`. */
    add(id: number, content: PersonalContent): CompiledMessage {
      try {
        return keep(id, compileMessage(content))
      } catch (error) {
        if (!(error instanceof TypeError)) throw error
        throw new Unreadable(`what in-app message ${id} says`)
      }
    },
  }
}
