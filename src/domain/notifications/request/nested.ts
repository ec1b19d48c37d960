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
} from '../../../platform/values/parse.ts'
import type { StoredContent } from '../types.ts'
import { androidFields, buttonsField, iosFields, judgePriority, presentationOf } from './presentation.ts'
import { dataField, emptyTexts, missingBlock, saysNothing, urlField } from './request.ts'
import { judgePersonal, languagesField, personalFields, personalPartsOf } from './variants.ts'

/** The common part of the v2 forms of both hosts. */

/** `content`. The rest of the request decides whether its texts may be empty. */
const contentBlock = shape({
  title: text({ empty: true }).defined(),
  message: text({ empty: true }).defined(),
  url: urlField(),
  data: dataField(),
  languages: languagesField(),
})

export const nestedFields = {
  content: requiredByRule(contentBlock),
  collapseId: text(),
  runBackgroundHandler: flag(),
  reportingMeta: jsonObject(),
  ios: shape({
    ...iosFields,
    badge: shape({ type: oneOf(['incrementBy', 'setTo']).defined(), count: integer().defined() }),
  }),
  android: shape(androidFields),
  buttons: buttonsField(),
  ...personalFields,
}

const nested = shape(nestedFields)

/** Rules that look at several blocks. */
export function judgeNested(body: Record<string, unknown>): FieldErrors {
  return {
    ...missingBlock(body, 'content', ['title', 'message']),
    ...emptyTexts(body.content, body.runBackgroundHandler, 'content.'),
    ...judgePriority(body.ios, saysNothing(body.content)),
    ...judgePersonal(body, 'content.'),
  }
}

/** Converts the common part of a checked request to the content that gateways take. */
export function contentOf(body: Infer<typeof nested>): StoredContent {
  const { content, collapseId, runBackgroundHandler } = body
  const { ios, ...presentation } = presentationOf(body)
  return {
    title: content.title,
    message: content.message,
    background: runBackgroundHandler ?? false,
    ...present({ url: content.url, data: content.data ?? undefined, collapseId }),
    ...presentation,
    ios: { ...ios, ...present({ badge: body.ios?.badge }) },
    ...personalPartsOf({ ...body, languages: content.languages }),
  }
}
