/** Template texts and scopes by chance, of everything in which this language and `liquidjs` must agree. Pure. */

type Chance = (end: number) => number

/** Values that are there, by kind of path. Lists and objects are only gone through or asked with `contains`. */
const TEXTS = [
  'meta.t0',
  'meta.t1',
  'user.attributes.t2',
  "user.attributes['a b']",
  'meta.größe',
  'meta.order.name',
  'app.name',
]
const NUMBERS = ['meta.n0', 'user.attributes.n1', 'meta.order.total', 'meta.list[0]', 'meta.list[-1]', 'meta["x-y"]']
const NUMERALS = ['meta.s0', 'user.attributes.s1']
const FLAGS = ['meta.yes', 'user.attributes.no']
const GONE = [
  'meta.gone',
  'user.attributes.none',
  'meta.blank',
  'meta.order.gone.further',
  'meta.list[9]',
  'meta.t0.further',
]
const LISTS = ['meta.list', 'user.attributes.words']

const WORDS = [
  'Anna', 'ANNA', 'straße', 'İstanbul', 'été', '  blank ', 'a', 'x😀y👩‍👩‍👧z', '{{ meta.t0 }}', '{% if true %}', "it's", '"q"', '\u200fעברית\u200e',
  '__proto__', 'constructor', '5', '-3.5', '0', 'a/b?c=d&e#f%20', 'tab\there', 'new\nline', '日本語テキスト', '<b>', 'true', 'nil', '\u00a0', 'a,b|c:d',
] // biome-ignore format: a list
const FIGURES = [0, 1, -1, 2, 7, 10, 0.5, -0.5, 1.005, 2.675, 1e21, 1e-7, 123456.789, -99.995, 2 ** 53, 0.1]
const NUMERIC_TEXTS = ['5', '-7', '2.50', '007', '1e3', ' 4 ', '0x10', 'five']
const PLAIN = [
  'Hello ', ' ', '\n', '\n\n  ', '\t', '!', '2 € ', '}} ', '%} ', '{ ', '% ', '\\', "'", '"', '😀', '\u00a0', 'é', '- ', '-', '| default: ', '\u200f', '{ % ', '\ufeff', '\u180e', '\u2028', '\u3000\v',
] // biome-ignore format: a list

const pick = <T>(chance: Chance, list: readonly T[]): T => list[chance(list.length)]!

/** A scope as JSON would give it. */
export function anyScope(chance: Chance) {
  const word = () => pick(chance, WORDS)
  const figure = () => pick(chance, FIGURES)
  const numeral = () => pick(chance, NUMERIC_TEXTS)
  return {
    user: {
      identifier: word(),
      attributes: {
        t2: word(),
        'a b': word(),
        n1: figure(),
        s1: numeral(),
        no: false,
        none: null,
        words: [word(), word()],
      },
    },
    meta: {
      t0: word(), t1: word() + word(), größe: word(), n0: figure(), s0: numeral(), yes: true, blank: '', 'x-y': figure(),
      order: { name: word(), total: figure() }, list: [figure(), word(), figure()],
    }, // biome-ignore format: a list
    app: { name: word() },
    now: 0,
  }
}

/** A template text, small enough to be compiled. */
export function anyTemplate(chance: Chance): string {
  for (;;) {
    const text = anyNodes(chance, 2)
    if (text.length < 2000) return text
  }
}

/** `depth` is how many more ifs may stand inside each other. */
function anyNodes(chance: Chance, depth: number): string {
  let text = ''
  for (let i = 1 + chance(2); i > 0; i--) text += anyPart(chance, depth)
  return text
}

function anyPart(chance: Chance, depth: number): string {
  const kind = chance(9)
  if (kind < 3) return pick(chance, PLAIN)
  if (kind < 7 || depth === 0)
    return `{{${minus(chance)}${blank(chance)}${anyOutput(chance)}${blank(chance)}${minus(chance)}}}`
  let text = `${tag(chance, `if ${anyCondition(chance)}`)}${anyNodes(chance, depth - 1)}`
  for (let i = chance(2); i > 0; i--) text += tag(chance, `elsif ${anyCondition(chance)}`) + anyNodes(chance, depth - 1)
  if (chance(2) === 0) text += tag(chance, 'else') + anyNodes(chance, depth - 1)
  return text + tag(chance, 'endif')
}

const minus = (chance: Chance) => (chance(5) === 0 ? '-' : '')
const blank = (chance: Chance) => pick(chance, [' ', ' ', ' ', '  ', '\n', '\t', '\u00a0', '\u3000\f', '\u180e'])
const tag = (chance: Chance, inside: string) =>
  `{%${minus(chance)}${blank(chance)}${inside}${blank(chance)}${minus(chance)}%}`

function anyOutput(chance: Chance): string {
  let text = chance(4) === 0 ? pick(chance, GONE) : anyValue(chance)
  for (let i = chance(4); i > 0; i--) text += `${pick(chance, ['|', ' | ', ' |  '])}${anyFilter(chance)}`
  return text
}

/** A value that is there: a path or a literal. */
function anyValue(chance: Chance): string {
  const kind = chance(7)
  if (kind < 2) return pick(chance, TEXTS)
  if (kind === 2) return pick(chance, NUMBERS)
  if (kind === 3) return pick(chance, NUMERALS)
  if (kind === 4) return pick(chance, FLAGS)
  return kind === 5 ? literalText(chance) : literalNumber(chance)
}

const LITERAL_TEXTS = ['gold', 'é😀', 'a', ' ', '5', "it's", 'say "x"', '}} {{', '{ x', 'a|b, c: d', 'ANNA']
function literalText(chance: Chance): string {
  const text = pick(chance, LITERAL_TEXTS)
  const quote = text.includes("'") || (!text.includes('"') && chance(2) === 0) ? '"' : "'"
  return `${quote}${text}${quote}`
}
const literalNumber = (chance: Chance) => pick(chance, ['0', '1', '5', '-3', '2.5', '10', '1000000', '0.1', '-0.75'])

const textArgument = (chance: Chance) => (chance(3) === 0 ? anyValue(chance) : literalText(chance))
const numberArgument = (chance: Chance) =>
  chance(3) === 0 ? pick(chance, [...NUMBERS, ...NUMERALS, ...FLAGS]) : literalNumber(chance)
const lengthArgument = (chance: Chance) =>
  pick(chance, ['0', '1', '3', '5', '10', '-2', '2.5', "'4'", 'meta.n0', 'meta.s0', 'meta.yes'])

/** The filters of which the argument is a text. */
const OF_TEXT = ['default', 'append', 'prepend']
const OF_NUMBER = ['plus', 'minus', 'times']
const ALONE = ['upcase', 'downcase', 'capitalize', 'strip', 'url_encode', 'truncate', 'round']

function anyFilter(chance: Chance): string {
  const colon = pick(chance, [': ', ':', ' : '])
  switch (chance(7)) {
    case 0:
      return `${pick(chance, OF_TEXT)}${colon}${textArgument(chance)}`
    case 1:
      return `${pick(chance, OF_NUMBER)}${colon}${numberArgument(chance)}`
    case 2:
      return `truncate${colon}${lengthArgument(chance)}${chance(2) === 0 ? `, ${chance(4) === 0 ? "''" : textArgument(chance)}` : ''}`
    case 3:
      return `replace${colon}${textArgument(chance)}, ${textArgument(chance)}`
    case 4:
      return `round${colon}${pick(chance, ['0', '1', '2', '-1', "'2'", 'meta.s0', 'meta.n0'])}`
    case 5:
      // Whole by whole differs on purpose, and a divisor with a point is the same in both.
      return `divided_by${colon}${pick(chance, ['2.5', '-0.5', '3.0'])}`
    default:
      return pick(chance, ALONE)
  }
}

function anyCondition(chance: Chance): string {
  let text = anyTest(chance)
  for (let i = chance(4) - 1; i > 0; i--) text += ` ${pick(chance, ['and', 'or'])} ${anyTest(chance)}`
  return text
}

function anyTest(chance: Chance): string {
  const kind = chance(5)
  if (kind === 0) return pick(chance, [...TEXTS, ...NUMBERS, ...FLAGS, 'true', 'false', '0', "'x'"])
  if (kind === 1) return `${chance(2) === 0 ? pick(chance, LISTS) : anyValue(chance)} contains ${anyValue(chance)}`
  const sign = pick(chance, ['==', '!=', '<', '>', '<=', '>='])
  const space = pick(chance, [' ', ' ', '  '])
  return `${anyValue(chance)}${space}${sign}${space}${anyValue(chance)}`
}
