import { objectOf, readWholeObject } from '../../../platform/json.ts'
import type { NewLink } from '../types.ts'

/**
 * Converts rows of other services' exports to links (pure). Their short path becomes the slug, so that old links keep
 * working when their domain points at this server. Fields are found by name, in any spelling.
 */

const SERVICES = ['firebase', 'branch'] as const
export type Service = (typeof SERVICES)[number]

/** A row of the file: texts from CSV, any values from JSON. */
export type Row = Record<string, unknown>

export interface Conversion {
  /** Where people are sent when a link names no fallback. */
  fallback?: string | undefined
}

/** A link that is not validated yet, or the reason why there is none. */
export type Converted = { link: NewLink } | { problem: string }

export function convertRow(service: Service, row: Row, options: Conversion = {}): Converted {
  return service === 'firebase' ? fromFirebase(row, options) : fromBranch(row, options)
}

/**
 * Firebase Dynamic Links: the CSV of Google Takeout has a column for each parameter, with its short name in brackets
 * (https://firebase.google.com/support/guides/export-dynamic-links). A long link in place of the single parameters is
 * read as well. The app gets `{link, utm_…}` as `linkData`: the deep link that Firebase would have delivered.
 */
function fromFirebase(row: Row, { fallback }: Conversion): Converted {
  const fields = byName(row)
  for (const [name, value] of parametersOf(pick(fields, 'longlink', 'longdynamiclink'))) {
    if (!fields.has(name)) fields.set(name, value)
  }
  const short = pick(fields, 'shortlink', 'shorturl', 'shortdynamiclink')
  const slug = slugOf(short)
  if (slug === undefined) return { problem: noSlug(short, 'Short link') }
  const link = pick(fields, 'link', 'deeplink', 'deeplinklink')
  const desktop = pick(fields, 'ofl', 'desktopfallbacklink') ?? link ?? fallback
  const mobile =
    pick(fields, 'ifl', 'iosfallbacklink') ?? pick(fields, 'afl', 'androidfallbacklink') ?? link ?? fallback
  if (desktop === undefined || mobile === undefined) return { problem: NO_FALLBACK }
  const utm = present({
    utm_source: pick(fields, 'utmsource'),
    utm_medium: pick(fields, 'utmmedium'),
    utm_campaign: pick(fields, 'utmcampaign'),
    utm_term: pick(fields, 'utmterm'),
    utm_content: pick(fields, 'utmcontent'),
  })
  const meta = present({ name: pick(fields, 'linkname', 'name'), ...utm })
  return {
    link: {
      slug,
      linkData: present({ link, ...utm }),
      content: { title: pick(fields, 'st', 'socialtitle'), description: pick(fields, 'sd', 'socialdescription') },
      desktopWebFallbackUrl: desktop,
      mobileWebFallbackUrl: mobile,
      reportingMeta: Object.keys(meta).length > 0 ? meta : undefined,
    },
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
  const fields = byName({ ...row, ...data })
  const short = pick(fields, 'url', 'linkurl', 'shorturl', 'link')
  const slug = short === undefined ? pick(fields, 'alias', 'linkalias') : slugOf(short)
  if (slug === undefined) return { problem: noSlug(short, 'url') }
  const anywhere = pick(fields, 'fallbackurl') ?? pick(fields, 'canonicalurl')
  const onDesktop = pick(fields, 'desktopurl')
  const desktop = onDesktop ?? anywhere ?? fallback
  const mobile = anywhere ?? pick(fields, 'iosurl') ?? pick(fields, 'androidurl') ?? onDesktop ?? fallback
  if (desktop === undefined || mobile === undefined) return { problem: NO_FALLBACK }
  const meta = present({
    channel: pick(fields, 'channel'),
    feature: pick(fields, 'feature'),
    campaign: pick(fields, 'campaign'),
    stage: pick(fields, 'stage'),
    tags: fields.get('tags'),
    title: pick(fields, 'marketingtitle', 'linktitle'),
  })
  return {
    link: {
      slug,
      linkData: present(data),
      content: { title: pick(fields, 'ogtitle'), description: pick(fields, 'ogdescription') },
      desktopWebFallbackUrl: desktop,
      mobileWebFallbackUrl: mobile,
      reportingMeta: Object.keys(meta).length > 0 ? meta : undefined,
    },
  }
}

const NO_FALLBACK = 'has no URL for people without the app: give one for all such links with --fallback'

function noSlug(short: string | undefined, column: string): string {
  return short === undefined ? `has no ${column}` : `has a short link without a path: ${short}`
}

/** The columns of a table form the dictionary, except those about the link itself. */
function flat(row: Row): Row {
  if (row.data !== undefined) return {}
  const about = new Set([
    'url',
    'linkurl',
    'shorturl',
    'link',
    'alias',
    'linkalias',
    'tags',
    'marketingtitle',
    'linktitle',
  ])
  const labels = new Set(['channel', 'feature', 'campaign', 'stage'])
  return Object.fromEntries(
    Object.entries(row)
      .map(([name, value]) => [name.replace(/^data\./, ''), value] as const)
      .filter(([name]) => !about.has(bare(name)) && !labels.has(bare(name))),
  )
}

/** An empty one for what is no object; the problem of one with a number that is not kept. */
function dictionaryOf(data: unknown): { of: Row } | { problem: string } {
  if (typeof data !== 'string') return { of: objectOf(data) }
  const read = readWholeObject(data)
  return 'problem' in read ? { problem: `data: ${read.problem}` } : { of: read.object ?? {} }
}

/** The parameters of a long dynamic link. */
function parametersOf(long: string | undefined): [string, string][] {
  if (long === undefined || !URL.canParse(long)) return []
  return [...new URL(long).searchParams].map(([name, value]) => [bare(name), value])
}

/**
 * Columns by a normalized name: `Deep link (link)` as `link`, `Short link` as `shortlink`, `$desktop_url` as
 * `desktopurl`.
 */
function byName(row: Row): Map<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(row)) {
    const inBrackets = /\(([A-Za-z_]+)\)/.exec(name)
    const key = bare(inBrackets ? inBrackets[1]! : name)
    if (!found.has(key) && value !== '' && value !== null) found.set(key, value)
  }
  return found
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** The first non-empty text among these fields. */
function pick(fields: ReadonlyMap<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name)
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** Path of a short link, or an alias as it is. Undefined when there is none. */
function slugOf(short: string | undefined): string | undefined {
  if (short === undefined) return undefined
  const path = URL.canParse(short) ? new URL(short).pathname : short.replace(/^[^/]+\.[^/]+\//, '')
  return path.replace(/^\/+|\/+$/g, '') || undefined
}

function present(values: Row): Row {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== '' && value !== null),
  )
}
