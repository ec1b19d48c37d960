import type { App } from '../app.ts'
import { AppError } from '../platform/errors.ts'
import type { Needs } from './route.ts'

/** User name and password of an HTTP Basic header (RFC 7617), or undefined when it is missing or malformed. */
export function parseBasic(header: string | undefined): { name: string; password: string } | undefined {
  const match = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header ?? '')
  if (!match) return undefined
  const text = Buffer.from(match[1]!, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) }
}

const UNAUTHORIZED = {
  'server-key': 'use HTTP Basic with the API key as user name and the server key as password',
  'own-app': 'use HTTP Basic with the API key as user name and the server key as password',
  'device-key': 'use HTTP Basic with the API key as user name and the secret key as password',
} as const

/**
 * The app that a request speaks for. Throws `unauthorized` without valid keys of the kind the route needs, and `forbidden`
 * when the route belongs to one app and the keys to another (also when there is no such app: the answer must not tell).
 */
export async function authenticate(
  app: App,
  needs: Needs,
  header: string | undefined,
  params: Record<string, string>,
): Promise<number> {
  const given = parseBasic(header)
  const kind = needs === 'device-key' ? 'secret' : 'server'
  const appId = given && (await app.apps.authenticate(given.name, given.password, kind))
  if (appId === undefined) {
    throw new AppError('unauthorized', UNAUTHORIZED[needs], {
      headers: { 'WWW-Authenticate': 'Basic realm="appsvc", charset="UTF-8"' },
    })
  }
  if (needs === 'own-app' && params.appId !== String(appId)) {
    throw new AppError('forbidden', 'these keys give no access to that app')
  }
  return appId
}
