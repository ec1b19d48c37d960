import { isAddress } from '../../../platform/values/parse.ts'
import { compile, compileAddress } from '../../personalization/compile.ts'
import { languageMatcher } from '../../personalization/languages.ts'
import type { Chain } from '../../personalization/people/chain.ts'
import { distinctOutputs, type RenderNotes } from '../../personalization/people/coverage.ts'
import { needsOf, type Reader, scopeOf } from '../../personalization/people/readers.ts'
import type { Rendered, Scope, Template } from '../../personalization/types.ts'
import { isBlank } from '../../personalization/values.ts'
import type { StoredContent } from '../types.ts'
import { contentIn, mapTexts, type TextKind } from './texts.ts'

/** The most bytes of a unit of a text in JSON: those of an escaped one. */
const ESCAPED_BYTES = 6
const NO_TEXTS: readonly string[] = []
const TITLE = 'content.title'
const MESSAGE = 'content.message'
/** The most bytes of one text: more than any gateway's payload holds. */
const MAX_RENDERED_BYTES = 16_384

/** The message for one recipient. */
export type Edited =
  | {
      /** The tag of the variant; undefined for the default content. */
      language: string | undefined
      /** The texts in the places of template texts. */
      texts: readonly string[]
      /** The most bytes that the content has as JSON. */
      mostBytes: number
    }
  /** Nothing: these expressions have no value for them. */
  | { missing: readonly string[] }
  /** Nothing: a text is longer than any push may be. */
  | { tooLarge: true }

/** A text that is equal for two recipients of a content if and only if they get the same. */
export function keyOf({ language, texts }: Pick<Extract<Edited, { texts: unknown }>, 'language' | 'texts'>): string {
  let key = language ?? ''
  for (const text of texts) key += `|${text.length}:${text}`
  return key
}

/** A text of a content that differs between recipients, or a constant one. */
interface CompiledText {
  path: string
  kind: TextKind
  /** True for the texts that people see of every push: they must not be blank. */
  isShown: boolean
  template: Template | undefined
  text: string
}

/** The content in one language, compiled. */
interface CompiledVariant {
  plain: StoredContent
  /** Its size as JSON, template texts included. */
  plainBytes: number
  texts: readonly CompiledText[]
  templates: readonly CompiledText[]
  /** An empty text for each template: its copies have just the room that they need. */
  blanks: readonly string[]
  hasAddresses: boolean
  /** True when nothing but title and message differs, as in most contents: then nothing else has to be copied. */
  isPlainBesidesWords: boolean
}

/** A content that differs between recipients, ready to be edited for each. */
export type CompiledContent = ReturnType<typeof compileContent>

/** Tells whether recipients of a content may get different bytes. */
export function isPersonal({ languages, personalize }: StoredContent): boolean {
  return languages !== undefined || personalize !== undefined
}

/**
 * Compiles a content that was accepted. Throws `TypeError` when a text cannot be compiled: this program's predecessor accepted what it
 * does not understand.
 */
export function compileContent(content: StoredContent) {
  const { languages = {}, personalize, lookup = {} } = content
  const tags = Object.keys(languages)
  const names = Object.keys(lookup)
  const variants = new Map<string | undefined, CompiledVariant>(
    [undefined, ...tags].map((tag) => [tag, compiledVariant(contentIn(content, tag), personalize && names)]),
  )
  const match = tags.length > 0 ? languageMatcher(tags) : undefined
  const all = [...variants.values()].flatMap(({ templates }) => templates.map(({ template }) => template!))
  const needs = needsOf(all, lookup, tags.length > 0)
  const reading = new Map(
    [...all, ...needs.lookUps.map(({ value }) => value)].flatMap((one) => one.paths.map((path) => [path, one])),
  )

  /** The content for one recipient. `chain`: the tags that may say their language. Adds to `notes`. */
  function edit(reader: Reader, chain: Chain, notes?: RenderNotes): Edited {
    const language = match?.(chain)
    const variant = variants.get(language)!
    if (variant.templates.length === 0) return { language, texts: NO_TEXTS, mostBytes: variant.plainBytes }
    const scope = scopeOf(reader, language, needs.person)
    const skips = personalize!.missing === 'skip'
    return (notes ? undefined : whole(variant, scope, language)) ?? rendered(variant, scope, language, skips, notes)
  }

  return {
    needs,
    hasLanguages: tags.length > 0,
    /** The outputs of all texts in all languages, each once. */
    outputs: distinctOutputs(all),
    /** The paths that texts and look-ups read, each once. */
    paths: [...reading.keys()],
    edit,
    /** Habits of this content that its pages have shown. `differ`: nearly everybody reads something else. */
    habits: { differ: false },
    /** The content of what somebody gets, as `edit` has told it. */
    contentOf: ({ language, texts }: { language: string | undefined; texts: readonly string[] }): StoredContent =>
      filled(variants.get(language)!, texts),
    /** Tells whether a recipient has any value at one of `paths`. */
    has: (path: string, reader: Reader): boolean =>
      reading.get(path)?.has(path, scopeOf(reader, undefined, needs.person)) === true,
  }
}

function compiledVariant(plain: StoredContent, lookUps: readonly string[] | undefined): CompiledVariant {
  const texts: CompiledText[] = []
  mapTexts(plain, (text, path, kind) => {
    const template = lookUps && templateOf(text, kind, lookUps)
    const isShown = path === TITLE || path === MESSAGE
    texts.push({ path, kind, isShown, text, template: template?.isConstant ? undefined : template })
    return text
  })
  const plainBytes = Buffer.byteLength(JSON.stringify(plain))
  const templates = texts.filter(({ template }) => template !== undefined)
  const hasAddresses = templates.some(({ kind }) => kind === 'address')
  const isPlainBesidesWords = templates.every(({ isShown }) => isShown)
  return { plain, plainBytes, texts, templates, blanks: templates.map(() => ''), hasAddresses, isPlainBesidesWords }
}

function templateOf(text: string, kind: TextKind, lookups: readonly string[]): Template {
  const { template, problems } = kind === 'address' ? compileAddress(text, { lookups }) : compile(text, { lookups })
  if (!template) throw new TypeError(`stored text cannot be compiled: ${problems[0]?.message}`)
  return template
}

/** The texts of a variant for a recipient, where nothing is missing in any and none is too large; else `rendered` tells what is wrong. */
function whole(variant: CompiledVariant, scope: Scope, language: string | undefined) {
  const { templates, hasAddresses, plainBytes, blanks } = variant
  const texts = blanks.slice()
  let units = 0
  for (let i = 0; i < templates.length; i++) {
    const { template, isShown } = templates[i]!
    const text = template!.whole(scope, MAX_RENDERED_BYTES)
    if (text === undefined || (isShown && isBlank(text))) return undefined
    texts[i] = text
    units += text.length
  }
  if (hasAddresses && wrongAddress(templates, texts)) return undefined
  return { language, texts, mostBytes: plainBytes + units * ESCAPED_BYTES }
}

function rendered(
  variant: CompiledVariant,
  scope: Scope,
  language: string | undefined,
  skips: boolean,
  notes?: RenderNotes,
): Edited {
  let missing: string[] | undefined
  const { templates } = variant
  const results: string[] = []
  let units = 0
  const options = { maxBytes: MAX_RENDERED_BYTES, defaults: notes?.defaults }
  for (const { template, path, isShown } of templates) {
    const result: Rendered = template!.render(scope, options)
    notes?.missing.push(...result.missing)
    if (result.tooLarge) return { tooLarge: true }
    if (skips && result.missing.length > 0) missing = [...(missing ?? []), ...result.missing]
    // Nobody wants to see a push without words, whatever is to be done where a value is missing.
    if (isShown && isBlank(result.text)) {
      missing = [...(missing ?? []), ...(result.missing.length > 0 ? result.missing : [path])]
    }
    results.push(result.text)
    units += result.text.length
  }
  if (missing) return { missing: [...new Set(missing)] }
  const wrong = variant.hasAddresses ? wrongAddress(templates, results) : undefined
  if (wrong) return { missing: [wrong.path] }
  return { language, texts: results, mostBytes: variant.plainBytes + units * ESCAPED_BYTES }
}

/** The first of these texts that should be an address and is none: so it may be where a value is the whole address. */
const wrongAddress = (templates: readonly CompiledText[], texts: readonly string[]) =>
  templates.find(({ kind, path }, i) => kind === 'address' && !isAddressAt(texts[i]!, path))

/** An address that became empty because `empty` says so is no address, and none is needed. */
const isAddressAt = (text: string, path: string) =>
  text === '' || isAddress(text, path.endsWith('pictureUrl') ? ['http', 'https'] : undefined)

/** Addresses without a text are left out: a device would take an empty one for an address. */
function filled(
  { plain, texts, templates, isPlainBesidesWords }: CompiledVariant,
  results: readonly string[],
): StoredContent {
  if (results.length === 0) return plain
  if (isPlainBesidesWords) {
    const content = { ...plain }
    for (const [i, { path }] of templates.entries()) {
      if (path === TITLE) content.title = results[i]!
      else content.message = results[i]!
    }
    return content
  }
  let text = 0
  let result = 0
  const content = mapTexts(plain, (given) => (texts[text++]!.template === undefined ? given : results[result++]!))
  if (content.url === '') delete content.url
  if (content.ios.pictureUrl === '') delete content.ios.pictureUrl
  if (content.android.pictureUrl === '') delete content.android.pictureUrl
  return content
}
