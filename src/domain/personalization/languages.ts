/**
 * The language variant of a content that fits a person (docs/decisions/0100-languages.md). Tags are BCP 47 as Unicode reads them; what
 * is known of languages and scripts is the CLDR data of Node's own ICU.
 */

/** Maximum number of language variants of one content. */
export const MAX_VARIANTS = 40

/** Maximum length of a tag or locale that is read. Real ones are below 40; the locale of an install is cut at 255. */
const MAX_TAG_LENGTH = 255

/** Number of different tags that a matcher remembers. Real phones send some hundreds, hostile ones any number. */
const MAX_REMEMBERED = 1000

/** A tag, and its parts after adding its likely script and region. */
interface LanguageTag {
  /** Canonical form, without extensions and private use. */
  tag: string
  language: string
  script: string
  region: string | undefined
  /** Variant subtags with their hyphens: `-valencia`; empty without any. */
  variants: string
}

/**
 * The language that a BCP 47 tag names, in canonical form: `iw` is `he`, `in` is `id`, `no` is `nb`, `DE-at` is `de-AT`.
 * Extensions and private use say nothing about the language and are left out: `de-u-nu-latn` is `de`. Returns undefined for what
 * is not a tag, and for tags of no language whose script is known: `und`, `x-klingon`, `german`, `jp` (Japanese is `ja`).
 * Underscores are not BCP 47; `tagOfLocale` reads them.
 */
export function canonicalTag(tag: string): string | undefined {
  return readTag(tag)?.tag
}

/**
 * The canonical tag of a locale as devices and runtimes write it: BCP 47, and besides `de_DE`, `zh_Hans_CN`, Java's `zh_TW_#Hant` and
 * `en_US_#u-mu-celsius`, ICU's `de_DE@calendar=gregorian`, POSIX `de_DE.UTF-8`. Undefined for everything else: `C`, `root`, `sr_RS@latin`.
 */
export function tagOfLocale(locale: string): string | undefined {
  return readLocale(locale)?.tag
}

/** A fault of a variant: `tag` as given, null for their number. `says` follows the name of its field. */
export interface VariantProblem {
  tag: string | null
  says: string
}

/** Everything that is wrong with the tags of a content's language variants, each with its remedy; empty when they are good. */
export function judgeVariants(tags: readonly string[]): VariantProblem[] {
  const problems: VariantProblem[] = []
  if (tags.length > MAX_VARIANTS)
    problems.push({ tag: null, says: `must have at most ${MAX_VARIANTS} languages, and has ${tags.length}` })
  const first = new Map<string, string>()
  for (const tag of tags.slice(0, MAX_VARIANTS)) {
    const canonical = canonicalTag(tag)
    const earlier = canonical === undefined ? undefined : first.get(canonical)
    if (canonical === undefined || SINGLETON.test(tag)) problems.push({ tag, says: remedyOf(tag) })
    else if (earlier !== undefined) problems.push({ tag, says: `is the same language as ${earlier}: keep one of them` })
    else first.set(canonical, tag)
  }
  return problems
}

/** Begins an extension or private use. */
const SINGLETON = /-[a-z0-9]-/i

function remedyOf(tag: string): string {
  const meant = tagOfLocale(tag)
  if (meant !== undefined) return `must be a language tag without underscores, extensions and private use: ${meant}`
  return 'must be the tag of a language, such as de, pt-BR or zh-Hant: the code of the language (ja), not of a country (jp)'
}

/** Chooses the variant for a person from the tags of his chain; undefined: the default content. */
export type LanguageMatcher = (tags: readonly (string | null | undefined)[]) => string | undefined

/**
 * A chooser among `variants`, which are tags that `judgeVariants` accepts; it answers one of them as it is spelt there. It takes the
 * tags of a person's chain as they are stored: the value of the language attribute, then the locale of the install. The first that
 * is a tag decides alone, also when no variant fits it. A chooser remembers its answers, in bounded memory: keep it for as long as
 * the content.
 */
export function languageMatcher(variants: readonly string[]): LanguageMatcher {
  const known = knownVariants(variants)
  const remembered = new Map<string, Verdict>()
  const judge = (tag: string): Verdict => {
    const seen = remembered.get(tag)
    if (seen !== undefined) return seen
    if (tag.length > MAX_TAG_LENGTH) return NO_TAG
    const read = readLocale(tag)
    const verdict = read === undefined ? NO_TAG : { isTag: true, variant: variantFor(read, known) }
    // Starting over costs little: the tags of real phones are back after a page.
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    remembered.set(tag, verdict)
    return verdict
  }
  return (tags) => {
    for (const tag of tags) {
      if (!tag) continue
      const verdict = judge(tag)
      if (verdict.isTag) return verdict.variant
    }
    return undefined
  }
}

interface Verdict {
  isTag: boolean
  variant: string | undefined
}

const NO_TAG: Verdict = { isTag: false, variant: undefined }

/** Variants by canonical tag: as they are spelt, and the script that they are written in. */
type KnownVariants = ReadonlyMap<string, { spelt: string; script: string }>

function knownVariants(variants: readonly string[]): KnownVariants {
  const known = new Map<string, { spelt: string; script: string }>()
  for (const spelt of variants) {
    const read = readTag(spelt)
    if (read !== undefined && !known.has(read.tag)) known.set(read.tag, { spelt, script: read.script })
  }
  return known
}

/** The closest variant in the script of the tag. Another script is never close: who reads Serbian in Latin letters may not read Cyrillic. */
function variantFor(tag: LanguageTag, known: KnownVariants): string | undefined {
  for (const name of namesOf(tag)) {
    const variant = known.get(name)
    if (variant?.script === tag.script) return variant.spelt
  }
  return undefined
}

/** The names under which a variant fits a tag, the closest first. */
function namesOf({ tag, language, script, region, variants }: LanguageTag): string[] {
  const names = [tag]
  for (const end of new Set([variants, ''])) {
    if (region !== undefined) names.push(`${language}-${script}-${region}${end}`)
    names.push(`${language}-${script}${end}`)
    if (region !== undefined) names.push(`${language}-${region}${end}`)
    names.push(`${language}${end}`)
  }
  return names
}

function readTag(tag: string): LanguageTag | undefined {
  if (tag.length > MAX_TAG_LENGTH) return undefined
  try {
    // `no` is every written Norwegian; CLDR keeps it apart from `nb`, which nine in ten write.
    const locale = new Intl.Locale(plainTag(new Intl.Locale(tag)).replace(/^no(?=-|$)/, 'nb'))
    const { language, script, region } = locale.maximize()
    // `und` would be maximised to English. Longer codes are reserved, and none is registered: `german`.
    if (/^(und|[a-z]{4,})/.test(locale.baseName) || script === undefined) return undefined
    return { tag: plainTag(locale), language, script, region, variants: variantsOf(locale) }
  } catch {
    return undefined
  }
}

/** The tag without extensions and private use. `baseName` is nearly that, but has `u-va-posix` for `en-US-posix`. */
const plainTag = (locale: Intl.Locale) => locale.toString().replace(/-[a-z0-9]-.*$/, '')

/** Variant subtags; Node 24 has no `Intl.Locale.prototype.variants` yet. */
function variantsOf(locale: Intl.Locale): string {
  const { language, script, region } = locale
  const before = [language, script, region].filter((part) => part !== undefined).join('-')
  return plainTag(locale).slice(before.length)
}

function readLocale(locale: string): LanguageTag | undefined {
  if (locale.length > MAX_TAG_LENGTH) return undefined
  const spelt = locale
    .trim()
    .replace(/@[a-z]+=.*$/i, '')
    .replace(/\.[\w-]+$/, '')
  // Java has three locales whose last part is no variant: see `Locale`, "Special cases" and `toLanguageTag`.
  const plain = spelt.replace(/^no_NO_NY\b/i, 'nn_NO').replace(/^(ja_JP|th_TH)_(?:JP|TH)(?![a-z])/i, '$1')
  // Java writes the script and extensions last, behind `#`: `zh_TW_#Hant`, `sr__#Latn`, `en_US_#u-mu-celsius`.
  const [head = '', tail = ''] = plain.split('#', 2)
  const [language = '', ...others] = head.split('_').filter((part) => part !== '')
  const script = /^[a-z]{4}(?![a-z0-9])/i.exec(tail)?.[0]
  return readTag([language, ...(script === undefined ? [] : [script]), ...others].join('-'))
}
