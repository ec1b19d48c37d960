/**
 * Sort keys of texts: two texts are in the order of a language when their keys are in the order of code points, which
 * both databases keep. Pure.
 *
 * A key has up to three parts. The first decides by letters: `Äpfel` and `apfel` agree. The second decides by accents,
 * the third by case, small letters first. A part holds the weight of each letter, without blanks at its end.
 */

/**
 * Letters that a language orders as letters of their own, each chain behind the letter it begins with. Letters that
 * are written together (`ä æ`) differ only as accents do. Two characters are sorted as one letter.
 */
type Chain = readonly [after: string, ...letters: string[]]

/** Chains that all languages share: of Latin, and of Cyrillic, whose additions are elsewhere in Unicode. */
const COMMON: readonly Chain[] = [
  ['d', 'ð'],
  ['e', 'ǝ', 'ə'],
  ['i', 'ı'],
  ['n', 'ŋ'],
  ['t', 'ŧ'],
  ['z', 'ʒ', 'þ'],
  ['г', 'ґ'],
  ['д', 'ђ'],
  ['е', 'є'],
  ['з', 'ѕ'],
  ['и', 'і', 'й', 'ј'],
  ['л', 'љ'],
  ['н', 'њ'],
  ['т', 'ћ'],
  ['ч', 'џ'],
]

const NORDIC: readonly Chain[] = [['y ü ű'], ['z', 'å', 'ä æ', 'ö ø ő œ']]
const DANISH: readonly Chain[] = [['y ü ű'], ['z', 'æ ä', 'ø ö ő œ', 'å aa']]

/** The languages of `collate`, with the letters of each besides the common ones. */
const LANGUAGES: Readonly<Record<string, readonly Chain[]>> = {
  und: [],
  cs: [
    ['c', 'č'],
    ['h', 'ch'],
    ['r', 'ř'],
    ['s', 'š'],
    ['z', 'ž'],
  ],
  da: DANISH,
  de: [],
  el: [],
  en: [],
  es: [['n', 'ñ']],
  fi: NORDIC,
  fr: [],
  it: [],
  nb: DANISH,
  nl: [],
  nn: DANISH,
  pl: [
    ['a', 'ą'],
    ['c', 'ć'],
    ['e', 'ę'],
    ['l', 'ł'],
    ['n', 'ń'],
    ['o', 'ó'],
    ['s', 'ś'],
    ['z', 'ź', 'ż'],
  ],
  pt: [],
  ro: [
    ['a', 'ă', 'â'],
    ['i', 'î'],
    ['s', 'ș ş'],
    ['t', 'ț ţ'],
  ],
  ru: [],
  sk: [
    ['a', 'ä'],
    ['c', 'č'],
    ['h', 'ch'],
    ['o', 'ô'],
    ['r', 'ř'],
    ['s', 'š'],
    ['z', 'ž'],
  ],
  sv: NORDIC,
  tr: [
    ['c', 'ç'],
    ['g', 'ğ'],
    ['h', 'ı'],
    ['o', 'ö'],
    ['s', 'ş'],
    ['u', 'ü'],
  ],
  uk: [['и', 'і', 'ї', 'й', 'ј']],
}

/** Values of `collate`: `und` for no language in particular, or a language. */
export const COLLATIONS: readonly string[] = Object.keys(LANGUAGES)

/** Letters that are sorted as other letters, though Unicode does not take them apart. */
const WRITTEN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ħ: 'h',
  ς: 'σ',
  ſ: 's',
}

/** Accents. The vowel signs of other scripts, which are also combining, count as letters. */
const ACCENTS: readonly (readonly [from: number, to: number])[] = [
  [0x300, 0x36f],
  [0x591, 0x5c7],
  [0x64b, 0x65f],
  [0x670, 0x670],
  [0x1ab0, 0x1aff],
  [0x1dc0, 0x1dff],
  [0x20d0, 0x20ff],
  [0x3099, 0x309a],
  [0xfe20, 0xfe2f],
]
const LETTER = /[\p{L}\p{M}\p{N}]/u
const BLANK = /[\s\p{Z}]/u
/** Invisible characters: controls, marks of direction, variants of emoji. */
const UNSEEN = /[\p{Cc}\p{Cf}\ufe00-\ufe0f]/u

/** A character before each punctuation mark and symbol, so that they come between a blank and the digits. */
const SYMBOL = '!'
/** A character between a letter and its place in a chain: behind the letters of (almost) all scripts. */
const BEHIND = '\ufffd'
const SEPARATOR = '\u0001'
/** The weights of a letter that has no accent, or is small; and of a capital. */
const PLAIN = ' '
const CAPITAL = 'A'

/** Bytes of the parts of a key. An index entry of PostgreSQL holds 2704. */
const MOST_BYTES = [1020, 510, 510] as const

/** Weights of a letter in each part of the key. */
type Weights = readonly [letters: string, accents: string, cases: string]

const MAX_REMEMBERED = 5000

/** `sortKeyOf` for one language. */
function keysIn(language: string, own: readonly Chain[]): (text: string) => string {
  const lower = (text: string) => (language === 'tr' ? text.toLocaleLowerCase('tr') : text.toLowerCase())
  const places = new Map<string, { place: string; accent: string }>()
  for (const chain of [...COMMON, ...own]) {
    const [base] = chain[0].split(' ')
    chain.forEach((alike, i) => {
      const place = i === 0 ? base! : `${base}${BEHIND}${i}`
      alike.split(' ').forEach((letter, k) => places.set(letter, { place, accent: k === 0 ? '' : letter[0]! }))
    })
  }
  const pairs = new Set([...places.keys()].filter((letter) => letter.length === 2))
  const remembered = new Map<string, Weights>()

  function placed(unit: string, small: string): Weights | undefined {
    const found = places.get(small)
    if (found) return [found.place, PLAIN + found.accent, unit === small ? PLAIN : CAPITAL]
    return /^[a-z]$/.test(small) ? [small, PLAIN, unit === small ? PLAIN : CAPITAL] : undefined
  }

  /** The weights of one character of a decomposition. `variant`: the weight of the whole in the third part, if it is a variant. */
  function plainWeights(character: string, variant: string | undefined): Weights {
    if (isAccent(character)) return ['', character, '']
    if (BLANK.test(character)) return [' ', PLAIN, variant ?? (character === ' ' ? PLAIN : character)]
    if (UNSEEN.test(character)) return ['', '', '']
    if (!LETTER.test(character)) return [SYMBOL + character, PLAIN, variant ?? PLAIN]
    const small = lower(character)
    const own = placed(character, small)
    if (own) return [own[0], own[1], variant ?? own[2]]
    const written = WRITTEN[small]
    const cases = variant ?? (small === character ? PLAIN : CAPITAL)
    return written === undefined ? [small, PLAIN, cases] : [written, PLAIN + small, cases]
  }

  function weigh(unit: string): Weights {
    const own = placed(unit, lower(unit))
    if (own) return own
    const whole = unit.normalize('NFKD')
    // A control character would end a part of the key.
    const variant = whole === unit.normalize('NFD') || UNSEEN.test(unit) ? undefined : unit
    const all = Array.from(whole, (character) => plainWeights(character, variant))
    return [0, 1, 2].map((part) => all.map((weights) => weights[part]).join('')) as unknown as Weights
  }

  function weightsOf(unit: string): Weights {
    const known = remembered.get(unit)
    if (known) return known
    if (remembered.size >= MAX_REMEMBERED) remembered.clear()
    const weights = weigh(unit)
    remembered.set(unit, weights)
    return weights
  }

  return (text) => {
    const [letters, accents, cases] = [[] as string[], [] as string[], [] as string[]]
    const characters = Array.from(text.normalize('NFC'))
    for (let i = 0; i < characters.length; i++) {
      const pair = pairs.size > 0 && i + 1 < characters.length ? characters[i]! + characters[i + 1]! : ''
      const isPair = pair !== '' && pairs.has(lower(pair))
      const [letter, accent, shape] = weightsOf(isPair ? pair : characters[i]!)
      if (isPair) i++
      letters.push(letter)
      accents.push(accent)
      cases.push(shape)
    }
    const parts = [letters.join(''), accents.join('').trimEnd(), cases.join('').replace(/ +$/, '')]
    return parts
      .map((part, i) => startOf(part, MOST_BYTES[i]!))
      .reduceRight((behind, part) => (behind === '' ? part : part + SEPARATOR + behind), '')
  }
}

function isAccent(character: string): boolean {
  const point = character.codePointAt(0)!
  return ACCENTS.some(([from, to]) => point >= from && point <= to)
}

/** The first characters of a text, as many as fit into `most` bytes. */
function startOf(text: string, most: number): string {
  if (text.length * 3 <= most || Buffer.byteLength(text) <= most) return text
  let [bytes, end] = [0, 0]
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    end += character.length
  }
  return text.slice(0, end)
}

const keys = new Map<string, (text: string) => string>()

/**
 * The sort key of a text in one of the `COLLATIONS`: printable text of at most 2042 bytes. Texts that differ only in
 * invisible characters, or in the form in which Unicode composes them, have the same key.
 */
export function sortKeyOf(collate: string, text: string): string {
  let keyOf = keys.get(collate)
  if (!keyOf) {
    keyOf = keysIn(collate, LANGUAGES[collate] ?? [])
    keys.set(collate, keyOf)
  }
  return keyOf(text)
}
