import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import { digestPassword } from '../../domain/admins/passwords.ts'
import { confirmSignIn, nothing, passkeySignIn, setUp, signIn, useLink } from '../../domain/admins/schema.ts'
import { CHALLENGE } from '../../domain/admins/second-factor/second-factor.ts'
import type { Admin } from '../../domain/admins/types.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import { passkeyOptions, signInState } from '../../present/admin/people.ts'
import { presentSession, session } from '../../present/admin/session.ts'
import type { Areas, Program } from '../../program.ts'
import { prefixOf } from '../limits/caller.ts'
import * as example from '../openapi/words/admin.ts'
import { type Call, get, post, Reply, type Route } from '../routing/route.ts'
import { countFlood, countTry, limitAccount, limitSignIn } from './limits.ts'
import { notingRefusals } from './refused-sign-ins.ts'

const SELF = { area: 'admin', needs: 'person', right: 'self' } as const
const NO_PASSKEYS = 'Passkeys do not work at the address of this server (`baseUrl`)'
const NOBODY = { area: 'admin', needs: 'nobody' } as const
/** Terms of routes without a sign-in: the try is counted before the body is read, and the body is small. */
const TRY = { ...NOBODY, first: countTry, maxBody: 4096 } as const
/** The most bytes from a security key: its id alone may have 1023, and stands there twice. */
const PASSKEY_BODY = 8192

const WRONG_LINK = 'The one-time link was used already or is too old'

const SETS_COOKIE = {
  'Set-Cookie': ['The session, for a browser.', '__Host-appsvc=as_…; Path=/; HttpOnly; SameSite=Strict; Secure'],
} as const

/** Opens a session for a person who proved who they are, and answers with it. */
async function openSession(
  tx: Areas,
  call: Pick<Call<unknown, unknown>, 'remote' | 'header' | 'cookie'>,
  admin: Admin,
  status = 200,
): Promise<Reply> {
  const opened = await tx.sessions.open(admin.id, { remote: call.remote, agent: call.header('user-agent') })
  const [roles, passkeys] = [await tx.admins.roles(admin.id), await tx.admins.countPasskeys(admin.id)]
  const body = presentSession({ admin, roles, passkeys, session: opened.session })
  return new Reply(status, body, { 'Set-Cookie': call.cookie(opened.id) })
}

const routes: readonly Route[] = [
  post('/v1/setup', {
    ...TRY,
    summary: 'Make the first owner with the one-time link that the server prints',
    description:
      'Works while there is nobody else. The address is in the output of `appsvc serve`, and works for 30 minutes.',
    takes: 'NewOwner',
    sends: { token: example.ONE_TIME, email: example.EMAIL, name: 'Anna', password: example.PASSWORD },
    audit: 'setup',
    body: setUp,
    status: 201,
    // The password is hashed before, which takes too long for a transaction.
    transaction: false,
    also: { 401: WRONG_LINK, 409: 'The server has an owner already' },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { program, body } = call
      // Refused before the work is done.
      await program.admins.readLink(body.token)
      const password = await digestPassword(body.password, prefixOf(call.remote))
      return program.inTransaction(async (tx) => {
        const admin = await tx.admins.setUp(body.token, { email: body.email, name: body.name, password })
        call.note({ by: admin, target: admin.email })
        return openSession(tx, call, admin, 201)
      })
    },
  }),
  post('/v1/sessions', {
    ...TRY,
    summary: 'Sign in with e-mail address and password, and with a code where the second factor is on',
    description:
      'The cookie is `HttpOnly` and `SameSite=Strict`. The session ends after 12 hours without use, and after 7 days at the latest. ' +
      'An unknown address and a wrong password get the same answer after the same time.',
    takes: 'SignIn',
    sends: { email: example.EMAIL, password: example.PASSWORD, code: '123456' },
    audit: 'sessions.create',
    body: signIn,
    transaction: false,
    also: {
      401: 'Wrong address or password, or (`code` is `second_factor`) a code is needed',
    },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { program, body } = call
      const forgive = await limitAccount(call, body.email)
      const admin = await program.admins.isPasswordOf(body.email, body.password, prefixOf(call.remote))
      if (!admin) throw wrongPassword()
      const forgiveCode = await limitCodes(program, admin, body.code)
      const reply = await program.inTransaction(async (tx) => {
        await tx.secondFactor.check(admin, body.code)
        call.note({ by: admin })
        return openSession(tx, call, admin)
      })
      await forgiveCode()
      await forgive()
      return reply
    },
  }),
  get('/v1/state', {
    ...NOBODY,
    summary: 'Say how people sign in here',
    description: 'Needs no credentials. `setup` is true as long as nobody can sign in.',
    also: { 404: 'The admin interface is off, or answers elsewhere' },
    returns: signInState,
    run: async ({ tx, program }) => ({
      setup: !(await tx.admins.any()),
      passkeys: tx.passkeys.isPossible(),
      baseUrl: program.kernel.config.baseUrl,
    }),
  }),
  post('/v1/sessions/link', {
    ...TRY,
    summary: 'Sign in with a one-time link: of an invitation, of a forgotten password, of the demo',
    description:
      'An invitation and a forgotten password need a new `password`. A forgotten password ends all sessions, passkeys, personal tokens and the second factor.',
    takes: 'OneTimeSignIn',
    sends: { token: example.ONE_TIME, password: example.PASSWORD },
    audit: 'sessions.create',
    body: useLink,
    transaction: false,
    also: { 401: WRONG_LINK },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { program, body } = call
      const forgive = await limitAccount(call, undefined)
      const { kind } = await program.admins.readLink(body.token)
      if (kind === 'setup') throw invalid({ token: ['is for POST /admin/v1/setup'] })
      const password = body.password == null ? undefined : await digestPassword(body.password, prefixOf(call.remote))
      const reply = await program.inTransaction(async (tx) => {
        const admin = await tx.admins.useLink(body.token, { name: body.name ?? undefined, password })
        call.note({ by: admin, target: kind })
        return openSession(tx, call, admin)
      })
      await forgive()
      return reply
    },
  }),
  post('/v1/sessions/passkey/options', {
    ...TRY,
    first: countFlood,
    summary: 'Begin to sign in with a passkey: what the browser needs',
    description: 'Give the answer to `navigator.credentials.get`. It works for five minutes, once.',
    takes: 'Nothing',
    sends: {},
    body: nothing,
    transaction: false,
    also: { 409: NO_PASSKEYS },
    returns: passkeyOptions,
    run: ({ program }) => program.passkeys.signInOptions(),
  }),
  post('/v1/sessions/passkey', {
    ...TRY,
    maxBody: PASSKEY_BODY,
    summary: 'Sign in with a passkey',
    description: 'A passkey needs neither a name nor a second factor: the device asks for a PIN or a fingerprint.',
    takes: 'PasskeySignIn',
    sends: { response: example.RESPONSE },
    audit: 'sessions.create',
    body: passkeySignIn,
    transaction: false,
    also: { 401: 'The passkey is not known here, or what it says does not hold', 409: NO_PASSKEYS },
    returns: session,
    headers: SETS_COOKIE,
    run: async (call) => {
      const { program, body } = call
      const forgive = await limitAccount(call, undefined)
      const reply = await program.inTransaction(async (tx) => {
        const admin = await tx.passkeys.signIn(body.response as unknown as AuthenticationResponseJSON)
        call.note({ by: admin, target: 'passkey' })
        return openSession(tx, call, admin)
      })
      await forgive()
      return reply
    },
  }),
  post('/v1/session/confirm/options', {
    ...SELF,
    summary: 'Begin a fresh sign-in with a passkey: what the browser needs',
    description: 'Give the answer to `navigator.credentials.get`. It works for five minutes, once.',
    takes: 'Nothing',
    sends: {},
    audit: 'sessions.confirm.begin',
    body: nothing,
    transaction: false,
    also: { 409: NO_PASSKEYS },
    returns: passkeyOptions,
    run: ({ program }) => program.passkeys.signInOptions(),
  }),
  post('/v1/session/confirm', {
    ...SELF,
    summary: 'Prove again who you are: for ten minutes, what asks for a fresh sign-in is allowed',
    description: 'Give either `password` (with `code` where the second factor is on) or `response`.',
    takes: 'Confirmation',
    sends: { password: example.PASSWORD },
    audit: 'sessions.confirm',
    body: confirmSignIn,
    transaction: false,
    also: {
      401: 'What proves it is wrong, or (`code` is `second_factor`) a code is needed',
      429: 'There were too many wrong tries',
    },
    returns: session,
    run: async ({ program, person, body, remote }) => {
      const { session: open } = person
      if (!open) throw invalid({ '': ['a personal token has no sign-in: give it the scope confirmed'] })
      if ((body.password == null) === (body.response == null))
        throw invalid({ '': ['give either password or response'] })
      const forgive = await limitSignIn(program, remote, person.email)
      if (
        body.password != null &&
        (await program.admins.isPasswordOf(person.email, body.password, prefixOf(remote)))?.id !== person.id
      ) {
        throw wrongPassword()
      }
      const admin = await program.admins.get(person.id)
      const forgiveCode = await limitCodes(program, admin, body.password == null ? undefined : body.code)
      const freshUntil = await program.inTransaction(async (tx) => {
        if (body.password != null) await tx.secondFactor.check(person, body.code ?? undefined)
        else if ((await tx.passkeys.signIn(body.response as unknown as AuthenticationResponseJSON)).id !== person.id)
          throw wrongPassword()
        return tx.sessions.confirm(open)
      })
      await forgiveCode()
      await forgive()
      const passkeys = await program.admins.countPasskeys(person.id)
      return presentSession({ admin, passkeys, roles: person.roles, session: { ...open, freshUntil } })
    },
  }),
]

export const signInRoutes: readonly Route[] = routes.map(notingRefusals)

/** Counts a code of the second factor, outside of the transaction that a wrong one undoes. Call the result when the code was right. */
async function limitCodes(
  program: Program,
  { id, hasTotp }: Pick<Admin, 'id' | 'hasTotp'>,
  code: string | null | undefined,
): Promise<() => Promise<void>> {
  if (!hasTotp || code == null) return () => Promise.resolve()
  await program.inTransaction((tx) => tx.codeTries.take(id))
  return () => program.inTransaction((tx) => tx.codeTries.forgive(id))
}

function wrongPassword(): AppError {
  const message = 'the address or the password is wrong'
  return new AppError('unauthorized', message, { ...CHALLENGE, body: { error: message, code: 'wrong_password' } })
}
