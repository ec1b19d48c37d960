import type { FieldErrors } from '../../../platform/errors.ts'
import { compile, compileAddress } from '../../personalization/compile.ts'
import { type JudgeLookUp, judgeLookUps } from '../../personalization/people/judge-look-ups.ts'
import type { Compiled, Template, TemplateContext } from '../../personalization/types.ts'
import type { StoredContent } from '../types.ts'
import { contentIn, formPath, type MapText, mapTexts, mapVariant } from './texts.ts'

/**
 * Judges the template texts and look-ups of a content. Returns the problems under the keys of the form that wrote it at `contentPath`. A text
 * that is no template is judged where forms are. `own`: what the texts of this form may read.
 */
export async function judgePersonalContent(
  judgeLookUp: JudgeLookUp,
  appId: number,
  content: StoredContent,
  contentPath: string,
  own: Pick<TemplateContext, 'meta'> = {},
): Promise<FieldErrors> {
  const { personalize, lookup = {}, languages = {} } = content
  if (!personalize) return {}
  const errors: FieldErrors = {}
  const templates: Template[] = []
  const context = { ...own, lookups: Object.keys(lookup) }
  const note = (path: string, { template, problems }: Compiled) => {
    if (template) templates.push(template)
    else errors[path] = problems.map(({ message }) => message)
  }
  const read: MapText = (text, path, kind) => {
    note(formPath(path, contentPath), kind === 'address' ? compileAddress(text, context) : compile(text, context))
    return text
  }
  mapTexts(content, read)
  for (const [tag, variant] of Object.entries(languages)) mapVariant(variant, tag, read)
  return { ...errors, ...(await judgeLookUps(judgeLookUp, appId, lookup, templates, own)) }
}

/** A content in one language, as small as it can be. */
interface LeastContent {
  /** The path of the variant in the form, or undefined for the content itself. */
  path: string | undefined
  content: StoredContent
}

/** The contents that recipients may get, in each language, as if every value were empty. The texts were judged before. */
export function leastContents(content: StoredContent, contentPath: string): LeastContent[] {
  const tags = [undefined, ...Object.keys(content.languages ?? {})]
  const context = { lookups: Object.keys(content.lookup ?? {}) }
  const shortest: MapText = (text, _, kind) => {
    const { template } = kind === 'address' ? compileAddress(text, context) : compile(text, context)
    return !template || template.isConstant ? text : 'x'.repeat(template.leastBytes)
  }
  return tags.map((tag) => {
    const plain = contentIn(content, tag)
    return {
      path: tag === undefined ? undefined : formPath(`content.languages.${tag}`, contentPath),
      content: content.personalize ? mapTexts(plain, shortest) : plain,
    }
  })
}

/** Texts that look like template texts, in a content that is not personalised: people would read their braces. */
export function unusedTemplates(content: StoredContent, looksLikeTemplate: (text: string) => boolean): string[] {
  if (content.personalize) return []
  const found: string[] = []
  const note: MapText = (text, path) => {
    if (looksLikeTemplate(text)) found.push(path)
    return text
  }
  mapTexts(content, note)
  for (const [tag, variant] of Object.entries(content.languages ?? {})) mapVariant(variant, tag, note)
  return found
}
