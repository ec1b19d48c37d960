import {
  checked,
  closedShape,
  documented,
  type Infer,
  integer,
  jsonObject,
  judged,
  oneOf,
  shape,
  text,
} from '../../platform/values/parse.ts'
import { uidText } from '../../platform/values/uid.ts'
import { checkTemplate } from './check.ts'
import { STARTER_NAMES, STARTERS } from './starters/index.ts'
import { type ContentDocument, type NewTemplate, TAG_TYPES, type Tag, type TemplateChange } from './types.ts'

/**
 * The file of a template, which is also the body of requests. Unknown fields are errors: a misspelt one would affect
 * every message.
 */

const uid = uidText()
const name = text({ max: 255 })

const content = documented(jsonObject(), {
  properties: { ver: { const: 1 }, frame: { type: 'object' }, defaults: { type: 'object' } },
  required: ['ver', 'frame'],
  description: 'The document that a message shows, with {{tags}} in its texts; see docs/templates.md',
})

const tags = documented(
  // Checked with the whole template.
  checked<unknown>(() => ({})),
  {
    type: 'array',
    maxItems: 50,
    items: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 64 },
        type: { enum: TAG_TYPES },
        required: { type: 'boolean', default: true },
        default: { type: ['string', 'number'] },
      },
      required: ['title', 'type'],
    },
  },
)

const sample = documented(jsonObject(), { description: 'Values for a preview, by title of the tag' })

/** Further fields of responses, so that a template can be sent back as it was read. */
const asRead = documented(
  checked<unknown>(() => ({})),
  { description: 'As in responses; ignored' },
)
const READ_ONLY = { appId: asRead, version: asRead, createdAt: asRead, updatedAt: asRead }

/** Body of creating a template: a complete one, or the name of a starter. */
export const createTemplate = judged(
  closedShape({ uid, name, content, tags, sample, starter: oneOf(STARTER_NAMES), ...READ_ONLY }).required(),
  (given) => {
    const parts = ['content', 'tags', 'sample'].filter((part) => given[part] !== undefined)
    if (given.starter !== undefined) {
      return Object.fromEntries(parts.map((part) => [part, ['cannot be combined with starter, which has its own']]))
    }
    if (given.content === undefined)
      return { content: ['is required, or starter: the name of a template to start from'] }
    return checkTemplate({ content: given.content, tags: given.tags ?? [], sample: given.sample ?? {} })
  },
)

/** Body of changing a template: absent fields are left unchanged. The service checks new tags against old content. */
export const updateTemplate = judged(
  closedShape({ uid, name, content, tags, sample, ...READ_ONLY }).required(),
  (change) =>
    ['name', 'content', 'tags', 'sample'].every((part) => change[part] === undefined)
      ? { '': ['names nothing to change'] }
      : checkTemplate(change),
)

/** Body of a preview: `content` holds values by the titles of the tags; without it the sample values are used. */
export const previewTemplate = shape({
  content: documented(jsonObject(), { description: 'Values by title of the tag; absent: the sample values' }),
}).required()

/** Query of lists: `after` is the `next` of the previous page. */
export const templatesPage = shape({
  after: integer({ min: 1 }),
  limit: integer({ min: 1, max: 1000 }).default(50),
})

/** A body that `createTemplate` accepted, with all defaults filled in. */
export function newTemplate({ starter, uid, name, ...body }: Infer<typeof createTemplate>): NewTemplate {
  if (starter !== undefined) {
    const { name: title, content, tags, sample } = STARTERS[starter]
    return { uid, name: name ?? title, content, tags: wholeTags(tags), sample }
  }
  return {
    uid,
    name,
    content: body.content as unknown as ContentDocument,
    tags: wholeTags(body.tags ?? []),
    sample: body.sample ?? {},
  }
}

/** A body that `updateTemplate` accepted. */
export function templateChange({ uid, name, content, tags, sample }: Infer<typeof updateTemplate>): TemplateChange {
  return {
    ...(uid !== undefined && { uid }),
    ...(name !== undefined && { name }),
    ...(content !== undefined && { content: content as unknown as ContentDocument }),
    ...(tags !== undefined && { tags: wholeTags(tags) }),
    ...(sample !== undefined && { sample }),
  }
}

function wholeTags(given: unknown): Tag[] {
  const tags = given as (Omit<Tag, 'required'> & Partial<Tag>)[]
  return tags.map(({ title, type, required = true, ...rest }) => ({ title, type, required, ...rest }))
}
