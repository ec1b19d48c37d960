import type { FieldErrors } from '../../platform/errors.ts'
import { isPlainObject, isStorable } from '../../platform/json/json.ts'
import {
  atMost,
  choice,
  flag,
  gatherProblems,
  list,
  MUST_BE,
  NOT_STORABLE,
  object,
  type Reader,
} from '../../platform/values/reader.ts'
import { TAG_TYPES, type Tag, type TagType, type TagValues } from './types.ts'

/** Dynamic tags: their declarations, their places in a text, and their values. Pure. */

const MAX_TAGS = 50
const MAX_TITLE_LENGTH = 64
/** Maximum length of a value of type text in code points. */
const MAX_VALUE_LENGTH = 2000
const MAX_URL_LENGTH = 2048
/** Maximum length of a number: digits, sign and point. */
const MAX_NUMBER_LENGTH = 32
/** Maximum number of wrong values that are named; the others are counted. */
const MAX_NAMED = 100

/** A tag as far as its declaration is valid; without a type if that is wrong. */
export type DeclaredTag = Omit<Tag, 'type'> & { type?: TagType }

/** Literal text, or the title of a tag. */
export type Piece = { text: string } | { title: string }

/** Splits a text into pieces; undefined if a `{{` has no `}}`. Blanks inside the braces are ignored. */
export function piecesOf(text: string): Piece[] | undefined {
  const pieces: Piece[] = []
  let at = 0
  for (let start = text.indexOf('{{'); start !== -1; start = text.indexOf('{{', at)) {
    const end = text.indexOf('}}', start + 2)
    if (end === -1) return undefined
    if (start > at) pieces.push({ text: text.slice(at, start) })
    pieces.push({ title: text.slice(start + 2, end).trim() })
    at = end + 2
  }
  if (at < text.length) pieces.push({ text: text.slice(at) })
  return pieces
}

const readTitle: Reader<string> = (value, at, problems) => {
  const problem = titleProblem(value)
  return problem === undefined ? (value as string) : problems.say(at, problem)
}
const declarations = list(
  object({ 'title!': readTitle, 'type!': choice(TAG_TYPES), required: flag, default: (value) => value }),
  { min: 0, max: MAX_TAGS, what: 'tags' },
)

/** The declared tags of a template, as far as they are valid, and problems by path in the list (`[0].title`). */
export function readTags(given: unknown): { declared: Map<string, DeclaredTag>; errors: FieldErrors } {
  const declared = new Map<string, DeclaredTag>()
  const problems = gatherProblems()
  const tags = declarations(given, '', problems) === undefined ? [] : (given as unknown[])
  for (const [i, tag] of tags.entries()) {
    if (!isPlainObject(tag)) continue
    const { title, type, required = true, default: standard } = tag
    const wrongDefault = Object.hasOwn(tag, 'default') && isTagType(type) ? valueProblem(type, standard) : undefined
    if (wrongDefault !== undefined) problems.say(`[${i}].default`, wrongDefault)
    if (typeof title !== 'string' || titleProblem(title) !== undefined) continue
    if (declared.has(title)) {
      problems.say(`[${i}].title`, 'is the title of two tags')
      continue
    }
    declared.set(title, {
      title,
      ...(isTagType(type) && { type }),
      required: required !== false,
      ...(Object.hasOwn(tag, 'default') && { default: standard as string | number }),
    })
  }
  return { declared, errors: problems.errors() }
}

function isTagType(type: unknown): type is TagType {
  return (TAG_TYPES as readonly unknown[]).includes(type)
}

function titleProblem(title: unknown): string | undefined {
  const isTitle =
    typeof title === 'string' &&
    title !== '' &&
    title === title.trim() &&
    isStorable(title) &&
    [...title].length <= MAX_TITLE_LENGTH &&
    !/[{}\p{Cc}]/u.test(title)
  if (!isTitle)
    return `must be a string of 1 to ${MAX_TITLE_LENGTH} characters without braces and without blanks at its ends`
  // An object of values cannot hold this key.
  return title === '__proto__' ? 'must not be __proto__' : undefined
}

/**
 * The text for each tag: its value, its default, or nothing. Or problems by title: a required tag without a value, an
 * unknown tag, a value of the wrong type.
 */
export function readValues(
  tags: readonly Tag[],
  values: TagValues,
): { texts: Map<string, string>; errors: FieldErrors } {
  const texts = new Map<string, string>()
  const wrong: [title: string, problem: string][] = []
  for (const { title, type, required, default: standard } of tags) {
    const isGiven = Object.hasOwn(values, title)
    const value = isGiven ? values[title] : standard
    if (value === undefined) {
      if (required) wrong.push([title, `is required: the tag is a ${DESCRIPTIONS[type]} and has no default`])
      texts.set(title, '')
      continue
    }
    const problem = isGiven ? valueProblem(type, value) : undefined
    if (problem !== undefined) wrong.push([title, problem])
    else texts.set(title, typeof value === 'number' ? String(value) : (value as string))
  }
  const known = new Set(tags.map(({ title }) => title))
  for (const title of Object.keys(values)) {
    if (!known.has(title)) wrong.push([title, `is not a tag of this template${named([...known])}`])
  }
  const errors: FieldErrors = Object.fromEntries(
    wrong.slice(0, MAX_NAMED).map(([title, problem]) => [title, [problem]]),
  )
  if (wrong.length > MAX_NAMED) errors[''] = [`has ${wrong.length - MAX_NAMED} more wrong values`]
  return { texts, errors }
}

function named(titles: readonly string[]): string {
  if (titles.length === 0) return ': it has none'
  const more = titles.length > 20 ? `, and ${titles.length - 20} more` : ''
  return `: it has ${titles.slice(0, 20).join(', ')}${more}`
}

const DESCRIPTIONS: Record<TagType, string> = {
  text: 'text',
  url: 'URL',
  image: 'URL of an image',
  color: 'colour',
  number: 'number',
}

/** The problem of a value for a tag of this type, if any. */
export function valueProblem(type: TagType, value: unknown): string | undefined {
  switch (type) {
    case 'text':
      if (typeof value !== 'string') return MUST_BE.string
      return textProblem(value, MAX_VALUE_LENGTH)
    case 'number':
      return numberProblem(value)
    case 'color':
      return typeof value === 'string' && isColor(value) ? undefined : `must be ${COLOR_RULE}`
    case 'url':
      return typeof value === 'string' ? urlProblem(value) : `must be ${URL_RULE}`
    case 'image':
      return typeof value === 'string' ? imageProblem(value) : `must be ${IMAGE_RULE}`
  }
}

function numberProblem(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text === 'string' && text.length <= MAX_NUMBER_LENGTH && /^-?\d+([.,]\d+)?$/.test(text)) return undefined
  return typeof value === 'number'
    ? 'must be a number that is written without an exponent; very large and very small ones can be given as a string of digits'
    : 'must be a number, or a string of digits such as "12.50"'
}

const COLOR_RULE = 'a colour such as #1753d8: #rgb, #rrggbb or #rrggbbaa'
/** 24 kB of image. */
const MAX_DATA_URL_LENGTH = 32_768
const URL_RULE = `an absolute http or https URL of at most ${MAX_URL_LENGTH} characters, without blanks and quotes`
const IMAGE_RULE = `${URL_RULE}, or an image as data:image/png;base64,… (also jpeg, gif, webp, svg+xml) of at most ${MAX_DATA_URL_LENGTH} characters`

function isColor(text: string): boolean {
  return /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)
}

export function colorProblem(text: string): string | undefined {
  return isColor(text) ? undefined : `must be ${COLOR_RULE}`
}

/** The problem of a URL, if any. Stricter than URL.canParse, which drops blanks and accepts `https:x`: devices get the text unchanged. */
export function urlProblem(text: string): string | undefined {
  const isUrl =
    isStorable(text) &&
    text.length <= MAX_URL_LENGTH &&
    /^https?:\/\/[^\s\p{Cc}<>"'\\^`{}]+$/iu.test(text) &&
    URL.canParse(text)
  return isUrl ? undefined : `must be ${URL_RULE}`
}

/** An image may also be a data URL. It travels with every message, so it must be small. */
export function imageProblem(text: string): string | undefined {
  if (!text.startsWith('data:')) return urlProblem(text) && `must be ${IMAGE_RULE}`
  const isImage =
    text.length <= MAX_DATA_URL_LENGTH &&
    /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/.test(text)
  return isImage ? undefined : `must be ${IMAGE_RULE}`
}

/** `most` counts code points. */
export function textProblem(text: string, most: number): string | undefined {
  if (!isStorable(text)) return NOT_STORABLE
  return isTooLong(text, most) ? atMost(most, 'characters') : undefined
}

/** Tells whether a text has more than `most` code points: by default, more than the value of a tag may have. */
export function isTooLong(text: string, most = MAX_VALUE_LENGTH): boolean {
  return text.length > most && [...text].length > most
}
