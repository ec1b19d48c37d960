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

/** The common part of the v2 forms of both hosts. */

/** `content`. Whether its texts may be empty depends on the rest of the request. */
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

/** Converts the common part of a checked request to the content that gateways take. */
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
