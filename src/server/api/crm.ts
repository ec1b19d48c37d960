import { attributes, usersPage, userTokenForm } from '../../domain/crm/schema.ts'
import {
  attributesAnswer,
  presentAttributes,
  presentUser,
  presentUserPage,
  presentUserToken,
  userAttributes,
  userPage,
  userToken,
} from '../present/crm.ts'
import { del, get, post, put, type Route, streamOf } from '../route.ts'

/** Users and their attributes, for servers. */
export const crmRoutes: Route[] = [
  get('/v2/users', {
    area: 'crm',
    summary: 'List users with their installs, page by page',
    scope: 'crm',
    needs: 'server-key',
    query: usersPage,
    returns: userPage,
    run: async ({ app, appId, query: { currentPage, numberPerPage } }) => {
      const { users, total } = await app.crm.listUsers(appId, currentPage, numberPerPage)
      return streamOf(users, presentUser, { name: 'users', others: presentUserPage(total, currentPage) })
    },
  }),
  get('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Read a user's attributes",
    scope: 'crm',
    needs: 'server-key',
    also: { 404: 'There is no such user' },
    returns: attributesAnswer,
    run: ({ app, appId, params }) => app.crm.attributes(appId, params.userId!),
  }),
  put('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Replace a user's attributes; creates the user if there is none",
    scope: 'crm',
    needs: 'server-key',
    body: attributes,
    returns: userAttributes,
    run: async ({ app, appId, params, body }) => {
      await app.crm.putAttributes(appId, params.userId!, body)
      return presentAttributes(params.userId!, body)
    },
  }),
  del('/v1/users/:userId/attributes', {
    area: 'crm',
    summary: "Delete a user's attributes; the user stays",
    scope: 'crm',
    needs: 'server-key',
    status: 204,
    also: { 400: 'There is no such user' },
    run: ({ app, appId, params }) => app.crm.deleteAttributes(appId, params.userId!),
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
    run: async ({ app, host, appId, params, body }) => {
      const identifier = params.userId!
      const expiresAt = body.expiresIn === undefined ? null : host.kernel.clock.now() + body.expiresIn * 1000
      return presentUserToken({
        identifier,
        token: await app.signedIds.sign(appId, identifier, expiresAt),
        expiresAt,
      })
    },
  }),
]
