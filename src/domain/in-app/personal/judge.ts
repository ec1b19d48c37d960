import type { FieldErrors } from '../../../platform/errors.ts'
import { type JudgeLookUp, judgeLookUps } from '../../personalization/people/judge-look-ups.ts'
import { looksLikeTemplate } from '../../personalization/read/tokens.ts'
import type { Template } from '../../personalization/types.ts'
import { compileDocument } from '../../templates/compiled-document.ts'
import { renderDocument } from '../../templates/render.ts'
import type { Tag, TagType } from '../../templates/types.ts'
import type { InAppMessage, PersonalContent } from '../types.ts'
import { MAX_KEPT_BYTES } from './compiled-message.ts'
import { compileText, type MessageText, type Texted, textsOf } from './texts.ts'

/**
 * Judges the texts, look-ups and languages of a message: syntax, roots, what constant texts must be, and sizes as if every value were
 * empty. Returns the problems by path in its request.
 */
export async function judgeMessage(
  judgeLookUp: JudgeLookUp,
  appId: number,
  message: PersonalContent,
): Promise<FieldErrors> {
  const { personalize, lookup = {}, languages = {} } = message.personal
  const errors: FieldErrors = {}
  const templates: Template[] = []
  for (const tag of [undefined, ...Object.keys(languages)]) {
    const texts = personalize ? compiledTexts(message, tag, errors) : []
    templates.push(...texts.map(({ template }) => template))
    for (const [path, why] of Object.entries(judgeDocument(message, tag, texts))) errors[path] ??= why
    const tooLarge = tooLargeToKeep(texts)
    if (tooLarge) errors[formPath(message, tooLarge.path, tag)] ??= [tooLarge.why]
  }
  if (!personalize) return errors
  return { ...errors, ...(await judgeLookUps(judgeLookUp, appId, lookup, templates, { meta: false })) }
}

interface CompiledText extends MessageText {
  template: Template
}

/** The texts in one language that differ between users. The others' problems are added to `errors`. */
function compiledTexts(message: PersonalContent, tag: string | undefined, errors: FieldErrors): CompiledText[] {
  const names = Object.keys(message.personal.lookup ?? {})
  return textsOf(message, tag).flatMap((one) => {
    const { template, problems } = compileText(one, names)
    if (template) return template.isConstant ? [] : [{ ...one, template }]
    errors[formPath(message, one.path, tag)] = problems.map(({ message: why }) => why)
    return []
  })
}

/** Judges the document in one language, in which something that fits stands for each text that differs between users. */
function judgeDocument(message: PersonalContent, tag: string | undefined, texts: readonly CompiledText[]): FieldErrors {
  const { content, tagValues, personal } = message
  const own = tag === undefined ? tagValues : (personal.languages?.[tag] ?? {})
  const values: Record<string, unknown> = { ...tagValues, ...own }
  const standing = new Set<string>()
  for (const { title, type } of personal.tags) {
    const value = values[title]
    if (!personal.personalize || typeof value !== 'string' || !looksLikeTemplate(value)) continue
    const text = texts.find((one) => one.title === title)
    values[title] = standFor(type, text?.template.leastBytes ?? 0)
    standing.add(title)
  }
  const found = renderDocument(content, personal.tags, values).errors ?? {}
  const errors: FieldErrors = {}
  for (const [path, why] of Object.entries(found)) {
    const title = path.slice('content.'.length)
    if (path === 'content') errors[tag === undefined ? path : `languages.${tag}`] = why
    else if (!standing.has(title)) errors[formPath(message, path, tag)] = why
  }
  for (const title of inHost(message, tag, standing)) errors[formPath(message, `content.${title}`, tag)] ??= [IN_HOST]
  return errors
}

const IN_HOST =
  'would decide to which host an address of the template leads, and anybody may write attributes: put a / before its tag in the template'

/** The titles among `standing` that would be a part of a host, whatever their texts are. */
function inHost(message: PersonalContent, tag: string | undefined, standing: ReadonlySet<string>): readonly string[] {
  if (standing.size === 0) return []
  const given = textsOf(message, tag).flatMap(({ title, text }): [string, string][] => {
    if (title === undefined) return []
    // An address that differs between users is judged for each.
    return [[title, standing.has(title) ? 'https://example.com/' : text]]
  })
  return compileDocument(message.content).inHost(new Map(given), standing)
}

/** The most characters that stand for a text; a longer one is told by its bytes. */
const MOST_STANDING = 2000

/** A value that any document takes where a tag of this type may stand. */
function standFor(type: TagType, leastBytes: number): string {
  if (type === 'number') return '0'
  if (type === 'color') return '#000000'
  return type === 'text' ? 'x'.repeat(Math.min(Math.max(leastBytes, 1), MOST_STANDING)) : 'https://example.com'
}

/** Texts of one language that are too large to be kept for a user, even if every value were empty: the largest, and why. */
function tooLargeToKeep(texts: readonly CompiledText[]): { path: string; why: string } | undefined {
  const bytes = texts.reduce((sum, { path, template }) => sum + path.length + template.leastBytes, 0)
  if (bytes <= MAX_KEPT_BYTES) return undefined
  const largest = texts.reduce((a, b) => (b.template.leastBytes > a.template.leastBytes ? b : a))
  const why = `is too large: the texts that differ between users have ${bytes} bytes even if every value is empty, and ${MAX_KEPT_BYTES} are kept for each user`
  return { path: largest.path, why }
}

/** The path in the request of a text in one language. */
function formPath({ personal, inbox }: Texted, path: string, tag: string | undefined): string {
  if (tag === undefined) return path
  const [block = '', ...rest] = path.split('.')
  const name = rest.join('.')
  if (block === 'content' && Object.hasOwn(personal.languages?.[tag] ?? {}, name)) return `languages.${tag}.${name}`
  if (block === 'inbox' && Object.hasOwn(inbox?.languages?.[tag] ?? {}, name)) return `inbox.languages.${tag}.${name}`
  return path
}

/**
 * The paths of texts that look like template texts, in a message that is not personalised: people would read their braces. The tags
 * of its document are not known where it is the same for everybody.
 */
export function unusedTemplates(
  message: Pick<Texted, 'tagValues' | 'data' | 'inbox'> & Pick<InAppMessage, 'personal'>,
) {
  const { tagValues, personal } = message
  if (personal?.personalize) return []
  const tags: Tag[] = Object.keys(tagValues).map((title) => ({ title, type: 'text', required: false }))
  const texted = { ...message, personal: personal ?? { tags } }
  const found = [undefined, ...Object.keys(texted.personal.languages ?? {})].flatMap((tag) =>
    textsOf(texted, tag)
      .filter(({ text }) => looksLikeTemplate(text))
      .map(({ path }) => formPath(texted, path, tag)),
  )
  return [...new Set(found)]
}
