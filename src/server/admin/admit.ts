import type { Context } from 'koa'
import { type Caller, type Right, rightsIn, rolesIn } from '../../domain/admins/types.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import type { Person, Route } from '../routing/route.ts'
import { checkOrigin, sessionCookieOf } from './origin.ts'

/**
 * The person who calls a route of `admin`. Throws `unauthorized` without a valid session or personal token, `not_found` for an
 * app in which the person has no role, and `forbidden` where a right or a fresh sign-in is missing, or when a page of another
 * origin calls.
 */
export async function admitPerson(
  program: Program,
  route: Pick<Route, 'needs' | 'right' | 'fresh' | 'method'>,
  context: Context,
  params: Record<string, string>,
): Promise<{ appId: number; person: Person | undefined }> {
  const { config } = program.kernel
  const isWrite = route.method !== 'get'
  if (route.needs === 'nobody') {
    if (isWrite) checkOrigin(context, config, { isRequired: false })
    return { appId: 0, person: undefined }
  }
  const bearer = /^bearer +(\S+) *$/i.exec(context.req.headers.authorization ?? '')?.[1]
  const cookie = bearer === undefined ? sessionCookieOf(context, config) : undefined
  const caller =
    bearer !== undefined
      ? await program.admins.byToken(bearer)
      : cookie === undefined
        ? undefined
        : await program.admins.bySession(cookie)
  if (!caller) throw signInFirst()
  if (caller.session && isWrite) checkOrigin(context, config, { isRequired: true })
  const appId = await placeOf(program, caller, params.appId)
  const person = personOf(caller, appId)
  checkRight(person, route.right ?? 'own', caller)
  if (route.fresh) checkFresh(program, caller)
  await noteUse(program, caller)
  return { appId, person }
}

function signInFirst(): AppError {
  return new AppError('unauthorized', 'sign in, or send a personal token: Authorization: Bearer appsvc_pt_…', {
    headers: { 'WWW-Authenticate': 'Bearer realm="appsvc"' },
  })
}

/** The app of the path; 0 for none. */
async function placeOf(program: Program, { roles, token }: Caller, named: string | undefined): Promise<number> {
  if (named === undefined) return 0
  const id = /^[1-9]\d{0,14}$/.test(named) ? Number(named) : 0
  const isSeen = rightsIn(roles, id).length > 0 && (token?.appId ?? id) === id
  if (id === 0 || !isSeen || !(await program.apps.find(id)))
    throw new AppError('not_found', `there is no app ${named.slice(0, 20)}`)
  return id
}

function personOf({ admin, roles, session, token }: Caller, appId: number): Person {
  const place = appId === 0 ? null : appId
  const held = rightsIn(roles, place)
  // A token for one app opens nothing of the whole server.
  const isElsewhere = token != null && token.appId !== null && token.appId !== place
  const rights: Right[] = token
    ? held.filter((right) => right !== 'self' && !isElsewhere && token.scopes.includes(right))
    : held
  return {
    id: admin.id,
    name: admin.name,
    email: admin.email,
    // Anybody may ask who they are.
    rights: [...new Set<Right>(['self', ...rights])],
    role: rolesIn(roles, place)[0],
    roles,
    isMasked: !held.includes('campaign') && !held.includes('operate'),
    session,
    tokenId: token?.id,
    tokenApp: token?.appId ?? undefined,
    tokenScopes: token?.scopes,
  }
}

function checkRight({ rights }: Person, right: Right, { token }: Caller): void {
  if (rights.includes(right)) return
  throw new AppError(
    'forbidden',
    token
      ? `this needs the right ${right}: neither the token's scopes nor its app may lack it, and its person must have it`
      : `this needs the right ${right}, which your role does not have here: an owner can give you another one`,
  )
}

/** Throws `forbidden` (`confirm_sign_in`) unless the sign-in is fresh, or the token confirmed. */
export function checkFresh(program: Program, { session, token }: Pick<Caller, 'session' | 'token'>): void {
  const isFresh = token ? token.scopes.includes('confirmed') : session!.freshUntil > program.kernel.clock.now()
  if (isFresh) return
  const message = token
    ? 'this needs a token with the scope confirmed'
    : 'this needs a fresh sign-in: confirm with your password or a passkey'
  throw new AppError('forbidden', message, { body: { error: message, code: 'confirm_sign_in' } })
}

async function noteUse(program: Program, { session, token }: Caller): Promise<void> {
  const isDue = session ? program.sessions.isUseDue(session) : program.personalTokens.isUseDue(token!)
  if (!isDue) return
  // A failure does not refuse the request.
  await program
    .inTransaction((tx) => (session ? tx.sessions.noteUse(session) : tx.personalTokens.noteUse(token!)))
    .catch((error: unknown) =>
      program.kernel.log.debug({ error: messageOf(error) }, 'the last use of a session could not be stored'),
    )
}
