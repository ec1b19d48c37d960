import { mapTextsOf } from '../../../platform/values/map-texts.ts'
import type { StoredContent, Variant } from '../types.ts'

/** The kind of a text: words, or an address whose host no value may choose. */
export type TextKind = 'text' | 'address'

/** Called for each text of a content; `path` as a `TextPath`. Returns the text in its place. */
export type MapText = (text: string, path: string, kind: TextKind) => string

/** The texts that content and a variant have alike. */
type Words = Pick<Variant, 'title' | 'message' | 'url' | 'data' | 'buttons'>

/**
 * Copies a content with other texts: title, message, URL, the texts inside `data`, pictures, subtitle, and the texts of buttons.
 * Calls `map` in a fixed order. Paths are those of the form in which `content` is an object; `formPath` makes others of them. Pure.
 */
export function mapTexts(content: StoredContent, map: MapText): StoredContent {
  const { ios, android } = content
  return {
    ...content,
    ...mapWords(content, 'content.', 'buttons', map),
    ios: {
      ...ios,
      ...(ios.pictureUrl !== undefined && { pictureUrl: map(ios.pictureUrl, 'ios.media.pictureUrl', 'address') }),
      ...(ios.subtitle !== undefined && { subtitle: map(ios.subtitle, 'ios.subtitle', 'text') }),
    },
    android: {
      ...android,
      ...(android.pictureUrl !== undefined && { pictureUrl: map(android.pictureUrl, 'android.pictureUrl', 'address') }),
    },
  }
}

/** `mapTexts` for the variant of a language. */
export function mapVariant(variant: Variant, tag: string, map: MapText): Variant {
  const at = `content.languages.${tag}.`
  const { pictureUrl, subtitle } = variant
  return {
    ...variant,
    ...mapWords(variant, at, `${at}buttons`, map),
    ...(pictureUrl !== undefined && { pictureUrl: map(pictureUrl, `${at}pictureUrl`, 'address') }),
    ...(subtitle !== undefined && { subtitle: map(subtitle, `${at}subtitle`, 'text') }),
  }
}

function mapWords({ title, message, url, data, buttons }: Words, at: string, buttonsAt: string, map: MapText): Words {
  return {
    title: map(title, `${at}title`, 'text'),
    message: map(message, `${at}message`, 'text'),
    ...(url !== undefined && { url: map(url, `${at}url`, 'address') }),
    ...(data !== undefined && {
      data: mapTextsOf(data, `${at}data`, (text, path) => map(text, path, 'text')) as Record<string, unknown>,
    }),
    ...(buttons !== undefined && {
      buttons: buttons.map((button, i) => ({ ...button, text: map(button.text, `${buttonsAt}[${i}].text`, 'text') })),
    }),
  }
}

/** A path of these as the form names it that wrote the content at `contentPath`: the flat form has no `content`. */
export function formPath(path: string, contentPath: string): string {
  return contentPath === 'content' ? path : path.replace(/^content\./, '')
}

/** The content that people of one language get: the variant of `tag`, and the default content where it says nothing. */
export function contentIn(content: StoredContent, tag: string | undefined): StoredContent {
  const { languages, personalize: _, lookup: __, template: ___, ...plain } = content
  const variant = tag === undefined ? undefined : languages?.[tag]
  if (!variant) return plain
  const { subtitle, pictureUrl, ...words } = variant
  return {
    ...plain,
    ...words,
    ios: { ...plain.ios, ...(subtitle !== undefined && { subtitle }), ...(pictureUrl !== undefined && { pictureUrl }) },
    android: { ...plain.android, ...(pictureUrl !== undefined && { pictureUrl }) },
  }
}
