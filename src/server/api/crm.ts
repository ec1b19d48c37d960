import { attributes, userTokenForm } from '../../domain/crm/schema.ts'
import { readUsersQuery, usersQuery } from '../../domain/segments/user-search/schema.ts'
import {
  attributesAnswer,
  erasureAnswer,
  presentAttributes,
  presentErasure,
  presentExported,
  presentUser,
  presentUserPage,
  presentUserRecord,
  presentUserToken,
  presentWholeUser,
  userAttributes,
  userRecord,
  usersAnswer,
  userToken,
} from '../../present/api/crm.ts'
import { findUsers } from '../calls/long-reads.ts'
import { del, get, jsonText, linesOf, NDJSON, patch, post, put, type Route, streamOf } from '../routing/route.ts'

/** Erasing a user, or one install. */
const ERASE = {
  area: 'crm',
  scope: 'crm',
  needs: 'server-key',
  status: 202,
  wakes: true,
  also: { 422: 'Nobody can have this identifier' },
  returns: erasureAnswer,
} as const

/** Users and their attributes, for servers. */
export const crmRoutes: Route[] = [
  get('/v2/users', {
    area: 'crm',
    summary: 'List users with their installs, page by page, or search them',
    description:
      'Returns known users, and anonymous users who are the current user of an install. A page past the end is empty. ' +
      'With `filter`, `channelUuid`, `segmentUuid`, `activeSince` or `after` it is a search: `currentPage` is absent, all that is given must hold, ' +
      'and the answer has `next` instead of a total. A search examines users for a limited time, so a page may hold fewer than `numberPerPage`, ' +
      'or none: the list ends where `next` is null. Without these keys, `currentPage` and `numberPerPage` are required.',
    scope: 'crm',
    needs: 'server-key',
    query: usersQuery,
    returns: usersAnswer,
    run: async (call) => {
      const { tx, appId } = call
      const present = call.query.include === 'device' ? presentWholeUser : presentUser
      const { page, search } = readUsersQuery(call.query)
      if (search) {
        const { ids, next } = await findUsers(call, search)
        return streamOf(await tx.crm.usersByIds(appId, ids), (user) => present(user), {
          name: 'users',
          others: { next },
        })
      }
      const { users, total } = await tx.crm.listUsers(appId, page.currentPage, page.numberPerPage)
      return streamOf(users, (user) => present(user), {
        name: 'users',
        others: presentUserPage(total, page.currentPage),
      })
    },
  }),
  get('/v1/users/:userId', {
    area: 'crm',
    summary: 'Read a user with their attributes, installs and channels',
    description:
      'Includes the channels that reach the user or one of their installs: the first 1000. Push tokens are never shown.',
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such user' },
    returns: userRecord,
    run: async ({ tx, appId, params }) => {
      const user = await tx.crm.showUser(appId, params.userId!)
      return presentUserRecord(user, await tx.subscriptions.ofUser(appId, user.id))
    },
  }),
  get('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Read a user's attributes",
    description: 'Returns an empty object for a user without attributes.',
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such user' },
    returns: attributesAnswer,
    run: async ({ tx, appId, params }) => jsonText(await tx.crm.attributesText(appId, params.userId!)),
  }),
  put('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Replace a user's attributes; creates the user if there is none",
    description:
      'The last write wins: it replaces what the app or another server wrote before, and is replaced by what they write later. ' +
      'Use the same identifier with which the app associates its users.',
    takes: 'Attributes',
    sends: { plan: 'gold', visits: 12, newsletter: true },
    scope: 'crm',
    needs: 'server-key',
    body: attributes,
    returns: userAttributes,
    transaction: 'shared',
    run: async ({ program, appId, params, body }) => {
      await program.putAttributes(appId, params.userId!, body)
      return presentAttributes(params.userId!, body)
    },
  }),
  patch('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Change some of a user's attributes; creates the user if there is none",
    description:
      'A merge patch (RFC 7396): `null` deletes an attribute, an object is merged, anything else replaces; attributes that are not named ' +
      'stay. Returns all attributes afterwards.',
    takes: 'AttributesPatch',
    sends: { plan: 'gold', coupon: null },
    scope: 'crm',
    needs: 'server-key',
    body: attributes,
    returns: userAttributes,
    run: async ({ tx, appId, params, body }) =>
      presentAttributes(params.userId!, await tx.crm.patchAttributes(appId, params.userId!, body)),
  }),
  del('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Delete a user's attributes; the user stays",
    description: 'The user and their installs stay.',
    scope: 'crm',
    needs: 'server-key',
    status: 204,
    also: { 400: 'There is no such user' },
    run: ({ tx, appId, params }) => tx.crm.deleteAttributes(appId, params.userId!),
  }),
  post('/v1/users/:userId/token', {
    area: 'crm',
    summary: 'Create a token that proves who a user is',
    description:
      'Needs signed users to be switched on (`appsvc apps identity`). Hand the token to the app, which passes it to its SDK instead of the identifier. ' +
      'The answer is never stored, so there is no `Idempotency-Key`.',
    takes: 'UserTokenRequest',
    sends: { expiresIn: 86_400 },
    scope: 'crm',
    needs: 'server-key',
    body: userTokenForm,
    returns: userToken,
    // It only reads, and an `Idempotency-Key` would store the token in clear text.
    transaction: false,
    also: { 409: 'Signed users are off for this app: appsvc apps identity switches them on' },
    run: async ({ tx, program, appId, params, body }) => {
      const identifier = params.userId!
      const expiresAt = body.expiresIn === undefined ? null : program.kernel.clock.now() + body.expiresIn * 1000
      return presentUserToken({
        identifier,
        token: await tx.signedIds.sign(appId, identifier, expiresAt),
        expiresAt,
      })
    },
  }),
  del('/v1/users/:userId', {
    ...ERASE,
    summary: 'Erase a user with everything that is stored about them',
    description:
      'Deletes the user, their attributes, their installs with push tokens, and everything that is stored about them. Counts stay. ' +
      'It usually takes seconds; a page that is being sent to one of the installs is waited for. Nothing is sent to them once the ' +
      'state is `done`. An identifier that nobody has is erased as well, because a send may have named it. A device that goes on ' +
      'using the app gets a new anonymous user. The same request again, before it is done, returns the same erasure.',
    run: async ({ tx, appId, params }) => presentErasure(await tx.erasures.request(appId, 'user', params.userId!)),
  }),
  del('/v1/installs/:installId', {
    ...ERASE,
    summary: 'Erase an install with its push token and everything that it reported; its user stays',
    description:
      'Deletes one install as `DELETE /v1/users/{userId}` deletes all of a user. Its anonymous user goes too, its known user stays.',
    run: async ({ tx, appId, params }) =>
      presentErasure(await tx.erasures.request(appId, 'install', params.installId!)),
  }),
  get('/v1/erasures/:erasureId', {
    area: 'crm',
    summary: 'Read how far an erasure is',
    description:
      'Erasures stay readable after they are done. A `state` that stays the same waits for a page that is being sent, or a file.',
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such erasure' },
    returns: erasureAnswer,
    run: async ({ tx, appId, params }) => presentErasure(await tx.erasures.get(appId, params.erasureId!)),
  }),
  get('/v1/users/:userId/export', {
    area: 'crm',
    summary: 'Export everything that is stored about a user',
    description:
      'NDJSON: each line is `{"table", "row"}`, a row of what an erasure would delete. Times are ISO 8601. Rows are read while they ' +
      'are sent, so what changes meanwhile may be there or not.',
    scope: 'crm',
    needs: 'server-key',
    produces: NDJSON,
    also: { 404: 'There is no such user' },
    run: async ({ tx, appId, params }) => linesOf(await tx.exporting.of(appId, params.userId!), presentExported),
  }),
]
