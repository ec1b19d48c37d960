import type { Push } from './types.ts'

export type Languages = NonNullable<Push['content']['languages']>
export type Variant = Languages[string]

/** The most languages of a push. */
export const MOST_LANGUAGES = 40

/** Languages that are offered first. Any other tag can be typed. */
const KNOWN =
  'ar bg bn ca cs da de el en en-GB es es-MX et fa fi fil fr fr-CA he hi hr hu id is it ja kk ko lt lv ms nb nl pl pt pt-BR ro ru sk sl sq sr sr-Latn sv sw ta te th tr uk ur uz vi zh-Hans zh-Hant'.split(
    ' ',
  )

export interface NamedLanguage {
  tag: string
  name: string
}

/** The name of a language for people who read `locale`: German. A tag that has none is its own name. */
export function nameOfLanguage(tag: string, locale?: string): string {
  if (tag === 'default') return 'Default'
  try {
    return new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag
  } catch {
    return tag
  }
}

/** A tag as it is usually written; undefined for what is none, or names no language. */
function tagOf(text: string): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(text.trim().replaceAll('_', '-'))
    return tag !== undefined && nameOfLanguage(tag, 'en') !== tag ? tag : undefined
  } catch {
    return undefined
  }
}

/** Languages that somebody may mean who typed `text`, without those that are `taken`. */
export function languagesFor(text: string, taken: readonly string[], locale?: string): NamedLanguage[] {
  const wanted = text.trim().toLowerCase()
  const named = KNOWN.map((tag) => ({ tag, name: nameOfLanguage(tag, locale) }))
  const found = named
    .filter(({ tag, name }) => name.toLowerCase().includes(wanted) || tag.toLowerCase().startsWith(wanted))
    .sort((a, b) => a.name.localeCompare(b.name))
  const typed = tagOf(text)
  if (typed !== undefined && !found.some(({ tag }) => tag === typed))
    found.push({ tag: typed, name: nameOfLanguage(typed, locale) })
  return found.filter(({ tag }) => !taken.includes(tag))
}

/** Names of the fields of a variant, as the interface has them. */
const FIELDS = ['title', 'message', 'url', 'pictureUrl', 'subtitle', 'buttons', 'data']
export const PLACE = 'content.languages'

/** Every place at which the interface may complain of variants, each the name of its own field. */
export function variantPlaces(languages: Languages): Record<string, string> {
  const own = (place: string): [string, string] => [place, place]
  return Object.fromEntries(
    Object.entries(languages).flatMap(([tag, { buttons = [] }]) => {
      const at = `${PLACE}.${tag}`
      const ofButtons = buttons.map((_, i): [string, string] => [`${at}.buttons[${i}].text`, `${at}.buttons`])
      return [own(at), ...FIELDS.map((field) => own(`${at}.${field}`)), ...ofButtons]
    }),
  )
}

/** Sentences about what is missing in variants, by their place. */
export function variantProblems(languages: Languages): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const [tag, { title, message, buttons = [] }] of Object.entries(languages)) {
    const at = `${PLACE}.${tag}`
    const name = nameOfLanguage(tag)
    if (title.trim() === '') problems[`${at}.title`] = `Give it a title in ${name}.`
    if (message.trim() === '') problems[`${at}.message`] = `Write what it says in ${name}.`
    if (buttons.some(({ text }) => text.trim() === ''))
      problems[`${at}.buttons`] = 'Give each button a label, or remove it.'
  }
  return problems
}
