/** A request without a body whose head costs a careless server far more than it costs the sender. */
export interface HostileHead {
  name: string
  path: string
  headers: Record<string, string>
}

/** Node takes 16 KiB of headers. */
const SIZE = 12_000

const many = (text: string, size = SIZE) => text.repeat(Math.floor(size / text.length))

/** Values that fill a header and that patterns, lists and decoders find hard. */
const VALUES: [name: string, value: string][] = [
  ['letters', many('a')],
  ['commas', many(',')],
  ['items', many('a,')],
  ['quoted items', many('"a", ')],
  ['weak tags', many('W/"a",')],
  ['semicolons', many(';')],
  ['parameters', many('a;q=0.1,')],
  ['pairs', many('a=b; ')],
  ['blanks', `a${many(' ')}a`],
  ['tabs', `a${many('\t')}a`],
  ['slashes', many('/')],
  ['quotes', many('"')],
  ['backslashes', many('\\')],
  ['brackets', many('(')],
  ['dots', many('.')],
  ['hyphens', many('-')],
  ['equals signs', many('=')],
  ['numbers', many('1')],
  ['languages', many('de-x,')],
  ['ranges', `bytes=${many('0-1,')}`],
  ['addresses', many('1.2.3.4, ')],
  ['addresses in brackets', many('[::1]:1,')],
  ['base64', many('QUJD')],
  ['colons', many(':')],
]

const NAMES = [
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'content-type',
  'content-encoding',
  'cookie',
  'forwarded',
  'host',
  'idempotency-key',
  'if-modified-since',
  'if-none-match',
  'origin',
  'purpose',
  'range',
  'referer',
  'sec-ch-ua-platform',
  'sec-fetch-site',
  'sec-purpose',
  'user-agent',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]

/** Heads of agents, each of a kilobyte, the part that is kept of one: beginnings of patterns for browsers that never end. */
const AGENTS = [
  'Mozilla/5.0 (',
  'Mozilla/5.0 (Macintosh; ',
  'Mozilla/5.0 (iPhone; CPU iPhone OS ',
  'Macintosh ',
  'Android ',
  'Mobile/',
  'Chrome/',
  'Version/',
  'a ',
  'a/1 ',
  '1.',
  'http://',
  'bot',
  'opera mini/',
  '-',
  '(',
  ')',
].map((word) => many(word, 1020))

/**
 * Heads that are tried on every path. `turn` leaves five of six pairs of a header and a value out, other ones for
 * each of six: no path reads more than a few of the headers.
 */
export function hostileHeads(path: string, turn?: number): HostileHead[] {
  return [
    ...NAMES.flatMap((header, h) =>
      VALUES.filter((_, v) => turn === undefined || (h + v + turn) % 6 === 0).map(([name, value]) => ({
        name: `${header} of ${name}`,
        path,
        headers: { [header]: value },
      })),
    ),
    ...AGENTS.map((agent) => ({ name: `agent of ${agent.slice(0, 20)}`, path, headers: { 'user-agent': agent } })),
    { name: 'many headers', path, headers: Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`x-${i}`, '1'])) },
    { name: 'Basic of nothing but colons', path, headers: { authorization: `Basic ${btoa(many(':', 8000))}` } },
    { name: 'Basic of bytes', path, headers: { authorization: `Basic ${many('////', 12_000)}` } },
    { name: 'Basic of equals signs', path, headers: { authorization: `Basic a${many('=', 12_000)}x` } },
    { name: 'Basic of blanks', path, headers: { authorization: `Basic ${many(' ', 12_000)}!` } },
    { name: 'Basic with blanks behind', path, headers: { authorization: `Basic a${many(' ', 12_000)}!` } },
    { name: 'Bearer of three parts', path, headers: { authorization: `Bearer ${many('e30.', 12_000)}` } },
    { name: 'Bearer of blanks', path, headers: { authorization: `Bearer a${many(' ', 12_000)}!` } },
    ...hostilePaths(path),
  ]
}

function hostilePaths(path: string): HostileHead[] {
  const tails: [string, string][] = [
    ['a query of many fields', `?${many('a=1&')}`],
    ['a query of one field', `?a=${many('a')}`],
    ['a query of escapes', `?a=${many('%41')}`],
    ['a query of wrong escapes', `?${many('%')}`],
    ['a query of ampersands', `?${many('&')}`],
    ['a query of brackets', `?${many('a[b]=1&')}`],
    ['many segments', many('/a')],
    ['many slashes', many('/')],
    ['many dots', many('/..')],
    ['a long segment', `/${many('a')}`],
    ['a segment of escapes', `/${many('%61')}`],
    ['a segment of escaped slashes', `/${many('%2f')}`],
    ['a segment escaped twice', `/${many('%2561')}`],
    ['a segment of hyphens', `/${many('-')}`],
  ]
  return tails.map(([name, tail]) => ({ name, path: `${path === '/' ? '' : path}${tail}`, headers: {} }))
}
