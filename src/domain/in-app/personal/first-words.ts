import { isAppError } from '../../../platform/errors.ts'
import type { TemplatesService } from '../../templates/service.ts'
import type { TagValues } from '../../templates/types.ts'
import { documentAsWritten, wordsOf } from './as-written.ts'

/** A message that is not made yet. */
interface Unmade {
  /** The uid of its template. */
  template: string
  content: TagValues
}

/**
 * Makes the function that finds the first words of a message that is not made yet, as its template is now: with its texts as they
 * are written. Empty without words, or without the template.
 */
export function createFirstWords(templates: Pick<TemplatesService, 'get'>) {
  return async function firstWords(appId: number, { template: uid, content: tagValues }: Unmade): Promise<string> {
    try {
      const { content, tags } = await templates.get(appId, uid)
      return wordsOf(documentAsWritten({ content, tagValues, personal: { tags } })).title
    } catch (error) {
      if (isAppError(error) && error.code === 'not_found') return ''
      throw error
    }
  }
}
