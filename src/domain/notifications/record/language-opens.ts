import { languageMatcher } from '../../personalization/languages.ts'
import { chainBy } from '../../personalization/people/chain.ts'
import { DEFAULT_LANGUAGE } from '../../personalization/people/readers.ts'
import type { PersonalReads } from '../personal/reads.ts'
import type { LanguageCounts } from './language-counts.repository.ts'

/** An install that opened a notification for the first time. */
interface Opened {
  id: number
  row: number
}

/**
 * Makes the function that counts openings by language: by the one among those that somebody got which fits the install at that
 * moment. It is the one that was sent, unless the person changed their language in between.
 */
export function createLanguageOpens(
  counts: Pick<LanguageCounts, 'languagesOf' | 'countLanguages'>,
  { people, languageAttribute }: Pick<PersonalReads, 'people' | 'languageAttribute'>,
) {
  return async (appId: number, opened: readonly Opened[]): Promise<void> => {
    if (opened.length === 0) return
    const languages = await counts.languagesOf(appId, [...new Set(opened.map(({ id }) => id))])
    const spoken = opened.filter(({ id }) => languages.has(id))
    if (spoken.length === 0) return
    const attribute = await languageAttribute(appId)
    const chainOf = chainBy(attribute)
    const rows = [...new Set(spoken.map(({ row }) => row))]
    const known = await people.ofInstalls(appId, rows, {
      identifier: false,
      attributes: attribute !== null,
      locale: true,
      install: false,
    })
    for (const [id, some] of [...Map.groupBy(spoken, ({ id }) => id)].toSorted(([a], [b]) => a - b)) {
      const match = languageMatcher(languages.get(id)!.filter((language) => language !== DEFAULT_LANGUAGE))
      const sums = new Map<string, number>()
      for (const { row } of some) {
        const language = match(chainOf(known.get(row))) ?? DEFAULT_LANGUAGE
        sums.set(language, (sums.get(language) ?? 0) + 1)
      }
      await counts.countLanguages({ appId, notificationId: id }, { opened: sums })
    }
  }
}
