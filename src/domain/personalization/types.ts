/** The most bytes of a template text, in UTF-8. */
export const MAX_TEXT_BYTES = 16_384
/** The most parts of a template text: its `{{ … }}` and `{% … %}`. */
export const MAX_PARTS = 200
/** The most levels of `{% if %}` inside each other. */
export const MAX_DEPTH = 8

/** The fields of an install that a text may read. */
export const INSTALL_FIELDS = ['os', 'osVersion', 'appVersion', 'locale', 'language', 'country', 'timezone'] as const
export type InstallField = (typeof INSTALL_FIELDS)[number]

/** Values that a text may read besides those that every text may. */
export interface TemplateContext {
  /** The names of the look-ups of the request. */
  lookups?: readonly string[]
  /** The sender of the event that the message answers, if there is one: a whole address may come only from one of a server. */
  event?: 'server' | 'device'
  /** False when the request has no metadata of single users (`userMeta`). Default true. */
  meta?: boolean
}

/** A wrong place of a template text: line and column, which counts characters (code points), begin at 1. */
export interface Problem {
  line: number
  column: number
  /** A sentence for people; it begins with `line L, column C: ` and says what to do. */
  message: string
}

/** A template, or the reasons why the text is none. */
export type Compiled =
  | { template: Template; problems?: undefined }
  | { template?: undefined; problems: readonly Problem[] }

/**
 * Something that a result depends on. `timezone` and `language` are those of `Scope`, which the filters `date` and `number`
 * use; `install` stands for each of its fields.
 */
export type Reading =
  | 'user.identifier'
  | 'user.attributes'
  | 'install'
  | 'meta'
  | 'event'
  | 'lookup'
  | 'app'
  | 'now'
  | 'timezone'
  | 'language'

/** A compiled template text. It may be kept and rendered any number of times. */
export interface Template {
  /** True when nothing is between braces: every result is the text itself. */
  isConstant: boolean
  /** Everything that a result depends on. Two scopes that agree in it give the same result. */
  reads: ReadonlySet<Reading>
  /** The names of the look-ups that the text reads. */
  lookups: ReadonlySet<string>
  /** Every path that the text reads, once, as `user.attributes.firstName`. */
  paths: readonly string[]
  /** The outputs of the text, each once: the parts that can be missing. */
  outputs: readonly TextOutput[]
  /** The bytes of the shortest result: every value is empty. */
  leastBytes: number
  /** The text for one recipient. Never throws. */
  render(scope: Scope, options?: RenderOptions): Rendered
  /**
   * The text that `render` gives with at most `maxBytes`, if nothing is missing in it and it is not too large; else undefined, and `render`
   * tells why. It makes nothing but the text, for the recipients of a broadcast.
   */
  whole(scope: Scope, maxBytes: number): string | undefined
  /** Tells whether one of `paths` has any value in a scope: a list, an object and `false` are values too. */
  has(path: string, scope: Scope): boolean
}

/** A `{{ … }}` of a text. */
export interface TextOutput {
  /** The expression as it is written, without blanks around it. */
  expression: string
  /** The path that it begins with; null when it begins with a literal. */
  path: string | null
}

/** An output in which the value of a `default` stands. */
export interface DefaultTaken {
  expression: string
  /** The text that it printed. */
  text: string
}

/** The values for one recipient. A part that is absent has no values. Texts are never parsed again. */
export interface Scope {
  user?: { identifier?: string; attributes?: unknown } | undefined
  install?: { readonly [field in InstallField]?: string | number | null | undefined } | undefined
  /** The metadata of the request for this user: any JSON value. */
  meta?: unknown
  /** The data of the event. */
  event?: unknown
  /** Rows by the names of the look-ups. */
  lookup?: Readonly<Record<string, unknown>> | undefined
  app?: { name: string } | undefined
  /** Milliseconds since 1970. */
  now: number
  /** The zone of `date`, by its IANA name; UTC when it is absent or unknown. */
  timezone?: string | null | undefined
  /** The language of `number` and of the names in `date`, as a BCP 47 tag; English when it is absent or unknown. */
  language?: string | null | undefined
}

export interface RenderOptions {
  /** The most bytes of the result, in UTF-8. Default: 65 536. */
  maxBytes?: number
  /** A list to which the outputs with a default are added. */
  defaults?: DefaultTaken[] | undefined
}

/** The result for one recipient. */
export interface Rendered {
  /** The text; empty when it is too large. */
  text: string
  /** The expressions whose output is missing, as they are written, without blanks around them; each once. */
  missing: readonly string[]
  /** True when the result is larger than `maxBytes`, or would take more work than a text of this kind ever does. */
  tooLarge: boolean
}
