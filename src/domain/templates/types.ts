import { integer, table, text, type Value } from '../../platform/db/table.ts'

export const TEMPLATES = table('templates', {
  id: integer('id'),
  appId: integer('app_id'),
  /** Known to callers; unique in the app. */
  uid: text('uid'),
  name: text('name'),
  /** The newest version; numbers begin at 1. */
  version: integer('version'),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/**
 * A template of in-app messages: a content document with dynamic tags, with versions. Times are milliseconds since the
 * epoch.
 */
export type Template = Value<typeof TEMPLATES>

/** The contents of one version of a template. Versions never change. */
export interface TemplateBody {
  content: ContentDocument
  tags: Tag[]
  /** Values for previews, by the titles of the tags. */
  sample: TagValues
}

export interface TemplateVersion extends TemplateBody {
  version: number
  createdAt: number
}

/** A template with its newest version, or with the requested one. */
export interface WholeTemplate extends Template, TemplateBody {}

/** A template to create. Its `uid` is generated if absent, and its `name` defaults to the uid. */
export interface NewTemplate extends TemplateBody {
  uid?: string | undefined
  name?: string | undefined
}

/** A template that is part of the program, to start from. */
export interface Starter extends TemplateBody {
  name: string
  /** The purpose of the starter, in one line. */
  summary: string
}

/**
 * Changes of a request: absent fields are left unchanged. A `uid` must be that of the template, because it never
 * changes.
 */
export interface TemplateChange extends Partial<TemplateBody> {
  uid?: string | undefined
  name?: string | undefined
}

/** A rendered template: the document for devices, and its origin. */
export interface Rendered {
  version: number
  /** The finished document, without tags. */
  content: ContentDocument
  /** The tags of that version. */
  tags: Tag[]
}

export const TAG_TYPES = ['text', 'url', 'image', 'color', 'number'] as const
export type TagType = (typeof TAG_TYPES)[number]

/** A placeholder in a document, `{{title}}`, for which each message supplies a value. */
export interface Tag {
  title: string
  type: TagType
  /** A message must supply a value, unless there is a default. */
  required: boolean
  default?: string | number
}

/** Values by the titles of tags, unchecked. */
export type TagValues = Record<string, unknown>

/** The content of an in-app message; docs/templates.md explains every part. A rendered document contains no tags. */
export interface ContentDocument {
  ver: 1
  frame: Frame
  defaults?: {
    font?: { family?: (typeof FONT_FAMILIES)[number]; size?: number }
    fontColor?: Color
    dir?: (typeof DIRECTIONS)[number]
    lang?: string
  }
}

interface Frame {
  type: (typeof FRAME_TYPES)[number]
  /** Drawn in order. */
  nodes: Node[]
  /** Bottom first. */
  backgroundLayers?: Layer[]
  /** Default `centered`. */
  stackingGravity?: (typeof GRAVITIES)[number]
  /** Default `top-right`. */
  closeButton?: (typeof CLOSE_BUTTONS)[number]
  /** Default: `slide` for an inset, else `fade`. */
  animation?: (typeof ANIMATIONS)[number]
}

export type Node = TextNode | ImageNode | VideoNode | ButtonNode

interface TextNode {
  type: (typeof TEXT_NODES)[number]
  text: Spans
  align?: (typeof ALIGNMENTS)[number]
  color?: Color
  /** CSS pixels. */
  size?: number
}

interface ImageNode {
  type: 'image'
  src: string
  alt: string
  /** Percentage of the width of the frame. */
  width?: number
  radius?: number
}

interface VideoNode {
  type: 'video'
  src: string
  alt: string
  poster?: string
  autoplay?: boolean
  loop?: boolean
  muted?: boolean
  captions?: string
}

interface ButtonNode {
  type: 'button'
  text: Spans
  style?: { fg?: Color; bg?: Color; border?: Color; radius?: number; size?: (typeof BUTTON_SIZES)[number] }
  actions: Action[]
}

/** Text in pieces, each plain or marked. */
export type Spans = string | (string | [text: string, marks: Marks])[]
type Mark = (typeof MARKS)[number]
type Marks = Mark[] | ({ [name in Mark]?: true } & { color?: Color; size?: number })

/** `#rgb`, `#rrggbb` or `#rrggbbaa`; a pair for light and dark appearance. */
export type Color = string | { light: string; dark: string }

type Layer =
  | { type: 'color'; color: Color }
  | { type: 'gradient'; stops: { color: Color; at: number }[]; angle?: number }
  | { type: 'image'; src: string; fit?: (typeof FITS)[number] }
  | { type: 'video'; src: string; poster?: string }

/** The action of a button; the names are those of the SDKs (docs/reference/device-protocol.md section 9). */
type Action =
  | { type: 'closeMessage' | 'requestAppStoreRating' | 'promptPushPermission' }
  | { type: 'trackConversionEvent'; data: { eventType: string; data?: Record<string, unknown> } }
  | { type: 'subscribeToChannel'; data: { channelUuid: string } }
  | { type: 'openUrl'; data: { url: string } }
  | { type: 'deepLink'; data: { deepLink: Record<string, unknown> } }

export const FRAME_TYPES = ['fullscreen', 'inset', 'alert'] as const
export const GRAVITIES = ['centered', 'top-down', 'bottom-up'] as const
export const CLOSE_BUTTONS = ['top-left', 'top-right', 'none'] as const
export const ANIMATIONS = ['fade', 'slide', 'none'] as const
export const FONT_FAMILIES = ['system', 'serif', 'mono', 'rounded'] as const
export const DIRECTIONS = ['auto', 'ltr', 'rtl'] as const
export const TEXT_NODES = ['heading', 'subheading', 'text'] as const
export const ALIGNMENTS = ['start', 'center', 'end'] as const
export const BUTTON_SIZES = ['small', 'regular', 'wide'] as const
export const MARKS = ['bold', 'italic', 'underline', 'strike'] as const
export const FITS = ['cover', 'contain'] as const
