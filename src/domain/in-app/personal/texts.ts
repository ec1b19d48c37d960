import { mapTextsOf } from '../../../platform/values/map-texts.ts'
import { compile, compileAddress } from '../../personalization/compile.ts'
import type { Compiled } from '../../personalization/types.ts'
import type { Tag, TagType } from '../../templates/types.ts'
import type { Inbox, InboxTexts, PersonalContent } from '../types.ts'

/** The purpose of a text: the value of a tag, a line or the picture of the inbox entry, or a text in the data of the app. */
type Purpose = TagType | 'line' | 'optional line' | 'picture' | 'data'

/** A text of a message as the caller wrote it. */
export interface MessageText {
  /** Its place in the content of its language: `content.Title`, `inbox.title`, `data.list[0]`. */
  path: string
  /** The title of the tag whose value it is. */
  title?: string
  purpose: Purpose
  text: string
}

/** The parts of a message that have texts. */
export type Texted = Pick<PersonalContent, 'tagValues' | 'data' | 'inbox'> & {
  personal: { languages?: NonNullable<PersonalContent['personal']['languages']>; tags: readonly Tag[] }
}

/** The purposes of texts that become addresses. */
const isAddress = (purpose: Purpose): boolean => ['url', 'image', 'picture'].includes(purpose)

/** Compiles a text by its purpose: an address must have a literal host. In-app messages have no metadata of single users. */
export function compileText(
  { purpose, text }: Pick<MessageText, 'purpose' | 'text'>,
  lookups: readonly string[],
): Compiled {
  const context = { lookups, meta: false }
  return isAddress(purpose) ? compileAddress(text, context) : compile(text, context)
}

/**
 * The texts of a message in one language, in a fixed order: the values of its tags, of the inbox entry, and of the data. `tag`: the
 * language; undefined: the default content. A tag without a value has none.
 */
export function textsOf(message: Texted, tag: string | undefined): MessageText[] {
  const { data, inbox } = message
  const found: MessageText[] = []
  const values = valuesIn(message, tag)
  for (const { title, type } of message.personal.tags) {
    const value = values[title]
    if (value === undefined) continue
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    found.push({ path: `content.${title}`, title, purpose: type, text })
  }
  if (inbox) {
    const { title, subtitle, imageUrl } = inboxIn(inbox, tag)
    found.push({ path: 'inbox.title', purpose: 'line', text: title })
    found.push({ path: 'inbox.subtitle', purpose: 'optional line', text: subtitle })
    if (imageUrl !== undefined) found.push({ path: 'inbox.imageUrl', purpose: 'picture', text: imageUrl })
  }
  mapTextsOf(data ?? {}, 'data', (text, path) => {
    found.push({ path, purpose: 'data', text })
    return text
  })
  return found
}

/** The values of the tags in one language, with the defaults of the template; a tag without either is absent. */
function valuesIn({ tagValues, personal: { languages, tags } }: Texted, tag: string | undefined) {
  const given = { ...tagValues, ...(tag !== undefined && languages?.[tag]) }
  return Object.fromEntries(
    tags.flatMap(({ title, default: standard }: Tag) => {
      const value = Object.hasOwn(given, title) ? given[title] : standard
      return value === undefined ? [] : [[title, value]]
    }),
  )
}

/** The texts of the inbox entry in one language. */
function inboxIn({ title, subtitle, imageUrl, languages }: Inbox, tag: string | undefined): InboxTexts {
  return { title, subtitle, ...(imageUrl !== undefined && { imageUrl }), ...(tag !== undefined && languages?.[tag]) }
}
