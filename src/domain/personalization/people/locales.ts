import { tagOfLocale } from '../languages.ts'

/** The language of a device. */
export interface OwnLanguage {
  /** Canonical BCP 47 tag of its locale: `pt-BR`. */
  tag: string
  /** The language alone: `pt`. */
  language: string
}

/** Number of different locales that are remembered; real phones send some 700. */
const MAX_REMEMBERED = 1000
const remembered = new Map<string, OwnLanguage | undefined>()

/** The language of a locale as a device reported it; undefined without one that is a language. Remembers what it has read. */
export function languageOf(locale: string | null | undefined): OwnLanguage | undefined {
  if (!locale) return undefined
  if (remembered.has(locale)) return remembered.get(locale)
  const tag = tagOfLocale(locale)
  const own = tag === undefined ? undefined : { tag, language: tag.split('-', 1)[0]! }
  if (remembered.size >= MAX_REMEMBERED) remembered.clear()
  remembered.set(locale, own)
  return own
}
