/** Numbers, months and weekdays as a language writes them. Formats that were built are kept: building one takes some 50 µs. */

export interface Words {
  months: readonly string[]
  shortMonths: readonly string[]
  weekdays: readonly string[]
  shortWeekdays: readonly string[]
}

export interface Formats {
  words(): Words
  /** A number with this many decimals; undefined: at most three. */
  number(value: number, decimals: number | undefined): string
}

/** The language without which nothing can be written. */
const USUAL = 'en'
/** Languages that are kept. Attributes may name any, so there is a bound. */
const MAX_KEPT = 64

const kept = new Map<string, Formats>()

/** The formats of a language by its BCP 47 tag; those of English for what is no tag. */
export function formatsOf(language: string | null | undefined): Formats {
  const tag = language ?? USUAL
  let formats = kept.get(tag)
  if (formats !== undefined) return formats
  // Without English behind it, a tag that nobody knows would mean the language of the machine.
  formats = createFormats(isTag(tag) ? [tag, USUAL] : [USUAL])
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value!)
  kept.set(tag, formats)
  return formats
}

function isTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

function createFormats(languages: readonly string[]): Formats {
  let words: Words | undefined
  const numbers = new Map<number | undefined, Intl.NumberFormat>()
  return {
    words: () => (words ??= wordsOf(languages)),
    number(value, decimals) {
      let format = numbers.get(decimals)
      if (format === undefined) {
        const digits =
          decimals === undefined ? {} : { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
        numbers.set(decimals, (format = new Intl.NumberFormat([...languages], digits)))
      }
      return format.format(value)
    },
  }
}

function wordsOf(languages: readonly string[]): Words {
  const months = (style: 'long' | 'short') => Array.from({ length: 12 }, (_, month) => monthOf(languages, style, month))
  const weekdays = (style: 'long' | 'short') => {
    const format = new Intl.DateTimeFormat([...languages], { weekday: style, timeZone: 'UTC', calendar: 'gregory' })
    // The first of these seven days is a Sunday.
    return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(2026, 0, 4 + day)))
  }
  return {
    months: months('long'),
    shortMonths: months('short'),
    weekdays: weekdays('long'),
    shortWeekdays: weekdays('short'),
  }
}

/** The name of a month as it stands beside a day (Russian has another form then), unless that is a number. */
function monthOf(languages: readonly string[], month: 'long' | 'short', index: number): string {
  const at = Date.UTC(2026, index, 4)
  const options = { month, timeZone: 'UTC', calendar: 'gregory' } as const
  const parts = new Intl.DateTimeFormat([...languages], { ...options, day: 'numeric' }).formatToParts(at)
  const beside = parts.find(({ type }) => type === 'month')?.value ?? ''
  return /^\p{L}/u.test(beside) ? beside : new Intl.DateTimeFormat([...languages], options).format(at)
}
