import type { FieldErrors } from '../../../platform/errors.ts'
import {
  flag,
  type Infer,
  integer,
  jsonObject,
  oneOf,
  present,
  requiredByRule,
  shape,
  text,
} from '../../../platform/parse.ts'
import type { StoredContent } from '../types.ts'
import { dataField, emptyTexts, missingBlock, urlField } from './request.ts'

/** What the v2 forms of both hosts have in common. */

/** `content`. Whether the texts may be empty, the whole request decides. */
const contentBlock = shape({
  title: text({ empty: true }).defined(),
  message: text({ empty: true }).defined(),
  url: urlField(),
  data: dataField(),
})

export const nestedFields = {
  content: requiredByRule(contentBlock),
  collapseId: text(),
  runBackgroundHandler: flag(),
  reportingMeta: jsonObject(),
}

export const iosFields = {
  category: text(),
  badge: shape({ type: oneOf(['incrementBy', 'setTo']).defined(), count: integer().defined() }),
  sound: text(),
}

export const androidFields = { highPriority: flag(), sound: text() }

const ios = shape(iosFields)
const android = shape(androidFields)
const nested = shape({ ...nestedFields, ios, android })

/** Rules that look at several blocks. */
export function judgeNested(body: Record<string, unknown>): FieldErrors {
  return {
    ...missingBlock(body, 'content', ['title', 'message']),
    ...emptyTexts(body.content, body.runBackgroundHandler, 'content.'),
  }
}

/** The common part of a checked request, in the words of the gateways. */
export function contentOf({
  content,
  collapseId,
  runBackgroundHandler,
  ios,
  android,
}: Infer<typeof nested>): StoredContent {
  return {
    title: content.title,
    message: content.message,
    background: runBackgroundHandler ?? false,
    ...present({ url: content.url, data: content.data ?? undefined, collapseId }),
    ios: present({ category: ios?.category, badge: ios?.badge, sound: ios?.sound }),
    android: present({ highPriority: android?.highPriority, sound: android?.sound }),
  }
}
