import { createIssuedKey, type Permission, type Scope } from '../../domain/apps/issued-keys.ts'
import { rotateKey } from '../../domain/apps/schema.ts'
import { signedUsersForm } from '../../domain/crm/schema.ts'
import { AppError } from '../../platform/errors.ts'
import {
  appKeys,
  changedSignedUsers,
  issuedKey,
  KEY_KINDS,
  newIssuedKey,
  presentChangedSignedUsers,
  presentIssued,
  presentNewIssued,
  presentOwnKey,
  presentRotated,
  presentSignedUsers,
  rotatedKey,
  signedUsers,
} from '../../present/admin/keys.ts'
import { del, get, post, put, type Route } from '../routing/route.ts'
import { numberOf } from './params.ts'

const OPERATE = { area: 'admin', needs: 'person', right: 'operate' } as const

/** The keys of an app: its own, server keys with scopes, and REST keys; and how devices name users, for which there is a key. */
export const keyRoutes: readonly Route[] = [
  get('/v1/apps/:appId/keys', {
    ...OPERATE,
    summary: 'List the keys of an app, without the keys themselves',
    description: 'The keys of the app itself that work, and all that were issued, with those that were revoked.',
    returns: appKeys,
    async run({ tx, program, appId }) {
      const now = program.kernel.clock.now()
      const stored = (await tx.apps.keys(appId)).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
      const signing = (await tx.signedIds.report(appId)).keys.map((one) => ({
        ...one,
        kind: 'signing' as const,
        value: null,
      }))
      const own = [...stored, ...signing]
      const issued = [...(await tx.serverKeys.list(appId)), ...(await tx.restKeys.list(appId))]
      return { own: own.map(presentOwnKey), issued: issued.map(presentIssued) }
    },
  }),
  post('/v1/apps/:appId/keys', {
    ...OPERATE,
    fresh: true,
    summary: 'Create a server key with scopes, or a REST key; the answer alone has it',
    description: 'An `Idempotency-Key` has no effect here, because a stored answer would hold the key.',
    takes: 'NewKey',
    sends: { kind: 'server', name: 'newsletter', scope: ['send', 'read'] },
    audit: 'keys.create',
    body: createIssuedKey,
    status: 201,
    also: { 409: 'The app has the maximum number of keys' },
    returns: newIssuedKey,
    // A stored answer would hold the key.
    transaction: false,
    async run({ program, appId, body: { kind, name = '', scope }, note }) {
      const made = await program.inTransaction(async (tx) =>
        kind === 'server'
          ? tx.serverKeys.create(appId, { name, permissions: scope as Scope[] })
          : tx.restKeys.create(appId, { name, permissions: scope as Permission[] }),
      )
      note({ target: made.hint, after: { kind, name, scope } })
      return presentNewIssued(made)
    },
  }),
  del('/v1/apps/:appId/keys/:id', {
    ...OPERATE,
    fresh: true,
    summary: 'Revoke a server key with scopes, or a REST key: servers refuse it within a second',
    description: 'A key that was revoked stays in the list.',
    audit: 'keys.delete',
    also: { 404: 'There is no such key' },
    returns: issuedKey,
    async run({ tx, appId, params, note }) {
      const id = numberOf(params.id)
      const isServer = (await tx.serverKeys.find(appId, id)) !== undefined
      const key = await (isServer ? tx.serverKeys.revoke(appId, id) : tx.restKeys.revoke(appId, id))
      note({ target: key.hint, before: { kind: key.kind, name: key.name, scope: key.permissions } })
      return presentIssued(key)
    },
  }),
  post('/v1/apps/:appId/keys/:kind/rotate', {
    ...OPERATE,
    fresh: true,
    summary: 'Replace a key of the app itself; the answer alone has the new one',
    description:
      '`kind` is `api`, `secret`, `server` or `signing`. The old key works for `graceSeconds` more. The secret key is compiled into apps: ' +
      'give them time to be updated. Tokens that were signed with the old signing key are valid that long.',
    takes: 'KeyRotation',
    sends: { graceSeconds: 86_400 },
    audit: 'keys.rotate',
    body: rotateKey,
    also: { 404: 'There is no such kind of key' },
    returns: rotatedKey,
    // As for a new key.
    transaction: false,
    async run({ program, appId, params, body: { graceSeconds }, note }) {
      const kind = KEY_KINDS.find((one) => one === params.kind)
      if (!kind) throw new AppError('not_found', `an app has the keys ${KEY_KINDS.join(', ')}`)
      const graceMs = graceSeconds * 1000
      const ends = program.kernel.clock.now() + graceMs
      const key = await program.inTransaction((tx) =>
        kind === 'signing' ? tx.signedIds.rotate(appId, graceMs) : tx.apps.rotate(appId, kind, graceMs),
      )
      note({ target: kind, after: { graceSeconds } })
      return presentRotated(kind, key, ends)
    },
  }),
  get('/v1/apps/:appId/signed-users', {
    ...OPERATE,
    summary: 'Read whether devices name users by tokens that your servers sign',
    description: 'Its signing keys are among the keys of the app.',
    returns: signedUsers,
    run: async ({ tx, appId }) => presentSignedUsers(await tx.signedIds.report(appId)),
  }),
  put('/v1/apps/:appId/signed-users', {
    ...OPERATE,
    fresh: true,
    summary: 'Say whether devices name users by tokens that your servers sign',
    description:
      'The first time that it is switched on, the answer has a signing key, and it alone. With `off`, tokens that were issued stay valid.',
    takes: 'SignedUsersChange',
    sends: { mode: 'optional' },
    audit: 'signed-users.update',
    body: signedUsersForm,
    returns: changedSignedUsers,
    // As for a new key.
    transaction: false,
    async run({ program, appId, body: { mode }, note }) {
      const { before, key } = await program.inTransaction(async ({ signedIds }) => ({
        before: await signedIds.lockMode(appId),
        key: await signedIds.setMode(appId, mode),
      }))
      note({ before: { mode: before }, after: { mode } })
      return presentChangedSignedUsers({ mode, key: key ?? null })
    },
  }),
]
