import { mapTextsOf } from '../../../platform/values/map-texts.ts'
import { isAddress as isAddressText } from '../../../platform/values/parse.ts'
import { languageMatcher } from '../../personalization/languages.ts'
import type { Chain } from '../../personalization/people/chain.ts'
import { distinctOutputs, type RenderNotes } from '../../personalization/people/coverage.ts'
import { DEFAULT_LANGUAGE, needsOf, type Reader, scopeOf } from '../../personalization/people/readers.ts'
import type { Rendered, Scope, Template } from '../../personalization/types.ts'
import { isBlank } from '../../personalization/values.ts'
import { compileDocument, type TagTexts } from '../../templates/compiled-document.ts'
import { isTooLong, valueProblem } from '../../templates/tags.ts'
import type { ContentDocument } from '../../templates/types.ts'
import { type InboxTexts, MAX_LINE_LENGTH, type PersonalContent } from '../types.ts'
import { compileText, type MessageText, textsOf } from './texts.ts'

/** The most bytes that are kept with the message of a user: their texts as JSON. */
export const MAX_KEPT_BYTES = 4096

/** The texts that are kept with the message of a user. */
export interface KeptTexts {
  /** The variant that they get, or `DEFAULT_LANGUAGE`; null for a message without variants. */
  language: string | null
  /** JSON: the texts that differ between users, by path; null when only the language does. */
  texts: string | null
}

/** The reason why a user does not get the message. */
export type NotGiven =
  /** Expressions that have no value for them. */
  | { missing: readonly string[] }
  /** True when the texts or the document would be larger than they may be. */
  | { tooLarge: true }

/** The fate of the message for a user. */
export type ForUser = KeptTexts | NotGiven

/** The message as a user is shown it. */
export interface ShownTexts {
  content: ContentDocument
  data: Record<string, unknown> | null
  inbox: InboxTexts | null
}

/** A text that differs between users. */
interface PersonalText extends MessageText {
  template: Template
}

/** The message in one language, compiled. */
interface CompiledVariant {
  /** Texts that are the same for everybody, by path. */
  same: ReadonlyMap<string, string>
  /** The values of tags among them, by title; empty for a tag without a value. */
  values: TagTexts
  /** The values of all tags for the user who is being judged: used again for each, because copying takes as long as rendering. */
  judged: Map<string, string>
  personal: readonly PersonalText[]
  /** The titles of the tags among them. */
  titles: ReadonlySet<string>
}

/** A message that differs between users, ready to be given and shown to each. */
export type CompiledMessage = ReturnType<typeof compileMessage>

/** Compiles a message that was accepted. Throws `TypeError` when a text of it cannot be compiled. */
export function compileMessage(message: PersonalContent) {
  const { personalize, lookup = {}, languages = {} } = message.personal
  const tags = Object.keys(languages)
  const document = compileDocument(message.content)
  const variants = new Map<string | undefined, CompiledVariant>(
    [undefined, ...tags].map((tag) => [tag, compiledVariant(message, tag, personalize && Object.keys(lookup))]),
  )
  const match = tags.length > 0 ? languageMatcher(tags) : undefined
  const templates = [...variants.values()].flatMap(({ personal }) => personal.map(({ template }) => template))

  const needs = needsOf(templates, lookup, tags.length > 0)
  const reading = new Map(
    [...templates, ...needs.lookUps.map(({ value }) => value)].flatMap((one) => one.paths.map((path) => [path, one])),
  )

  function render(variant: CompiledVariant, scope: Scope, language: string | null, notes?: RenderNotes): ForUser {
    const texts: Record<string, string> = {}
    const missing: string[] = []
    for (const one of variant.personal) {
      const rendered = one.template.render(scope, { maxBytes: MAX_KEPT_BYTES, defaults: notes?.defaults })
      notes?.missing.push(...rendered.missing)
      if (rendered.tooLarge) return { tooLarge: true }
      if (personalize?.missing === 'skip') missing.push(...rendered.missing)
      const fault = faultOf(one, rendered)
      if (fault === 'too large') return { tooLarge: true }
      if (fault === 'missing') missing.push(...(rendered.missing.length > 0 ? rendered.missing : [one.path]))
      texts[one.path] = rendered.text
      if (one.title !== undefined) variant.judged.set(one.title, rendered.text)
    }
    missing.push(...document.inHost(variant.judged, variant.titles).map((title) => `content.${title}`))
    if (missing.length > 0) return { missing: [...new Set(missing)] }
    const unfit = document.judge(variant.judged)
    if (unfit && 'wrong' in unfit) return { missing: unfit.wrong.map((title) => `content.${title}`) }
    if (unfit && 'blank' in unfit) return { missing: ['content'] }
    const kept = JSON.stringify(texts)
    if (unfit || Buffer.byteLength(kept) > MAX_KEPT_BYTES) return { tooLarge: true }
    return { language, texts: kept }
  }

  return {
    needs,
    hasLanguages: tags.length > 0,
    /** The outputs of all texts in all languages, each once. */
    outputs: distinctOutputs(templates),
    /** The paths that texts and look-ups read, each once. */
    paths: [...reading.keys()],

    /** Tells whether a user has any value at one of `paths`. */
    has: (path: string, reader: Reader): boolean =>
      reading.get(path)?.has(path, scopeOf(reader, undefined, needs.person)) === true,

    /** The tag of the variant for these tags; undefined for the default content. */
    variantFor: (chain: Chain): string | undefined => match?.(chain),

    /** Decides what becomes of the message for a user. `chain`: the tags that may say their language. Adds to `notes`. */
    give(reader: Reader, chain: Chain, notes?: RenderNotes): ForUser {
      const tag = match?.(chain)
      const language = match ? (tag ?? DEFAULT_LANGUAGE) : null
      const variant = variants.get(tag)!
      if (variant.personal.length === 0) return { language, texts: null }
      return render(variant, scopeOf(reader, tag, needs.person), language, notes)
    },

    /** Makes what a user is shown who has it: the message with the texts that were kept for them, by path. */
    show(language: string | null, texts: Readonly<Record<string, unknown>>): ShownTexts {
      const variant = variants.get(language ?? undefined) ?? variants.get(undefined)!
      const textAt = (path: string) => (typeof texts[path] === 'string' ? texts[path] : variant.same.get(path))
      return {
        content: document.fill(valuesOf(variant, texts)),
        data:
          message.data &&
          (mapTextsOf(message.data, 'data', (text, path) => textAt(path) ?? text) as typeof message.data),
        inbox: message.inbox && {
          title: textAt('inbox.title') ?? '',
          subtitle: textAt('inbox.subtitle') ?? '',
          imageUrl: textAt('inbox.imageUrl') ?? '',
        },
      }
    },
  }
}

function compiledVariant(
  message: PersonalContent,
  tag: string | undefined,
  lookUps: readonly string[] | undefined,
): CompiledVariant {
  const same = new Map<string, string>()
  const values = new Map(message.personal.tags.map(({ title }) => [title, '']))
  const personal: PersonalText[] = []
  for (const one of textsOf(message, tag)) {
    const template = lookUps && templateOf(one, lookUps)
    if (template && !template.isConstant) personal.push({ ...one, template })
    else {
      same.set(one.path, one.text)
      if (one.title !== undefined) values.set(one.title, one.text)
    }
  }
  const titles = new Set(personal.flatMap(({ title }) => title ?? []))
  return { same, values, judged: new Map(values), personal, titles }
}

function templateOf(one: MessageText, lookUps: readonly string[]): Template {
  const { template, problems } = compileText(one, lookUps)
  if (!template) throw new TypeError(`stored text cannot be compiled: ${problems[0]?.message}`)
  return template
}

/** The values of the tags with those texts, by path, that differ between users. */
function valuesOf({ values, personal }: CompiledVariant, texts: Readonly<Record<string, unknown>>): TagTexts {
  const all = new Map(values)
  for (const { path, title } of personal) {
    const text = texts[path]
    if (title !== undefined) all.set(title, typeof text === 'string' ? text : '')
  }
  return all
}

/** The problem of a text for its purpose. Where an empty one is wrong, the document or the app says so. */
function faultOf({ purpose }: PersonalText, { text }: Rendered): 'missing' | 'too large' | undefined {
  switch (purpose) {
    case 'data':
      return undefined
    case 'line':
    case 'optional line':
      if (purpose === 'line' && isBlank(text)) return 'missing'
      return isTooLong(text, MAX_LINE_LENGTH) ? 'too large' : undefined
    case 'picture':
      return text === '' || isAddressText(text, ['http', 'https']) ? undefined : 'missing'
    case 'text':
      // The document judges the rest.
      return isTooLong(text) ? 'too large' : undefined
    default:
      return text === '' || valueProblem(purpose, text) === undefined ? undefined : 'missing'
  }
}
