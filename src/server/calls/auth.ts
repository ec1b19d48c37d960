import { type IssuedKey, isWrittenAs } from '../../domain/apps/issued-keys.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import type { KeyNeeds, Route } from '../routing/route.ts'

const BASIC = /^basic +([a-z0-9+/_-]+=*) *$/i

/** User name and password of an HTTP Basic header (RFC 7617), or undefined when it is missing or malformed. */
function parseBasic(header: string | undefined): { name: string; password: string } | undefined {
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
} as const satisfies Record<KeyNeeds, string>

/**
 * The app whose keys a request carries, without a promise when it is known. Throws `unauthorized` without valid keys of the kind the route needs, and
 * `forbidden` when the route belongs to one app and the keys to another (also when that app does not exist, so that
 * the answer does not reveal which apps do), or when a REST key or a scoped server key may not do what the route
 * does.
 */
export function authenticate(
  program: Program,
  { needs, permission, scope }: Pick<Route, 'permission' | 'scope'> & { needs: KeyNeeds | 'path-key' },
  header: string | undefined,
  params: Record<string, string>,
): number | Promise<number> {
  if (needs === 'rest-key') return authenticateRestKey(program, permission, header)
  if (needs === 'path-key') return namedApp(program, params)
  const given = parseBasic(header)
  if (!given) throw unauthorized(needs)
  const kind = needs === 'device-key' ? 'secret' : 'server'
  if (kind === 'server' && isWrittenAs('server', given.password)) {
    return authenticateScopedKey(program, { needs, scope }, given, params)
  }
  const found = program.apps.authenticate(given.name, given.password, kind)
  return found instanceof Promise
    ? found.then((appId) => checkedApp(program, needs, appId, params))
    : checkedApp(program, needs, found, params)
}

/** Throws unless the keys are of an app, and of the one that the path names. */
function checkedApp(
  program: Program,
  needs: KeyNeeds,
  appId: number | undefined,
  params: Record<string, string>,
): number | Promise<number> {
  if (appId === undefined) throw unauthorized(needs)
  if (needs === 'own-app' && params.appId !== String(appId)) {
    throw new AppError('forbidden', 'these keys give no access to that app')
  }
  if (params.apiKey === undefined) return appId
  return namedApp(program, params).then((named) => {
    if (named !== appId) throw unknownKey()
    return appId
  })
}

async function authenticateScopedKey(
  program: Program,
  { needs, scope }: { needs: KeyNeeds; scope: Route['scope'] },
  given: { name: string; password: string },
  params: Record<string, string>,
): Promise<number> {
  const scoped = await findScopedKey(program, given)
  // Without one, as much is done as for any wrong key.
  const found = scoped?.appId ?? (await program.apps.authenticate(given.name, given.password, 'server'))
  const appId = await checkedApp(program, needs, found, params)
  if (scoped) await admitScoped(program, scoped, scope)
  return appId
}

/** The scoped server key given as password, if the user name is the API key of its app. */
async function findScopedKey(
  program: Program,
  { name, password }: { name: string; password: string },
): Promise<IssuedKey<'server'> | undefined> {
  const [key, named] = await Promise.all([program.serverKeys.authenticate(password), program.apps.findByApiKey(name)])
  return key && key.appId === named ? key : undefined
}

/** Throws `forbidden` unless the key has the scope. */
async function admitScoped(program: Program, key: IssuedKey<'server'>, scope: Route['scope']): Promise<void> {
  if (!scope || !key.permissions.includes(scope)) {
    const needed = scope ? `needs a server key with the scope ${scope}` : "needs the app's own server key"
    throw new AppError('forbidden', `this ${needed}: the key given has ${key.permissions.join(', ')}`)
  }
  await noteUse(program, key, 'serverKeys')
}

/** The app whose API key stands in the path. Throws `not_found` when there is none. */
async function namedApp(program: Program, params: Record<string, string>): Promise<number> {
  const appId = await program.apps.findByApiKey(params.apiKey ?? '')
  if (appId === undefined) throw unknownKey()
  return appId
}

function unknownKey(): AppError {
  return new AppError('not_found', 'there is no app with this API key')
}

async function authenticateRestKey(
  program: Program,
  permission: Route['permission'],
  header: string | undefined,
): Promise<number> {
  const name = userNameOf(header)
  const key = name === undefined ? undefined : await program.restKeys.authenticate(name)
  if (!key) throw unauthorized('rest-key')
  if (!permission || !key.permissions.includes(permission)) {
    throw new AppError('forbidden', `this REST key may not ${permission}: it may ${key.permissions.join(', ')}`)
  }
  await noteUse(program, key, 'restKeys')
  return key.appId
}

async function noteUse(program: Program, key: IssuedKey, keys: 'restKeys' | 'serverKeys'): Promise<void> {
  if (!program[keys].isUseDue(key)) return
  // For information only, so a failure does not refuse the request.
  await program
    .inTransaction((tx) => tx[keys].noteUse(key))
    .catch((error: unknown) =>
      program.kernel.log.debug({ error: messageOf(error) }, 'the last use of a key could not be stored'),
    )
}

/** The user name of an HTTP Basic header. The password is ignored and may be empty; without its colon the header is malformed. */
export function userNameOf(header: string | undefined): string | undefined {
  return parseBasic(header)?.name || undefined
}

function unauthorized(needs: KeyNeeds): AppError {
  return new AppError('unauthorized', UNAUTHORIZED[needs], {
    headers: { 'WWW-Authenticate': 'Basic realm="appsvc", charset="UTF-8"' },
  })
}
