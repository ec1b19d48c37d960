import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { App } from '../../app.ts'
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
import { prefixOf } from '../limits/caller.ts'
import { del, get, type Person, post, put, type Route } from '../routing/route.ts'
import { checkFresh } from './admit.ts'
import { limitSignIn } from './limits.ts'
import { numberOf } from './params.ts'

const SELF = { area: 'admin', needs: 'person', right: 'self' } as const
/** What proves who somebody is: a thief of a session must not change it. */
const PROOF = { ...SELF, fresh: true } as const

const QR_PIXELS = 200

const NO_PASSKEYS = 'Passkeys do not work at the address of this server (`baseUrl`)'

export const meRoutes: readonly Route[] = [
  put('/v1/me', {
    ...SELF,
    summary: 'Change your name or your password',
    audit: 'me.update',
    body: changeMe,
    // Hashing takes too long for a transaction.
    transaction: false,
    returns: session,
    run: async ({ host, person, body, note, remote }) => {
      requireSession(person)
      if (body.password != null) {
        await requireProof(host, person)
        const forgive = await limitSignIn(host, remote, person.email)
        await host.admins.checkPassword(
          person.id,
          body.currentPassword ?? undefined,
          'currentPassword',
          prefixOf(remote),
        )
        await forgive()
      }
      const password = body.password == null ? undefined : await digestPassword(body.password, prefixOf(remote))
      note({
        target: person.email,
        before: { name: person.name },
        after: { name: body.name, isNewPassword: password !== undefined },
      })
      const change = { name: body.name ?? undefined, password }
      return host.inTransaction(async (tx) => {
        const admin = await tx.admins.change(person.id, change, person.session?.id)
        const count = await tx.admins.countPasskeys(person.id)
        return presentSession({ admin, passkeys: count, roles: person.roles, session: person.session })
      })
    },
  }),
  post('/v1/me/totp', {
    ...PROOF,
    summary: 'Begin a second factor: a secret for an authenticator app',
    audit: 'me.totp.begin',
    body: nothing,
    also: { 409: 'The second factor is on already' },
    returns: totpSecret,
    run: async ({ app, person }) => {
      requireSession(person)
      const begun = await app.secondFactor.begin(person.id)
      const svg = await drawQr(begun.uri, { format: 'svg', size: QR_PIXELS })
      // Drawn here, because what draws it is a tenth of all that the console loads.
      return { ...begun, qrCode: `data:image/svg+xml;base64,${svg.toString('base64')}` }
    },
  }),
  put('/v1/me/totp', {
    ...PROOF,
    summary: 'Switch the second factor on with a code of the app; the answer alone has the recovery codes',
    audit: 'me.totp.on',
    body: confirmTotp,
    also: { 409: 'It was not begun, or it is on already' },
    returns: recoveryCodes,
    run: async ({ app, person, body }) => {
      requireSession(person)
      return { recoveryCodes: await app.secondFactor.confirm(person.id, body.code) }
    },
  }),
  del('/v1/me/totp', {
    ...PROOF,
    summary: 'Switch the second factor off',
    audit: 'me.totp.off',
    status: 204,
    run: async ({ app, person }) => {
      requireSession(person)
      await app.secondFactor.remove(person.id)
    },
  }),
  get('/v1/me/passkeys', {
    ...SELF,
    summary: 'List your passkeys',
    returns: passkeys,
    run: async ({ app, person }) => ({ items: (await app.passkeys.list(person.id)).map(presentPasskey) }),
  }),
  post('/v1/me/passkeys/options', {
    ...PROOF,
    summary: 'Begin a passkey: what the browser needs to make one',
    audit: 'me.passkeys.begin',
    body: nothing,
    also: { 409: NO_PASSKEYS },
    returns: passkeyOptions,
    run: async ({ app, person }) => {
      requireSession(person)
      return app.passkeys.registrationOptions(person.id)
    },
  }),
  post('/v1/me/passkeys', {
    ...PROOF,
    summary: 'Add the passkey that the browser made',
    audit: 'me.passkeys.create',
    body: addPasskey,
    status: 201,
    also: { 409: NO_PASSKEYS },
    returns: passkey,
    run: async ({ app, person, body, note }) => {
      requireSession(person)
      note({ target: body.name })
      // The library says what is wrong with another shape.
      return presentPasskey(
        await app.passkeys.register(person.id, body.name, body.response as unknown as RegistrationResponseJSON),
      )
    },
  }),
  del('/v1/me/passkeys/:id', {
    ...PROOF,
    summary: 'Delete one of your passkeys',
    audit: 'me.passkeys.delete',
    status: 204,
    also: { 404: 'You have no such passkey' },
    run: async ({ app, person, params, note }) => {
      requireSession(person)
      note({ target: params.id! })
      await app.passkeys.remove(person.id, numberOf(params.id))
    },
  }),
  get('/v1/me/tokens', {
    ...SELF,
    summary: 'List your personal tokens',
    returns: personalTokens,
    run: async ({ app, person }) => ({ items: (await app.personalTokens.list(person.id)).map(presentToken) }),
  }),
  post('/v1/me/tokens', {
    ...PROOF,
    summary: 'Make a personal token; the answer alone has it',
    audit: 'me.tokens.create',
    body: createToken,
    status: 201,
    returns: newPersonalToken,
    run: async ({ app, person, body, note }) => {
      requireSession(person)
      const appId = body.appId ?? null
      if (appId !== null && rightsIn(person.roles, appId).length === 0)
        throw invalid({ appId: ['is no app that you have a role in'] })
      note({ target: body.name, after: { scopes: body.scopes, appId } })
      return presentNewToken(
        await app.personalTokens.create(person.id, {
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
    audit: 'me.tokens.delete',
    status: 204,
    also: { 404: 'You have no such token' },
    run: async ({ app, person, params, note }) => {
      requireSession(person)
      note({ target: params.id! })
      await app.personalTokens.remove(person.id, numberOf(params.id))
    },
  }),
]

/** A thief of the session must not choose the first password of somebody who has passkeys alone. */
async function requireProof(app: App, { id, session: open }: Person): Promise<void> {
  const { hasPassword } = await app.admins.get(id)
  if (!hasPassword && (await app.admins.countPasskeys(id)) > 0) checkFresh(app, { session: open, token: undefined })
}

/**
 * A token cannot give itself more, nor keep its person out: only a person who signed in changes their account, makes and deletes tokens, and
 * ends sessions.
 */
export function requireSession({ session: open }: Person): void {
  if (!open) throw new AppError('forbidden', 'this is possible only with a session: sign in to the console')
}
