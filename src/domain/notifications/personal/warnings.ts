import { unknownInWords } from '../../personalization/people/coverage.ts'
import { looksLikeTemplate } from '../../personalization/read/tokens.ts'
import type { StoredContent } from '../types.ts'
import { compileContent, isPersonal } from './compiled-content.ts'
import type { Coverage } from './coverage.ts'
import { unusedTemplates } from './judge.ts'
import { formPath } from './texts.ts'

/** Texts that a sentence names at most. */
const NAMED = 3

/** The remark on texts with braces in a content that is not personalised; undefined without such a text. */
export function bracesWarning(content: StoredContent, contentPath = 'content'): string | undefined {
  const found = unusedTemplates(content, looksLikeTemplate).map((path) => formPath(path, contentPath))
  if (found.length === 0) return undefined
  const verb = found.length === 1 ? 'looks like template text' : 'look like template texts'
  return `${named(found)} ${verb}, but the request has no personalize: people would read the braces. Add "personalize": {} beside the content`
}

/** Everything about a content that its author may not have meant, in sentences; it can be sent all the same. */
export function warningsOf(
  content: StoredContent,
  userMeta: Readonly<Record<string, unknown>> | undefined,
  coverage?: Pick<Coverage, 'sampled' | 'unknown'>,
): string[] {
  const braces = bracesWarning(content)
  if (braces !== undefined) return [braces]
  if (!isPersonal(content)) return []
  const isMetaGiven = userMeta !== undefined && Object.keys(userMeta).length > 0
  const found = content.personalize ? wordsForMachines(content) : []
  if (compileContent(content).needs.meta && !isMetaGiven)
    found.push('the texts read meta, but the request has no userMeta: these values are missing for everybody')
  const unknown = (coverage?.unknown ?? []).filter((path) => isMetaGiven || path.split(/[.[]/, 1)[0] !== 'meta')
  if (coverage) found.push(...unknownInWords({ ...coverage, unknown }))
  return found
}

/** The remark on braces where no text is personalised: ids, sounds, categories and the like. */
function wordsForMachines({ collapseId, ios, android, buttons = [] }: StoredContent): string[] {
  const words = {
    collapseId,
    'ios.category': ios.category,
    'ios.sound': ios.sound,
    'ios.threadId': ios.threadId,
    'ios.targetContentId': ios.targetContentId,
    'android.sound': android.sound,
    'android.channelId': android.channelId,
    ...Object.fromEntries(buttons.map(({ id }, i) => [`buttons[${i}].id`, id])),
  }
  const found = Object.entries(words).flatMap(([path, word]) =>
    typeof word === 'string' && looksLikeTemplate(word) ? [path] : [],
  )
  return found.length === 0
    ? []
    : [`nothing replaces the braces in ${named(found)}: only texts, addresses and data are personalised`]
}

function named(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).join(', ')
  return paths.length > NAMED ? `${shown} and ${paths.length - NAMED} more` : shown
}
