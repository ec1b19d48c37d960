import type { App } from '../app.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import type { Route } from './route.ts'

const BASIC = /^basic +([a-z0-9+/_-]+=*) *$/i

/** User name and password of an HTTP Basic header (RFC 7617), or undefined when it is missing or malformed. */
export function parseBasic(header: string | undefined): { name: string; password: string } | undefined {
  const match = BASIC.exec(header ?? '')
  if (!match) return undefined
  const text = Buffer.from(match[1]!, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}

const UNAUTHORIZED = {
  'server-key': 'use HTTP Basic with the API key as user name and the server key as password',
  'own-app': 'use HTTP Basic with the API key as user name and the server key as password',
  'device-key': 'use HTTP Basic with the API key as user name and the secret key as password',
  'rest-key': 'use HTTP Basic with a REST key as user name; the password does not matter',
} as const satisfies Record<Exclude<Route['needs'], 'path-key'>, string>

/**
 * The app that a request speaks for. Throws `unauthorized` without valid keys of the kind the route needs, and `forbidden`
 * when the route belongs to one app and the keys to another (also when there is no such app: the answer must not tell), or when
 * a REST key may not do what the route does.
 */
export async function authenticate(
  app: App,
  { needs, permission }: Pick<Route, 'needs' | 'permission'>,
  header: string | undefined,
  params: Record<string, string>,
): Promise<number> {
  if (needs === 'rest-key') return authenticateRestKey(app, permission, header)
  if (needs === 'path-key') return namedApp(app, params)
  const given = parseBasic(header)
  const kind = needs === 'device-key' ? 'secret' : 'server'
  const appId = given && (await app.apps.authenticate(given.name, given.password, kind))
  if (appId === undefined) throw unauthorized(needs)
  if (needs === 'own-app' && params.appId !== String(appId)) {
    throw new AppError('forbidden', 'these keys give no access to that app')
  }
  if (params.apiKey !== undefined && (await namedApp(app, params)) !== appId) throw unknownKey()
  return appId
}

/** The app whose API key stands in the path. Throws `not_found` when there is none. */
async function namedApp(app: App, params: Record<string, string>): Promise<number> {
  const appId = await app.apps.findByApiKey(params.apiKey ?? '')
  if (appId === undefined) throw unknownKey()
  return appId
}

function unknownKey(): AppError {
  return new AppError('not_found', 'there is no app with this API key')
}

async function authenticateRestKey(
  app: App,
  permission: Route['permission'],
  header: string | undefined,
): Promise<number> {
  const name = userNameOf(header)
  const key = name === undefined ? undefined : await app.restKeys.authenticate(name)
  if (!key) throw unauthorized('rest-key')
  if (!permission || !key.permissions.includes(permission)) {
    throw new AppError('forbidden', `this REST key may not ${permission}: it may ${key.permissions.join(', ')}`)
  }
  if (app.restKeys.isUseDue(key)) {
    // Only a remark for people: a request is not refused because it cannot be noted.
    await app
      .inTransaction((tx) => tx.restKeys.noteUse(key))
      .catch((error: unknown) =>
        app.kernel.log.debug({ error: messageOf(error) }, 'the use of a REST key was not noted'),
      )
  }
  return key.appId
}

/** The user name of an HTTP Basic header alone; the password is not looked at and may be missing together with its colon. */
export function userNameOf(header: string | undefined): string | undefined {
  const match = BASIC.exec(header ?? '')
  const name = match && Buffer.from(match[1]!, 'base64').toString('utf8').split(':', 1)[0]
  return name || undefined
}

function unauthorized(needs: Exclude<Route['needs'], 'path-key'>): AppError {
  return new AppError('unauthorized', UNAUTHORIZED[needs], {
    headers: { 'WWW-Authenticate': 'Basic realm="appsvc", charset="UTF-8"' },
  })
}
