import { objectOf, readWholeObject } from '../../../platform/json/json.ts'
import type { NewLink } from '../types.ts'
import { bare, type Fields, type Found, fieldsOf, present, type Row } from './import-fields.ts'

export type { Row } from './import-fields.ts'

/**
 * Converts rows of other services' exports to links (pure). Their short path becomes the slug, so that old links keep
 * working when their domain points at this server. Fields are found by name, in any spelling.
 */

const SERVICES = ['firebase', 'branch'] as const
export type Service = (typeof SERVICES)[number]

export interface Conversion {
  /** Where people are sent when a link names no fallback. */
  fallback?: string | undefined
}

/** A link that is not validated yet. */
export interface ConvertedLink {
  link: NewLink
  /** The host of its old address; undefined when the file does not say. */
  host: string | undefined
  /** Which column of the file a field of the link is from. */
  columns: Readonly<Record<string, string>>
  /** What of the row has no place here, or is not as it was, in a few words. */
  remarks: readonly string[]
}

/** A link, the reason why there is none, or what it is that cannot be moved. */
export type Converted = ConvertedLink | { problem: string } | { left: string }

export function convertRow(service: Service, row: Row, options: Conversion = {}): Converted {
  return service === 'firebase' ? fromFirebase(row, options) : fromBranch(row, options)
}

/**
 * Firebase Dynamic Links: the CSV of Google Takeout has a column for each parameter, with its short name in brackets
 * (https://firebase.google.com/support/guides/export-dynamic-links). A long link in place of the single parameters is
 * read as well. The app gets `{link, utm_…}` as `linkData`: the deep link that Firebase would have delivered.
 */
function fromFirebase(row: Row, { fallback }: Conversion): Converted {
  const fields = fieldsOf(row)
  const long = fields.text('longlink', 'longdynamiclink')
  if (long) fields.add(long.column, parametersOf(long.value))
  const place = placeOf(fields, ['shortlink', 'shorturl', 'shortdynamiclink'], [], 'Short link')
  if ('problem' in place || 'left' in place) return place
  const state = stateOf(fields)
  if ('problem' in state) return state
  const link = fields.text('link', 'deeplink', 'deeplinklink')
  const desktop = fields.text('ofl', 'desktopfallbacklink') ?? link ?? fromFlag(fallback)
  const phones = phonesOf(
    fields.text('ifl', 'iosfallbacklink'),
    fields.text('afl', 'androidfallbacklink'),
    link ?? fromFlag(fallback),
  )
  const empty = fields.columns('link', 'deeplink', 'deeplinklink', 'ofl', 'desktopfallbacklink')
  if (!desktop || !phones.mobile) return { problem: noTarget(phones.alone, desktop ? [] : empty) }
  const utm = present({
    utm_source: fields.text('utmsource')?.value,
    utm_medium: fields.text('utmmedium')?.value,
    utm_campaign: fields.text('utmcampaign')?.value,
    utm_term: fields.text('utmterm')?.value,
    utm_content: fields.text('utmcontent')?.value,
  })
  const name = fields.text('linkname', 'name')
  const title = fields.text('st', 'socialtitle')
  const description = fields.text('sd', 'socialdescription')
  const meta = present({ name: name?.value, ...utm })
  return {
    link: {
      slug: place.slug,
      linkData: present({ link: link?.value, ...utm }),
      content: { title: title?.value, description: description?.value },
      desktopWebFallbackUrl: desktop.value,
      mobileWebFallbackUrl: phones.mobile.value,
      reportingMeta: Object.keys(meta).length > 0 ? meta : undefined,
      ...state.enabled,
    },
    host: place.host,
    columns: columnsOf({ place, desktop, mobile: phones.mobile, title, description, linkData: link, meta: name }),
    remarks: [...state.remarks, ...phones.remarks],
  }
}

/**
 * Branch: an object as its API for links gives it (`url` or `alias`, labels, and `data` with the link's dictionary,
 * which may be JSON text), or a table whose columns have those names. The app gets the whole dictionary as `linkData`,
 * as Branch would have delivered it.
 */
function fromBranch(row: Row, { fallback }: Conversion): Converted {
  const dictionary = dictionaryOf(row.data)
  if ('problem' in dictionary) return { problem: dictionary.problem }
  const data = { ...flat(row), ...dictionary.of }
  const fields = fieldsOf({ ...row, ...data })
  const place = placeOf(fields, ['url', 'linkurl', 'shorturl', 'link'], ['alias', 'linkalias'], 'url')
  if ('problem' in place || 'left' in place) return place
  const state = stateOf(fieldsOf(row))
  if ('problem' in state) return state
  const anywhere = fields.text('fallbackurl') ?? fields.text('canonicalurl') ?? fromFlag(fallback)
  const desktop = fields.text('desktopurl') ?? anywhere
  const phones = phonesOf(fields.text('iosurl'), fields.text('androidurl'), anywhere)
  const alone = [...phones.alone, ...(anywhere ? [] : fields.columns('desktopurl'))]
  if (!desktop || !phones.mobile) {
    return {
      problem: noTarget(desktop ? alone : phones.alone, desktop ? [] : fields.columns('fallbackurl', 'desktopurl')),
    }
  }
  const title = fields.text('ogtitle')
  const description = fields.text('ogdescription')
  const meta = present({
    channel: fields.text('channel')?.value,
    feature: fields.text('feature')?.value,
    campaign: fields.text('campaign')?.value,
    stage: fields.text('stage')?.value,
    tags: fields.any('tags')?.value,
    title: fields.text('marketingtitle', 'linktitle')?.value,
  })
  const whole = row.data === undefined ? undefined : { column: 'data', value: '' }
  return {
    link: {
      slug: place.slug,
      linkData: present(data),
      content: { title: title?.value, description: description?.value },
      desktopWebFallbackUrl: desktop.value,
      mobileWebFallbackUrl: phones.mobile.value,
      reportingMeta: Object.keys(meta).length > 0 ? meta : undefined,
      ...state.enabled,
    },
    host: place.host,
    columns: columnsOf({ place, desktop, mobile: phones.mobile, title, description, linkData: whole, meta: undefined }),
    remarks: [...state.remarks, ...phones.remarks],
  }
}

const FLAG = '--fallback'
const fromFlag = (fallback: string | undefined): Found | undefined =>
  fallback === undefined ? undefined : { column: FLAG, value: fallback }

interface Sources {
  place: { column: string }
  desktop: Found
  mobile: Found
  title: Found | undefined
  description: Found | undefined
  linkData: Found | undefined
  meta: Found | undefined
}

function columnsOf({ place, desktop, mobile, title, description, linkData, meta }: Sources): Record<string, string> {
  const named: [string, string | undefined][] = [
    ['slug', place.column],
    ['desktopWebFallbackUrl', desktop.column],
    ['mobileWebFallbackUrl', mobile.column],
    ['content.title', title?.column],
    ['content.description', description?.column],
    ['linkData', linkData?.column],
    ['reportingMeta', meta?.column],
  ]
  return Object.fromEntries(named.flatMap(([field, column]) => (column === undefined ? [] : [[field, column]])))
}

/**
 * Where phones are sent. A link here has one address for all of them, so an address of one platform alone is not used:
 * it would send the others to a wrong place.
 */
function phonesOf(
  ios: Found | undefined,
  android: Found | undefined,
  anywhere: Found | undefined,
): { mobile: Found | undefined; alone: string[]; remarks: string[] } {
  if (ios && android && ios.value === android.value) return { mobile: ios, alone: [], remarks: [] }
  const alone = [ios, android].flatMap((one) => (one && one.value !== anywhere?.value ? [one.column] : []))
  const remarks = alone.map((column) => `${column} left out: it is for one platform, and phones have one address here`)
  return { mobile: anywhere, alone, remarks }
}

function noTarget(alone: readonly string[], empty: readonly string[]): string {
  const why =
    alone.length > 0
      ? ` (${alone.join(', ')} ${alone.length === 1 ? 'is' : 'are'} for one platform alone)`
      : empty.length > 0
        ? ` (nothing in ${empty.join(', ')})`
        : ''
  return `has no URL for people without the app${why}: give one for all such links with ${FLAG}`
}

/** Domains that belong to another service: they can never point at this server. */
const FOREIGN: readonly [domain: string, owner: string][] = [
  ['page.link', 'Firebase'],
  ['app.goo.gl', 'Firebase'],
  ['goo.gl', 'Google'],
  ['app.link', 'Branch'],
  ['test-app.link', 'Branch'],
  ['bnc.lt', 'Branch'],
]

/** The slug and the host of a short link. */
function placeOf(
  fields: Fields,
  short: string[],
  alias: string[],
  usual: string,
): { slug: string; host: string | undefined; column: string } | { problem: string } | { left: string } {
  const found = fields.text(...short)
  const name = found ?? fields.text(...alias)
  if (!name) {
    const [column = usual] = fields.columns(...short, ...alias)
    return { problem: `has no ${column}` }
  }
  const { column, value } = name
  const address = found ? addressOf(value) : undefined
  const host = address?.host ?? fields.text('domain', 'linkdomain')?.value.toLowerCase()
  const owner = host && FOREIGN.find(([domain]) => host === domain || host.endsWith(`.${domain}`))
  if (owner) return { left: `${host}: this domain belongs to ${owner[1]}, so its links cannot be moved` }
  const path = address?.path ?? value
  const slug = path.replace(/^\/+|\/+$/g, '')
  return slug === '' ? { problem: `${column} is a short link without a path: ${value}` } : { slug, host, column }
}

/** An address with or without its scheme; undefined for a path alone. */
function addressOf(text: string): { host: string; path: string } | undefined {
  const whole = /^[^/?#\s]+\.[^/?#\s]+\//.test(text) ? `https://${text}` : text
  if (!/^https?:/i.test(whole) || !URL.canParse(whole)) return undefined
  const { hostname, pathname } = new URL(whole)
  return { host: hostname, path: pathname }
}

const YES = new Set(['true', 'yes', 'y', 't', '1'])
const NO = new Set(['false', 'no', 'n', 'f', '0'])
/** They mean the same in whatever column. */
const OFF_WORDS = new Set(['archived', 'deleted', 'disabled', 'inactive'])
const ON_WORDS = new Set(['active', 'enabled'])

/** Columns that say yes to a link that is off, and to one that is on. */
const OFF_COLUMNS = ['archived', 'isarchived', 'deleted', 'isdeleted', 'disabled', 'isdisabled']
const ON_COLUMNS = ['enabled', 'isenabled']

/** A link that was archived is switched off here as well. One column that says so is enough. */
function stateOf(fields: Fields): { enabled: Pick<NewLink, 'isEnabled'>; remarks: string[] } | { problem: string } {
  const wordOf = (value: unknown) => JSON.stringify(value).replaceAll('"', '').trim().toLowerCase()
  // A table may have other things to say in these two.
  const state = fields.any('status', 'state')
  let isOff = state !== undefined && OFF_WORDS.has(wordOf(state.value))
  for (const name of [...OFF_COLUMNS, ...ON_COLUMNS]) {
    const found = fields.any(name)
    if (!found) continue
    const word = wordOf(found.value)
    if (OFF_WORDS.has(word)) isOff = true
    else if (YES.has(word)) isOff ||= OFF_COLUMNS.includes(name)
    else if (NO.has(word)) isOff ||= ON_COLUMNS.includes(name)
    else if (!ON_WORDS.has(word)) return { problem: `${found.column} is neither true nor false: ${word}` }
  }
  return isOff
    ? { enabled: { isEnabled: false }, remarks: ['archived: switched off here too'] }
    : { enabled: {}, remarks: [] }
}

/** Columns of a table of Branch that are about the link itself. */
const ABOUT = new Set([
  'url',
  'linkurl',
  'shorturl',
  'link',
  'alias',
  'linkalias',
  'tags',
  'marketingtitle',
  'linktitle',
  'channel',
  'feature',
  'campaign',
  'stage',
  ...OFF_COLUMNS,
])

/** The columns of a table form the dictionary, except those about the link itself. */
function flat(row: Row): Row {
  if (row.data !== undefined) return {}
  return Object.fromEntries(
    Object.entries(row)
      .map(([name, value]) => [name.replace(/^data\./, ''), value] as const)
      .filter(([name]) => !ABOUT.has(bare(name))),
  )
}

/** An empty one for what is no object; the problem of one with a number that is not kept. */
function dictionaryOf(data: unknown): { of: Row } | { problem: string } {
  if (typeof data !== 'string') return { of: objectOf(data) }
  const read = readWholeObject(data)
  return 'problem' in read ? { problem: `data: ${read.problem}` } : { of: read.object ?? {} }
}

/** The parameters of a long dynamic link. */
function parametersOf(long: string): [string, string][] {
  return URL.canParse(long) ? [...new URL(long).searchParams] : []
}
