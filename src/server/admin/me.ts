import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { digestPassword } from '../../domain/admins/passwords.ts'
import { addPasskey, changeMe, confirmTotp, createToken, nothing } from '../../domain/admins/schema.ts'
import { rightsIn } from '../../domain/admins/types.ts'
import { drawQr } from '../../domain/links/make/qr.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import {
  newPersonalToken,
  passkey,
  passkeyOptions,
  passkeys,
  personalTokens,
  presentNewToken,
  presentPasskey,
  presentToken,
  recoveryCodes,
  totpSecret,
} from '../../present/admin/people.ts'
import { presentSession, session } from '../../present/admin/session.ts'
import type { Program } from '../../program.ts'
import { prefixOf } from '../limits/caller.ts'
import * as example from '../openapi/words/admin.ts'
import { del, get, type Person, post, put, type Route } from '../routing/route.ts'
import { checkFresh } from './admit.ts'
import { limitSignIn } from './limits.ts'
import { numberOf } from './params.ts'

const SELF = { area: 'admin', needs: 'person', right: 'self' } as const
/** Terms of routes that change a proof of who somebody is: a thief of a session must not change it. */
const PROOF = { ...SELF, fresh: true } as const

const QR_PIXELS = 200

const NO_PASSKEYS = 'Passkeys do not work at the address of this server (`baseUrl`)'

export const meRoutes: readonly Route[] = [
  put('/v1/me', {
    ...SELF,
    summary: 'Change your name or your password',
    description:
      'An absent field stays as it is. A new password needs `currentPassword`, and ends your other sessions.',
    takes: 'AccountChange',
    sends: { name: 'Anna' },
    audit: 'me.update',
    body: changeMe,
    // Hashing takes too long for a transaction.
    transaction: false,
    returns: session,
    run: async ({ program, person, body, note, remote }) => {
      requireSession(person)
      if (body.password != null) {
        await requireProof(program, person)
        const forgive = await limitSignIn(program, remote, person.email)
        await program.admins.checkPassword(
          person.id,
          body.currentPassword ?? undefined,
          'currentPassword',
          prefixOf(remote),
        )
        await forgive()
      }
      const password = body.password == null ? undefined : await digestPassword(body.password, prefixOf(remote))
      const change = { name: body.name ?? undefined, password }
      return program.inTransaction(async (tx) => {
        const { name } = await tx.admins.lock(person.id)
        note({
          target: person.email,
          before: { name },
          after: { name: body.name, isNewPassword: password !== undefined },
        })
        const admin = await tx.admins.change(person.id, change, person.session?.id)
        const count = await tx.admins.countPasskeys(person.id)
        return presentSession({ admin, passkeys: count, roles: person.roles, session: person.session })
      })
    },
  }),
  post('/v1/me/totp', {
    ...PROOF,
    summary: 'Begin a second factor: a secret for an authenticator app',
    description: 'It counts once `PUT` has seen a code of the app.',
    takes: 'Nothing',
    sends: {},
    audit: 'me.totp.begin',
    body: nothing,
    also: { 409: 'The second factor is on already' },
    returns: totpSecret,
    run: async ({ tx, person }) => {
      requireSession(person)
      const begun = await tx.secondFactor.begin(person.id)
      const svg = await drawQr(begun.uri, { format: 'svg', size: QR_PIXELS })
      // Drawn here, because what draws it is a tenth of all that the console loads.
      return { ...begun, qrCode: `data:image/svg+xml;base64,${svg.toString('base64')}` }
    },
  }),
  put('/v1/me/totp', {
    ...PROOF,
    summary: 'Switch the second factor on with a code of the app; the answer alone has the recovery codes',
    description: 'Each recovery code works once, in place of a code of the app.',
    takes: 'SecondFactorCode',
    sends: { code: '123456' },
    audit: 'me.totp.on',
    body: confirmTotp,
    also: { 409: 'It was not begun, or it is on already' },
    returns: recoveryCodes,
    run: async ({ tx, person, body }) => {
      requireSession(person)
      return { recoveryCodes: await tx.secondFactor.confirm(person.id, body.code) }
    },
  }),
  del('/v1/me/totp', {
    ...PROOF,
    summary: 'Switch the second factor off',
    description: 'The recovery codes end, too.',
    audit: 'me.totp.off',
    status: 204,
    run: async ({ tx, person }) => {
      requireSession(person)
      await tx.secondFactor.remove(person.id)
    },
  }),
  get('/v1/me/passkeys', {
    ...SELF,
    summary: 'List your passkeys',
    description: 'In the order in which they were added.',
    returns: passkeys,
    run: async ({ tx, person }) => ({ items: (await tx.passkeys.list(person.id)).map(presentPasskey) }),
  }),
  post('/v1/me/passkeys/options', {
    ...PROOF,
    summary: 'Begin a passkey: what the browser needs to make one',
    description: 'Give the answer to `navigator.credentials.create`. It works for five minutes, once.',
    takes: 'Nothing',
    sends: {},
    audit: 'me.passkeys.begin',
    body: nothing,
    also: { 409: NO_PASSKEYS },
    returns: passkeyOptions,
    run: async ({ tx, person }) => {
      requireSession(person)
      return tx.passkeys.registrationOptions(person.id)
    },
  }),
  post('/v1/me/passkeys', {
    ...PROOF,
    summary: 'Add the passkey that the browser made',
    description: 'At most twenty for each person.',
    takes: 'NewPasskey',
    sends: { name: 'Phone', response: example.RESPONSE },
    audit: 'me.passkeys.create',
    body: addPasskey,
    status: 201,
    also: { 409: NO_PASSKEYS },
    returns: passkey,
    run: async ({ tx, person, body, note }) => {
      requireSession(person)
      note({ target: body.name })
      // The library says what is wrong with another shape.
      return presentPasskey(
        await tx.passkeys.register(person.id, body.name, body.response as unknown as RegistrationResponseJSON),
      )
    },
  }),
  del('/v1/me/passkeys/:id', {
    ...PROOF,
    summary: 'Delete one of your passkeys',
    description: 'The device may still offer it; it signs nobody in any more.',
    audit: 'me.passkeys.delete',
    status: 204,
    also: { 404: 'You have no such passkey' },
    run: async ({ tx, person, params, note }) => {
      requireSession(person)
      note({ target: params.id! })
      await tx.passkeys.remove(person.id, numberOf(params.id))
    },
  }),
  get('/v1/me/tokens', {
    ...SELF,
    summary: 'List your personal tokens',
    description: 'Without the tokens themselves.',
    returns: personalTokens,
    run: async ({ tx, person }) => ({ items: (await tx.personalTokens.list(person.id)).map(presentToken) }),
  }),
  post('/v1/me/tokens', {
    ...PROOF,
    summary: 'Make a personal token; the answer alone has it',
    description:
      'The token may do what its scopes name and its person may do. `confirmed` opens what asks others for a fresh sign-in. ' +
      'A personal token cannot make another one.',
    takes: 'NewPersonalToken',
    sends: { name: 'laptop', scopes: ['see', 'campaign'], appId: 1, days: 90 },
    audit: 'me.tokens.create',
    body: createToken,
    status: 201,
    returns: newPersonalToken,
    run: async ({ tx, person, body, note }) => {
      requireSession(person)
      const appId = body.appId ?? null
      if (appId !== null && rightsIn(person.roles, appId).length === 0)
        throw invalid({ appId: ['is no app that you have a role in'] })
      note({ target: body.name, after: { scopes: body.scopes, appId } })
      return presentNewToken(
        await tx.personalTokens.create(person.id, {
          name: body.name,
          scopes: body.scopes,
          appId,
          days: body.days ?? null,
        }),
      )
    },
  }),
  del('/v1/me/tokens/:id', {
    ...SELF,
    summary: 'Delete one of your personal tokens: it stops working at once',
    description: 'Programs that use it get 401.',
    audit: 'me.tokens.delete',
    status: 204,
    also: { 404: 'You have no such token' },
    run: async ({ tx, person, params, note }) => {
      requireSession(person)
      note({ target: params.id! })
      await tx.personalTokens.remove(person.id, numberOf(params.id))
    },
  }),
]

/** Asks for a fresh sign-in before the first password of somebody who has passkeys alone: a thief of the session must not choose it. */
async function requireProof(program: Program, { id, session: open }: Person): Promise<void> {
  const { hasPassword } = await program.admins.get(id)
  if (!hasPassword && (await program.admins.countPasskeys(id)) > 0)
    checkFresh(program, { session: open, token: undefined })
}

/**
 * Throws `forbidden` for a token. It cannot give itself more, nor keep its person out: only a person who signed in changes their
 * account, makes and deletes tokens, and ends sessions.
 */
export function requireSession({ session: open }: Person): void {
  if (!open) throw new AppError('forbidden', 'this is possible only with a session: sign in to the console')
}
