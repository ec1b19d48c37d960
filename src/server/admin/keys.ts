import { createIssuedKey, type Permission, type Scope } from '../../domain/apps/issued-keys.ts'
import { rotateKey } from '../../domain/apps/schema.ts'
import { AppError } from '../../platform/errors.ts'
import {
  appKeys,
  issuedKey,
  KEY_KINDS,
  newIssuedKey,
  presentIssued,
  presentNewIssued,
  presentOwnKey,
  presentRotated,
  rotatedKey,
} from '../../present/admin/keys.ts'
import { del, get, post, type Route } from '../routing/route.ts'
import { numberOf } from './params.ts'

const OPERATE = { area: 'admin', needs: 'person', right: 'operate' } as const

/** The keys of an app: its own three, server keys with scopes, and REST keys. */
export const keyRoutes: readonly Route[] = [
  get('/v1/apps/:appId/keys', {
    ...OPERATE,
    summary: 'List the keys of an app, without the keys themselves',
    description: 'The keys of the app itself that work, and all that were issued, with those that were revoked.',
    returns: appKeys,
    async run({ tx, program, appId }) {
      const now = program.kernel.clock.now()
      const own = (await tx.apps.keys(appId)).filter(({ expiresAt }) => expiresAt === null || expiresAt > now)
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
      '`kind` is `api`, `secret` or `server`. The old key works for `graceSeconds` more. The secret key is compiled into apps: ' +
      'give them time to be updated.',
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
      const ends = program.kernel.clock.now() + graceSeconds * 1000
      const key = await program.inTransaction((tx) => tx.apps.rotate(appId, kind, graceSeconds * 1000))
      note({ target: kind, after: { graceSeconds } })
      return presentRotated(kind, key, ends)
    },
  }),
]
