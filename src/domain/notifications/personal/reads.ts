import type { PeopleRepository } from '../../personalization/people/people.repository.ts'
import type { AppReads } from '../../personalization/people/readers.ts'
import type { StoredContent } from '../types.ts'
import { type CompiledContent, compileContent } from './compiled-content.ts'

/** Reads of the app's data for texts; each is made only when a text needs it. */
export interface PersonalReads extends AppReads {
  /** The compiled content of a notification. Throws as `compileContent` does. */
  compiled(notificationId: number, content: StoredContent): CompiledContent
  people: PeopleRepository
  /** The parts of a notification's `userMeta` for these users, by identifier. */
  metaOf(appId: number, notificationId: number, identifiers: readonly string[]): Promise<ReadonlyMap<string, unknown>>
}

/** Contents that are kept compiled. */
const MAX_KEPT = 64

/** Makes the function that compiles contents of notifications, and keeps those used last: the content of one never changes. */
function createCompiled(): PersonalReads['compiled'] {
  const kept = new Map<number, CompiledContent>()
  return (notificationId, content) => {
    const compiled = kept.get(notificationId) ?? compileContent(content)
    kept.delete(notificationId)
    kept.set(notificationId, compiled)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!)
    return compiled
  }
}

interface Sources {
  people: PersonalReads['people']
  opens: {
    /** By notification, then by user. */
    userMetadata(
      appId: number,
      wanted: readonly { notificationId: number; userIdentifier: string }[],
    ): Promise<ReadonlyMap<number, ReadonlyMap<string, unknown>>>
  }
  reads: AppReads
}

/** Makes the reads of a program. */
export function createPersonalReads({ people, opens, reads }: Sources): PersonalReads {
  return {
    ...reads,
    compiled: createCompiled(),
    people,
    async metaOf(appId, notificationId, identifiers) {
      const wanted = identifiers.map((userIdentifier) => ({ notificationId, userIdentifier }))
      return (await opens.userMetadata(appId, wanted)).get(notificationId) ?? new Map()
    },
  }
}
