import { blocks } from '../../domain/gateways/blocks.ts'
import { checkBlocks } from '../../domain/gateways/service.ts'
import { describe, documented, jsonObject } from '../../platform/parse.ts'
import { appConfiguration, presentAppConfiguration } from '../present/gateways.ts'
import { get, put, type Route } from '../route.ts'

/** `checkBlocks` has each gateway check its own block. */
const body = documented(jsonObject().required(), {
  properties: Object.fromEntries(Object.entries(blocks).map(([platform, block]) => [platform, describe(block)])),
  minProperties: 1,
})

/** `{push_url}/v1/apps/{appId}`: the push gateways of an app. */
export const gatewayRoutes: Route[] = [
  put('/v1/apps/:appId', {
    area: 'push',
    summary: 'Configure push gateways',
    scope: 'admin',
    needs: 'own-app',
    returns: appConfiguration,
    body,
    // Reading a p12 takes tens of milliseconds, too long for a write transaction.
    transaction: false,
    wakes: true,
    run: async ({ host, appId, body }) => {
      const checked = await checkBlocks(body, host.kernel.clock.now())
      return host.inTransaction(async (app) => {
        await app.gateways.configure(appId, checked)
        return presentAppConfiguration(await app.apps.get(appId), await app.gateways.list(appId))
      })
    },
  }),
  get('/v1/apps/:appId', {
    area: 'push',
    summary: 'List the configured push gateways',
    scope: 'read',
    needs: 'own-app',
    returns: appConfiguration,
    run: async ({ app, appId }) => presentAppConfiguration(await app.apps.get(appId), await app.gateways.list(appId)),
  }),
]
