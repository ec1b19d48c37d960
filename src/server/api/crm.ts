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
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such user' },
    returns: attributesAnswer,
    run: async ({ tx, appId, params }) => jsonText(await tx.crm.attributesText(appId, params.userId!)),
  }),
  put('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Replace a user's attributes; creates the user if there is none",
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
    scope: 'crm',
    needs: 'server-key',
    status: 204,
    also: { 400: 'There is no such user' },
    run: ({ tx, appId, params }) => tx.crm.deleteAttributes(appId, params.userId!),
  }),
  post('/v1/users/:userId/token', {
    area: 'crm',
    summary: 'Create a token that proves who a user is',
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
    run: async ({ tx, appId, params }) => presentErasure(await tx.erasures.request(appId, 'user', params.userId!)),
  }),
  del('/v1/installs/:installId', {
    ...ERASE,
    summary: 'Erase an install with its push token and everything that it reported; its user stays',
    run: async ({ tx, appId, params }) =>
      presentErasure(await tx.erasures.request(appId, 'install', params.installId!)),
  }),
  get('/v1/erasures/:erasureId', {
    area: 'crm',
    summary: 'Read how far an erasure is',
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such erasure' },
    returns: erasureAnswer,
    run: async ({ tx, appId, params }) => presentErasure(await tx.erasures.get(appId, params.erasureId!)),
  }),
  get('/v1/users/:userId/export', {
    area: 'crm',
    summary: 'Export everything that is stored about a user',
    scope: 'crm',
    needs: 'server-key',
    produces: NDJSON,
    also: { 404: 'There is no such user' },
    run: async ({ tx, appId, params }) => linesOf(await tx.exporting.of(appId, params.userId!), presentExported),
  }),
]
