import type { AppRules } from '../../apps/types.ts'
import type { PeopleRepository } from '../../personalization/people/people.repository.ts'
import type { RecordsService } from '../../tables/records/records.service.ts'
import type { StoredContent } from '../types.ts'
import { type CompiledContent, compileContent } from './compiled-content.ts'

/** Reads of the app's data for texts; each is made only when a text needs it. */
export interface PersonalReads {
  /** The compiled content of a notification. Throws as `compileContent` does. */
  compiled(notificationId: number, content: StoredContent): CompiledContent
  people: PeopleRepository
  /** The parts of a notification's `userMeta` for these users, by identifier. */
  metaOf(appId: number, notificationId: number, identifiers: readonly string[]): Promise<ReadonlyMap<string, unknown>>
  /** Records of a data table by a text; see `lookUp` of the records service. */
  lookUp(
    appId: number,
    where: { alias: string; by: string; wanted: readonly string[] },
    texts: readonly string[],
  ): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>>
  appName(appId: number): Promise<string>
  /** The attribute that holds a user's language; null when the app names none. */
  languageAttribute(appId: number): Promise<string | null>
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
  records: Pick<RecordsService, 'lookUp'>
  apps: {
    get(id: number): Promise<{ name: string }>
    restraint(id: number): Promise<Pick<AppRules, 'languageAttribute'>>
  }
}

/** Makes the reads of a program. */
export function createPersonalReads({ people, opens, records, apps }: Sources): PersonalReads {
  return {
    compiled: createCompiled(),
    people,
    async metaOf(appId, notificationId, identifiers) {
      const wanted = identifiers.map((userIdentifier) => ({ notificationId, userIdentifier }))
      return (await opens.userMetadata(appId, wanted)).get(notificationId) ?? new Map()
    },
    lookUp: (appId, where, texts) => records.lookUp(appId, where, texts),
    appName: async (appId) => (await apps.get(appId)).name,
    languageAttribute: async (appId) => (await apps.restraint(appId)).languageAttribute,
  }
}
