import type { FieldErrors } from '../../../platform/errors.ts'
import { isPlainObject } from '../../../platform/json/json.ts'
import { documented, text } from '../../../platform/values/parse.ts'
import { IS_REQUIRED } from '../../../platform/values/reader.ts'

/** The field by which a request names a push template, whose content lies under what the request says itself. */

/** The uid of a push template, beside title and message. */
export const templateField = () =>
  documented(text({ max: 255 }), { description: 'The `uid` of a push template, whose content this send has' })

/** Title and message are required unless a push template has them. `prefix` is where they are. */
export function missingTexts(content: unknown, prefix: string): FieldErrors {
  if (!isPlainObject(content) || (content.template !== undefined && content.template !== null)) return {}
  const missing = ['title', 'message'].filter((key) => content[key] === undefined)
  return Object.fromEntries(missing.map((key) => [`${prefix}${key}`, [IS_REQUIRED]]))
}
