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
import { missingTexts, templateField } from '../../personalization/request/push-template.ts'
import type { StoredContent } from '../types.ts'
import { androidFields, buttonsField, iosFields, judgePriority, presentationOf } from './presentation.ts'
import {
  dataField,
  emptyTexts,
  missingBlock,
  type NotificationRequest,
  type PushTemplateBody,
  saysNothing,
  type Unfinished,
  urlField,
} from './request.ts'
import { nestedWith, unfinished } from './template.ts'
import { judgePersonal, languagesField, personalFields, personalPartsOf } from './variants.ts'

/** The common part of the v2 forms of both hosts. */

/** The fields of `content`. The rest of the request decides whether its texts may be empty, and whether they may be missing. */
export const contentFields = {
  title: text({ empty: true }),
  message: text({ empty: true }),
  url: urlField(),
  data: dataField(),
  languages: languagesField(),
}

export const nestedIosFields = {
  ...iosFields,
  badge: shape({ type: oneOf(['incrementBy', 'setTo']).defined(), count: integer().defined() }),
}

export const nestedFields = {
  content: requiredByRule(shape({ ...contentFields, template: templateField() })),
  collapseId: text(),
  runBackgroundHandler: flag(),
  reportingMeta: jsonObject(),
  ios: shape(nestedIosFields),
  android: shape(androidFields),
  buttons: buttonsField(),
  ...personalFields,
}

const nested = shape(nestedFields)

/** Rules that look at several blocks. */
export function judgeNested(body: Record<string, unknown>): FieldErrors {
  return {
    ...missingBlock(body, 'content', ['title', 'message']),
    ...missingTexts(body.content, 'content.'),
    ...emptyTexts(body.content, body.runBackgroundHandler, 'content.'),
    ...judgePriority(body.ios, saysNothing(body.content)),
    ...judgePersonal(body, 'content.'),
  }
}

/** Converts the common part of a checked request to the content that gateways take. Texts of a template are still empty. */
export function contentOf(body: Infer<typeof nested>): StoredContent {
  const { content, collapseId, runBackgroundHandler } = body
  const { ios, ...presentation } = presentationOf(body)
  return {
    title: content.title ?? '',
    message: content.message ?? '',
    background: runBackgroundHandler ?? false,
    ...present({ url: content.url, data: content.data ?? undefined, collapseId }),
    ...presentation,
    ios: { ...ios, ...present({ badge: body.ios?.badge }) },
    ...personalPartsOf({ ...body, languages: content.languages }),
  }
}

/** The means by which a checked nested request becomes whole, if it names a push template. `read` checks and converts the whole body. */
export function unfinishedNested(
  body: Infer<typeof nested>,
  read: (body: Record<string, unknown>) => NotificationRequest,
): Unfinished | undefined {
  const merge = (template: PushTemplateBody) => nestedWith(template, body)
  return unfinished(body.content.template, 'content.template', { merge, read })
}
