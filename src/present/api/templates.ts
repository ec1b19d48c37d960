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
  type TemplateVersion,
  type WholeTemplate,
} from '../../domain/templates/types.ts'
import {
  answer,
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
  told,
  type Words,
} from '../schema.ts'
import { APP_ID, CREATED_AT, GEOFENCE_NAME, UPDATED_AT } from '../words.ts'

export const TYPE: Words = ['What its values are.', 'text']
const TEMPLATE_LINE_UID: Words = ['What callers call the template; unique in the app.', 'opening-hours']
const VERSION: Words = ['Number of the version, from 1.', 2]

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

const partOf = (title: string, says: string, types: readonly string[], example: object) => ({
  ...object(title, says, { type: told(oneOf(types), 'What it is. The other members depend on it.') }, example),
  additionalProperties: true,
})
const frame = object('Frame', 'The shape on the screen with what is in it.', {
  type: told(oneOf(FRAME_TYPES), 'The shape.', 'alert'),
  nodes: told(
    list(
      partOf('FrameNode', 'A text, picture, video or button.', [...TEXT_NODES, 'image', 'video', 'button'], {
        type: 'heading',
        text: '{{Title}}',
      }),
    ),
    'Texts, pictures, videos and buttons, from top to bottom.',
  ),
  backgroundLayers: optional(
    told(
      list(
        partOf('FrameLayer', 'A colour, gradient, picture or video.', ['color', 'gradient', 'image', 'video'], {
          type: 'color',
          color: '#1753d8',
        }),
      ),
      'What lies behind the nodes, from back to front.',
    ),
  ),
  stackingGravity: optional(
    told(oneOf(GRAVITIES), 'Where the nodes are stacked from. Default `centered`.', 'centered'),
  ),
  closeButton: optional(told(oneOf(CLOSE_BUTTONS), 'Where the close button is. Default `top-right`.', 'top-right')),
  animation: optional(told(oneOf(ANIMATIONS), 'How it appears. Default `slide` for an inset, else `fade`.', 'fade')),
})
const contentDocument = object(
  'ContentDocument',
  'What a message shows; see `docs/templates.md`.',
  {
    ver: told({ const: 1 }, 'Version of the format.'),
    frame: told(frame, 'The shape on the screen with what is in it.', {
      type: 'alert',
      nodes: [
        { type: 'heading', text: '{{Title}}' },
        { type: 'button', text: 'OK', actions: [{ type: 'closeMessage' }] },
      ],
    }),
    defaults: optional(told(free, 'Font, colour, direction and language for the whole document.', { dir: 'auto' })),
  },
  {
    ver: 1,
    frame: {
      type: 'alert',
      nodes: [
        { type: 'heading', text: '{{Title}}' },
        { type: 'button', text: 'OK', actions: [{ type: 'closeMessage' }] },
      ],
    },
  },
)
const tag = object('TemplateTag', 'A place in a template that each message fills.', {
  title: told(string, 'Name of the tag: `{{Title}}` in the document.', 'Title'),
  type: told(oneOf(TAG_TYPES), TYPE),
  required: told(boolean, 'Whether a message must have a value for it, unless there is a default.', true),
  default: optional(told({ type: ['string', 'number'] }, 'The value where a message has none.', 'Closed today')),
})
const body = {
  content: told(contentDocument, 'The document.'),
  tags: told(list(tag), 'The dynamic tags of the document.'),
  sample: told(free, 'Values for a preview, by title of the tag.', { Title: 'Closed on Monday' }),
}

/** A template in a list, without what it holds. */
const templateLine = answer<Template>()('TemplateLine', 'A template without its document.', {
  appId: told(integer, APP_ID),
  uid: told(string, TEMPLATE_LINE_UID),
  name: told(string, GEOFENCE_NAME),
  version: told(integer, VERSION),
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentTemplate = templateLine.present
export const templatePage = pageOf('templates', 'One page of templates.', 'The templates of this page.', templateLine)

/**
 * A template with its newest version; `uid`, `name`, `content`, `tags` and `sample` are a file that makes another
 * like it.
 */
export const template = answer<WholeTemplate>()('Template', 'A template with its newest version.', {
  appId: told(integer, APP_ID),
  uid: told(string, TEMPLATE_LINE_UID),
  name: told(string, GEOFENCE_NAME),
  version: told(integer, VERSION),
  ...body,
  createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  updatedAt: told(plainTime, UPDATED_AT, '2026-03-01 12:30:00'),
})
export const presentWholeTemplate = template.present

export const templateVersion = answer<Pick<Template, 'uid'> & TemplateVersion>()(
  'TemplateVersion',
  'One version of a template.',
  {
    uid: told(string, TEMPLATE_LINE_UID),
    version: told(integer, VERSION),
    ...body,
    createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  },
)
export const presentVersion = ({ uid }: Pick<Template, 'uid'>, version: TemplateVersion) =>
  templateVersion.present({ uid, ...version })
/** A version in a list, without what it holds. */
const templateVersionLine = answer<Pick<TemplateVersion, 'version' | 'createdAt'>>()(
  'TemplateVersionLine',
  'A version without its document.',
  {
    version: told(integer, VERSION),
    createdAt: told(plainTime, CREATED_AT, '2026-03-01 12:00:00'),
  },
)
export const presentVersionLine = templateVersionLine.present
export const versionPage = pageOf(
  'versions',
  'One page of versions.',
  'The versions of this page.',
  templateVersionLine,
)

/** The finished document, as devices get it. */
export const renderedTemplate = answer<Rendered>()(
  'RenderedTemplate',
  'A document as devices get it.',
  {
    version: told(integer, VERSION),
    content: told(contentDocument, 'The document with every tag replaced.'),
  },
  {
    version: 2,
    content: {
      ver: 1,
      frame: {
        type: 'alert',
        nodes: [
          { type: 'heading', text: 'Closed on Monday' },
          { type: 'button', text: 'OK', actions: [{ type: 'closeMessage' }] },
        ],
      },
    },
  },
)
export const presentRendered = renderedTemplate.present

export const starters = object('TemplateStarters', 'The templates that come with the program.', {
  starters: told(
    list(
      object('TemplateStarter', 'A template that comes with the program.', {
        starter: told(string, 'What to call it when you create a template from it.', 'rating'),
        name: told(string, GEOFENCE_NAME),
        summary: told(string, 'What it is good for.', 'Asks for a rating in the app store'),
        ...body,
      }),
    ),
    'The starters.',
  ),
})
