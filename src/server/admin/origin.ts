import type { Context } from 'koa'
import type { Config } from '../../platform/config/settings.ts'
import { AppError } from '../../platform/errors.ts'

/** The cookie on https: browsers accept the prefix only with `Secure`, `Path=/` and no domain (RFC 6265bis: cookie name prefixes). */
const SECURE_COOKIE = '__Host-appsvc'
/** The cookie on http, on this machine only. */
const LOCAL_COOKIE = 'appsvc'

const LOCAL = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/**
 * The session in the cookies of a request. The cookie without the prefix counts on this machine over http alone: on https any page of a
 * neighbouring name, and anybody on the network, could set it.
 */
export function sessionCookieOf(context: Headers, config: Config): string | undefined {
  const { req } = context
  const cookies = new Map(
    (req.headers.cookie ?? '').split(';').map((pair) => {
      const equals = pair.indexOf('=')
      return [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()] as const
    }),
  )
  return cookies.get(isSecure(context, config) ? SECURE_COOKIE : LOCAL_COOKIE) || undefined
}

type Headers = Pick<Context, 'req' | 'host'>

/** Throws `forbidden` unless the page that calls is one of this server: its `Origin` is the address of the request or `baseUrl`. */
export function checkOrigin(context: Headers, config: Config, { isRequired }: { isRequired: boolean }): void {
  const { origin } = context.req.headers
  const site = context.req.headers['sec-fetch-site']
  const isOwn = origin === undefined ? !isRequired : ownOrigins(context, config).has(origin)
  if (isOwn && (site === undefined || site === 'same-origin')) return
  throw new AppError(
    'forbidden',
    origin === undefined
      ? 'calls that change something with a session need the header Origin: use a personal token in programs'
      : `this page is of another address (${origin.slice(0, 200)}): open the console at ${config.baseUrl || 'the address of the server'}`,
  )
}

function ownOrigins(context: Headers, config: Config): Set<string> {
  const own = new Set<string>()
  const base = config.baseUrl === '' ? undefined : new URL(config.baseUrl)
  if (base) own.add(base.origin)
  const host = context.host.toLowerCase()
  // With https at hand, a page that came over http may have been altered on its way.
  const isSecure = isEncrypted(context) || (base?.protocol === 'https:' && base.host === host)
  own.add(`https://${host}`)
  if (!isSecure) own.add(`http://${host}`)
  return own
}

const isEncrypted = ({ req }: Headers) => 'encrypted' in req.socket && req.socket.encrypted === true

/** `Set-Cookie` of a new session. Throws `forbidden` where the browser talks http over a network. */
export function cookieOf(context: Headers, config: Config, id: string): string {
  const name = cookieNameFor(context, config)
  return `${name}=${id}; Path=/; HttpOnly; SameSite=Strict${name === SECURE_COOKIE ? '; Secure' : ''}`
}

/** `Set-Cookie` that forgets the session, under both names. */
export function noCookies(): string[] {
  const end = 'Path=/; Max-Age=0; HttpOnly; SameSite=Strict'
  return [`${SECURE_COOKIE}=; ${end}; Secure`, `${LOCAL_COOKIE}=; ${end}`]
}

/** Tells whether the browser talks https, here or to a proxy: only this machine by its own name does without. */
function isSecure(context: Headers, config: Config): boolean {
  const { origin = '' } = context.req.headers
  const base = config.baseUrl === '' ? undefined : new URL(config.baseUrl)
  if (isEncrypted(context) || origin === `https://${context.host.toLowerCase()}`) return true
  if (base?.protocol === 'https:' && base.host === context.host.toLowerCase()) return true
  return !URL.canParse(`http://${context.host}`) || !LOCAL.test(new URL(`http://${context.host}`).hostname)
}

function cookieNameFor(context: Headers, config: Config): string {
  const { origin } = context.req.headers
  const base = config.baseUrl === '' ? undefined : new URL(config.baseUrl)
  const { protocol, hostname } = new URL(
    origin ??
      (base && base.host === context.host
        ? base.origin
        : `${isEncrypted(context) ? 'https' : 'http'}://${context.host}`),
  )
  if (protocol === 'https:') return SECURE_COOKIE
  if (LOCAL.test(hostname)) return LOCAL_COOKIE
  throw new AppError(
    'forbidden',
    `signing in over http at ${hostname} would show the session to the network: use https, or http://localhost through a tunnel`,
  )
}
