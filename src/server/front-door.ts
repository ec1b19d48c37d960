import type { Context } from 'koa'
import type { Config } from '../platform/config/settings.ts'
import { hashSource } from '../platform/text/html.ts'
import { ICON, MARK, WORDMARK } from '../present/brand/mark.ts'
import { TOKENS } from '../present/brand/tokens.ts'
import { hasConsole } from './console/entrance.ts'
import { destinationOf } from './routing/hosts.ts'
import { Reply, Text } from './routing/route.ts'

/** The address that people try first. */
export const FRONT_PATHS = ['/'] as const

/** Links of the front page, for people and for programs. */
const CONSOLE = {
  name: 'console',
  path: '/console/',
  title: 'The console',
  about: 'send, see what arrived, look users up, keep the server well',
} as const

const PLACES = [
  {
    name: 'docs',
    path: '/docs',
    title: 'The HTTP interface',
    about: 'every call with its fields, answers and examples',
  },
  { name: 'openapi', path: '/openapi.json', title: 'OpenAPI document', about: 'the same for programs' },
  { name: 'health', path: '/readyz', title: 'Readiness', about: 'whether the server can work now' },
] as const

type Place = typeof CONSOLE | (typeof PLACES)[number]

const HTML = /\btext\/html\b/i

/** The words of a page. */
interface Words {
  title: string
  lead: string
  /** Said below the links, with markup. */
  more: string
}

const FRONT: Words = {
  title: 'This is an appsvc server',
  lead: 'It is the backend of one or more mobile apps: users, push notifications, in-app messages, data tables and deep links.',
  more: 'Did a link bring you here? It is incomplete: ask whoever gave it to you. Is this your server? <code>appsvc status</code> says how it is.',
}

const NOTHING: Words = {
  title: 'There is nothing at this address',
  lead: 'A letter may be missing, or the page has moved. This is an appsvc server, and these are its pages:',
  more: 'Did a link bring you here? It may be mistyped or cut off: ask whoever gave it to you.',
}

/**
 * `/`: says what this server is and leads on, as a page to browsers and as JSON to everybody else. The version stays out:
 * strangers need not know it. The hosts of areas and link hosts have their own `/`.
 */
export function frontDoor(config: Config) {
  const shown = placesOf(config)
  const page = new Reply(200, asHtml(FRONT, shown), HEADERS)
  const places = Object.fromEntries(shown.map(({ name, path }) => [name, path]))
  const document = new Reply(200, { name: 'appsvc', ...places }, { Vary: 'Accept' })
  // oxlint-disable-next-line typescript/require-await -- doors answer with a promise
  return async (context: Context): Promise<Reply | undefined> => {
    if (context.method !== 'GET' && context.method !== 'HEAD') return undefined
    if (destinationOf(context.host, context.path, config).byHost) return undefined
    return HTML.test(context.get('accept')) ? page : document
  }
}

/** A path of the HTTP interface: of one of its versions (`/v2/...`). Areas and their hosts are known by other means. */
const OF_INTERFACE = /^\/v\d/

/**
 * Answers 404 with a page that leads on, to browsers at addresses outside the HTTP interface. Returns undefined for programs, which
 * get the JSON of every error, also where they accept HTML by default.
 */
export function strayPage(config: Config) {
  let page: Reply | undefined
  return (context: Pick<Context, 'method' | 'path' | 'host' | 'get'>): Reply | undefined => {
    const { method, path, host } = context
    if ((method !== 'GET' && method !== 'HEAD') || OF_INTERFACE.test(path)) return undefined
    if (!HTML.test(context.get('accept')) || destinationOf(host, path, config).areas.length === 1) return undefined
    return (page ??= new Reply(404, asHtml(NOTHING, placesOf(config)), HEADERS))
  }
}

const placesOf = (config: Config): readonly Place[] => (hasConsole(config) ? [CONSOLE, ...PLACES] : PLACES)

const STYLE = `
${TOKENS}* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--paper);
  color: var(--ink); font: 16px/1.55 var(--font); }
main { width: 100%; max-width: 34rem; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: var(--radius-l); }
header { display: flex; align-items: center; gap: 0.6rem; margin-bottom: 1.5rem; }
header svg { display: block; height: 2rem; }
header svg + svg { height: 1.5rem; margin-top: 0.3rem; }
h1 { margin: 0 0 0.5rem; font-size: 1.5rem; }
p { margin: 0.5rem 0; }
ul { margin: 1.25rem 0; padding: 0; list-style: none; }
li { border-top: 1px solid var(--line); }
li a { display: block; padding: 0.7rem 0; color: var(--accent); font-weight: 600; text-decoration: none; }
li a:hover { text-decoration: underline; }
li span { display: block; color: var(--quiet); font-weight: 400; font-size: 0.92rem; }
.quiet { color: var(--quiet); font-size: 0.92rem; }
code { font: 0.92em var(--mono); }
`

/** The policy of the page: nothing may be loaded or run, except its own style and its icon. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashSource(STYLE)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = { 'Content-Security-Policy': POLICY, 'Referrer-Policy': 'no-referrer', Vary: 'Accept' }

function asHtml({ title, lead, more }: Words, shown: readonly Place[]): Text {
  const places = shown
    .map((place) => `<li><a href="${place.path}">${place.title}<span>${place.about}</span></a></li>`)
    .join('\n')
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>appsvc</title>
<link rel="icon" href="${ICON}">
<style>${STYLE}</style>
</head>
<body>
<main>
<header>${MARK}${WORDMARK}</header>
<h1>${title}</h1>
<p>${lead}</p>
<ul>
${places}
</ul>
<p class="quiet">${more}</p>
</main>
</body>
</html>
`
  return new Text(text, 'text/html; charset=utf-8')
}
