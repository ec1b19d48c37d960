import { mapParts } from '../parts.ts'

/**
 * Message variables of Amazon Pinpoint in our terms: paths of an endpoint become what the import of endpoints makes of them. What has no
 * counterpart here, such as a helper, stays as it is, and the check of the push template names it. Source:
 * docs.aws.amazon.com/pinpoint/latest/userguide/message-templates-personalizing.html. Pure.
 */

/** Paths of an endpoint with another name here. One that ends with a point stands for all below it. */
const NAMES: readonly (readonly [theirs: string, ours: string])[] = [
  ['User.UserId', 'user.identifier'],
  ['User.UserAttributes.', 'user.attributes.'],
  ['Attributes.', 'user.attributes.'],
  ['Metrics.', 'user.attributes.'],
  ['Demographic.AppVersion', 'install.appVersion'],
  ['Demographic.Locale', 'install.locale'],
  ['Demographic.Platform', 'install.os'],
  ['Demographic.PlatformVersion', 'install.osVersion'],
  ['Demographic.Timezone', 'install.timezone'],
  ['Location.Country', 'install.country'],
]

/** A path, and the first item of a list: a list of one is a value here. */
const PATH = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\.?\[0\])?$/

/** Tells whether a text is filled in for each recipient. */
export function isPersonalised(text: string): boolean {
  const start = text.indexOf('{{')
  return start !== -1 && text.includes('}}', start + 2)
}

/** The text with its variables renamed. `defaults` has the words that stand where one has no value, by its path there. */
export function inOurTerms(text: string, defaults: Readonly<Record<string, unknown>>): string {
  return mapParts(text, ['{{'], (inside) => {
    const given = inside.trim()
    const path = PATH.test(given) ? given.replace(/\.?\[0\]$/, '') : undefined
    const ours = path && renamed(path)
    if (path === undefined || ours === undefined) return inside
    const words = Object.hasOwn(defaults, given) ? defaults[given] : defaults[path]
    return ` ${ours}${typeof words === 'string' && words !== '' ? ` | default: ${quoted(words)}` : ''} `
  })
}

function renamed(path: string): string | undefined {
  for (const [theirs, ours] of NAMES) {
    if (path === theirs) return ours
    if (theirs.endsWith('.') && path.startsWith(theirs)) return ours + path.slice(theirs.length)
  }
  return undefined
}

/** A literal of a template text. With quotes of both kinds it cannot be written: the check refuses it with its place. */
const quoted = (words: string) => (words.includes("'") ? `"${words}"` : `'${words}'`)
