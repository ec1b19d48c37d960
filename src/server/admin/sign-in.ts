import type { Areas } from '../../app.ts'
import { digestPassword } from '../../domain/admins/passwords.ts'
import { setUp, signIn } from '../../domain/admins/schema.ts'
import { CHALLENGE } from '../../domain/admins/second-factor.ts'
import type { Admin } from '../../domain/admins/types.ts'
import { AppError } from '../../platform/errors.ts'
import { presentSession, session } from '../present/admin/session.ts'
import { refusal } from '../present/errors.ts'
import { type Call, post, Reply, type Route } from '../route.ts'
import { limitSignIn } from './limits.ts'

const NOBODY = { area: 'admin', needs: 'nobody' } as const

const WRONG_LINK = 'The one-time address was used already or is too old'

const SETS_COOKIE = {
  'Set-Cookie': ['The session, for a browser.', '__Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure'],
} as const

/** Opens a session for a person who proved who they are, and answers with it. */
export async function openSession(
  app: Areas,
  call: Pick<Call<unknown, unknown>, 'remote' | 'header' | 'cookie'>,
  admin: Admin,
  status = 200,
): Promise<Reply> {
  const opened = await app.sessions.open(admin.id, { remote: call.remote, agent: call.header('user-agent') })
  const [roles, passkeys] = [await app.admins.roles(admin.id), await app.admins.countPasskeys(admin.id)]
  const body = presentSession({ admin, roles, passkeys, session: opened.session })
  return new Reply(status, body, { 'Set-Cookie': call.cookie(opened.id) })
}

export const signInRoutes: readonly Route[] = [
  post('/v1/setup', {
    ...NOBODY,
    summary: 'Make the first owner with the one-time address that the server prints',
    audit: 'setup',
    body: setUp,
    status: 201,
    // The password is hashed before, which takes too long for a transaction.
    transaction: false,
    also: { 401: WRONG_LINK, 409: 'The server has an owner already' },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { host, body, remote } = call
      limitSignIn(host, remote, undefined)
      // Refused before the work is done.
      await host.admins.readLink(body.token)
      const password = await digestPassword(body.password)
      return host.inTransaction(async (tx) => {
        const admin = await tx.admins.setUp(body.token, { email: body.email, name: body.name, password })
        call.note({ by: admin, target: admin.email })
        return openSession(tx, call, admin, 201)
      })
    },
  }),
  post('/v1/sessions', {
    ...NOBODY,
    summary: 'Sign in with e-mail address and password, and with a code where the second factor is on',
    audit: 'sessions.create',
    body: signIn,
    transaction: false,
    also: {
      401: { says: 'Wrong address or password, or (`code` is `second_factor`) a code is needed', body: refusal },
    },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { host, body, remote } = call
      const forgive = limitSignIn(host, remote, body.email)
      const admin = await host.admins.isPasswordOf(body.email, body.password)
      if (!admin) throw wrongPassword()
      const reply = await host.inTransaction(async (tx) => {
        await tx.secondFactor.check(admin, body.code)
        call.note({ by: admin })
        return openSession(tx, call, admin)
      })
      forgive()
      return reply
    },
  }),
]

function wrongPassword(): AppError {
  const message = 'the address or the password is wrong'
  return new AppError('unauthorized', message, { ...CHALLENGE, body: { error: message, code: 'wrong_password' } })
}
