import {
  ANIMATIONS,
  CLOSE_BUTTONS,
  FRAME_TYPES,
  GRAVITIES,
  type Rendered,
  type Starter,
  TAG_TYPES,
  TEXT_NODES,
  type Template,
  type TemplateBody,
  type TemplateVersion,
  type WholeTemplate,
} from '../../domain/templates/types.ts'
import { plainUtc } from '../../platform/time/clock.ts'
import {
  answerOf,
  boolean,
  free,
  integer,
  list,
  object,
  oneOf,
  optional,
  pageOf,
  plainTime,
  string,
} from '../schema.ts'

/** A template in a list, without what it holds. */
export function presentTemplate({ appId, uid, name, version, createdAt, updatedAt }: Template) {
  return { appId, uid, name, version, createdAt: plainUtc(createdAt), updatedAt: plainUtc(updatedAt) }
}

/**
 * A template with its newest version; `uid`, `name`, `content`, `tags` and `sample` are a file that makes another
 * like it.
 */
export function presentWholeTemplate(template: WholeTemplate) {
  const { createdAt, updatedAt, ...said } = presentTemplate(template)
  return { ...said, ...presentBody(template), createdAt, updatedAt }
}

export function presentVersion({ uid }: Pick<Template, 'uid'>, { version, createdAt, ...body }: TemplateVersion) {
  return { uid, version, ...presentBody(body), createdAt: plainUtc(createdAt) }
}

/** A version in a list, without what it holds. */
export function presentVersionLine({ version, createdAt }: Pick<TemplateVersion, 'version' | 'createdAt'>) {
  return { version, createdAt: plainUtc(createdAt) }
}

/** The finished document, as devices get it. */
export function presentRendered({ version, content }: Rendered) {
  return { version, content }
}

/** Starters by name -> a list of them, with their documents. */
export function presentStarters(starters: Readonly<Record<string, Starter>>) {
  return Object.entries(starters).map(([starter, { name, summary, content, tags, sample }]) => ({
    starter,
    name,
    summary,
    content,
    tags,
    sample,
  }))
}

function presentBody({ content, tags, sample }: TemplateBody) {
  return { content, tags, sample }
}

const partOf = (types: readonly string[], title: string) => ({
  ...object({ type: oneOf(types) }, title),
  additionalProperties: true,
})
const frame = object(
  {
    type: oneOf(FRAME_TYPES),
    nodes: list(partOf([...TEXT_NODES, 'image', 'video', 'button'], 'FrameNode')),
    backgroundLayers: optional(list(partOf(['color', 'gradient', 'image', 'video'], 'FrameLayer'))),
    stackingGravity: optional(oneOf(GRAVITIES)),
    closeButton: optional(oneOf(CLOSE_BUTTONS)),
    animation: optional(oneOf(ANIMATIONS)),
  },
  'Frame',
)
const contentDocument = object({ ver: { const: 1 }, frame, defaults: optional(free) }, 'ContentDocument')
const tag = object(
  {
    title: string,
    type: oneOf(TAG_TYPES),
    required: boolean,
    default: optional({ type: ['string', 'number'] }),
  },
  'TemplateTag',
)
const body = { content: contentDocument, tags: list(tag), sample: free }

const templateLine = answerOf<typeof presentTemplate>('TemplateLine', {
  appId: integer,
  uid: string,
  name: string,
  version: integer,
  createdAt: plainTime,
  updatedAt: plainTime,
})
export const templatePage = pageOf('templates', templateLine)

export const template = answerOf<typeof presentWholeTemplate>('Template', {
  appId: integer,
  uid: string,
  name: string,
  version: integer,
  ...body,
  createdAt: plainTime,
  updatedAt: plainTime,
})

export const templateVersion = answerOf<typeof presentVersion>('TemplateVersion', {
  uid: string,
  version: integer,
  ...body,
  createdAt: plainTime,
})
export const versionPage = pageOf(
  'versions',
  answerOf<typeof presentVersionLine>('TemplateVersionLine', { version: integer, createdAt: plainTime }),
)

export const renderedTemplate = answerOf<typeof presentRendered>('RenderedTemplate', {
  version: integer,
  content: contentDocument,
})

export const starters = object(
  {
    starters: list(object({ starter: string, name: string, summary: string, ...body }, 'TemplateStarter')),
  },
  'TemplateStarters',
)
