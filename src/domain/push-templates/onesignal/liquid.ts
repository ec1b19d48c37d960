import { mapParts } from '../parts.ts'

/**
 * Template texts of OneSignal in our terms: a bare name is a tag of the user there, and tags become attributes of users when they are
 * imported. What has no counterpart here stays as it is, and the check of the push template names it. Pure.
 */

/** Values of OneSignal with another name here. A name that ends with a point stands for all below it. */
const NAMES: readonly (readonly [theirs: string, ours: string])[] = [
  ['user.external_id', 'user.identifier'],
  ['user.language', 'install.language'],
  ['user.tags.', 'user.attributes.'],
  ['message.custom_data.', 'meta.'],
]
const WORDS = new Set([
  'if',
  'elsif',
  'else',
  'endif',
  'unless',
  'endunless',
  'for',
  'endfor',
  'assign',
  'case',
  'when',
])
const OPERATORS = new Set(['and', 'or', 'contains', 'true', 'false', 'nil', 'null', 'empty', 'blank', 'in'])

/** A name; a hyphen at its end would belong to the braces. */
const NAME = String.raw`[\p{L}_][\p{L}\p{M}\p{N}_]*(?:-[\p{L}\p{M}\p{N}_]+)*`
/** A text in quotes, the name of a filter, a number, or a path. */
const PIECE = new RegExp(String.raw`'[^']*'|"[^"]*"|\|\s*\w+|\d[\w.]*|${NAME}(?:\.${NAME}|\[[^\]]{0,100}\])*`, 'gu')
/** A tag of a user. */
const BARE = new RegExp(`^${NAME}$`, 'u')

/** The text with the paths of its parts renamed. */
export const inOurTerms = (text: string): string =>
  mapParts(text, ['{{', '{%'], (inside) => inside.replace(PIECE, renamed))

function renamed(piece: string): string {
  if (/^['"|\d]/.test(piece) || WORDS.has(piece) || OPERATORS.has(piece)) return piece
  for (const [theirs, ours] of NAMES) {
    if (piece === theirs || (theirs.endsWith('.') && piece.startsWith(theirs))) return ours + piece.slice(theirs.length)
  }
  return BARE.test(piece) ? `user.attributes.${piece}` : piece
}
