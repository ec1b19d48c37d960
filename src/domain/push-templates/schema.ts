import type { FieldErrors } from '../../platform/errors.ts'
import {
  checked,
  closedShape,
  documented,
  type Infer,
  integer,
  judged,
  requiredByRule,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { uidText } from '../../platform/values/uid.ts'
import { contentFields, judgeNested, nestedIosFields } from '../notifications/request/nested.ts'
import { androidFields, buttonsField } from '../notifications/request/presentation.ts'
import type { PushTemplateBody } from '../notifications/request/request.ts'
import { misplacedInTemplate, personalFields } from '../notifications/request/variants.ts'
import { missingTexts } from '../personalization/request/push-template.ts'
import { BODY_PARTS, type NewPushTemplate, type PushTemplateChange } from './types.ts'

/**
 * The file of a push template, which is also the body of requests: everything that says what a push says, as the body of a send has
 * it. Unknown fields are errors, because a misspelt one would be missing in every push.
 */

const uid = uidText()
const name = text({ max: 255 })
const content = closedShape(contentFields)
const ios = () => closedShape(nestedIosFields)
const android = () => closedShape(androidFields)

/** Further fields of responses, so that a push template can be sent back as it was read. */
const asRead = documented(
  checked<unknown>(() => ({})),
  { description: 'As in responses; ignored' },
)
const READ_ONLY = { appId: asRead, version: asRead, createdAt: asRead, updatedAt: asRead }

/** Body of creating a push template. */
export const createPushTemplate = judged(
  closedShape({
    uid,
    name,
    content: requiredByRule(content),
    ...personalFields,
    ios: ios(),
    android: android(),
    buttons: buttonsField(),
    ...READ_ONLY,
  }).required(),
  judgeBody,
)

/** Body of changing a push template: absent fields are left unchanged, null clears one that is not required. */
export const updatePushTemplate = judged(
  closedShape({
    uid,
    name,
    content,
    personalize: personalFields.personalize.nullable(),
    lookup: personalFields.lookup.nullable(),
    ios: ios().nullable(),
    android: android().nullable(),
    buttons: buttonsField().nullable(),
    ...READ_ONLY,
  }).required(),
  (change) => {
    if (['name', ...BODY_PARTS].every((part) => change[part] === undefined)) return { '': ['names nothing to change'] }
    // The service judges the whole that comes out of it.
    return { ...misplacedInTemplate(change), ...missingTexts(change.content, 'content.') }
  },
)

/** Body of a preview: what a send says itself, beside the push template. */
export const previewPushTemplate = judged(
  shape({
    content: closedShape(contentFields),
    ...personalFields,
    ios: ios(),
    android: android(),
    buttons: buttonsField(),
  }).required(),
  misplacedInTemplate,
)

/** Query of lists: `after` is the `next` of the previous page. */
export const pushTemplatesPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** A push template has title and message, as a push that is shown. */
function judgeBody(body: Record<string, unknown>): FieldErrors {
  return {
    ...misplacedInTemplate(body),
    ...judgeNested(Object.fromEntries(BODY_PARTS.map((part) => [part, body[part]]))),
  }
}

/** A body that `createPushTemplate` accepted. */
export function newPushTemplate({ uid, name, ...given }: Infer<typeof createPushTemplate>): NewPushTemplate {
  return { uid, name, body: partsOf(given) as unknown as PushTemplateBody }
}

/** A body that `updatePushTemplate` accepted. */
export function pushTemplateChange({ uid, name, ...given }: Infer<typeof updatePushTemplate>): PushTemplateChange {
  return { uid, name, body: partsOf(given) }
}

/** A body that `previewPushTemplate` accepted. */
export function pushTemplateOverride(given: Infer<typeof previewPushTemplate>): Partial<PushTemplateBody> {
  return partsOf(given)
}

function partsOf(given: Partial<Record<(typeof BODY_PARTS)[number], unknown>>): Record<string, unknown> {
  return Object.fromEntries(BODY_PARTS.flatMap((part) => (given[part] === undefined ? [] : [[part, given[part]]])))
}
