import { blocks } from '../../domain/gateways/blocks.ts'
import { PLATFORM_TYPES, type Platform } from '../../domain/gateways/registry.ts'
import { checkBlocks } from '../../domain/gateways/service.ts'
import { AppError } from '../../platform/errors.ts'
import { describeBody, documented, jsonObject } from '../../platform/values/parse.ts'
import { appConfiguration, presentAppConfiguration } from '../../present/api/gateways.ts'
import { del, get, put, type Route } from '../routing/route.ts'

/** The blocks of gateways. `checkBlocks` has each gateway check its own. */
export const blocksBody = documented(jsonObject().required(), {
  properties: Object.fromEntries(
    Object.entries(blocks).map(([platform, block]) => [platform, { ...describeBody(block), type: ['object', 'null'] }]),
  ),
  minProperties: 1,
})

/** `{push_url}/v1/apps/{appId}`: the push gateways of an app. */
export const gatewayRoutes: Route[] = [
  put('/v1/apps/:appId', {
    area: 'push',
    summary: 'Configure push gateways',
    description:
      'Each block replaces the configuration of its platform; platforms without a block stay as they are. Credentials are checked ' +
      'before they are stored, and never shown again.',
    takes: 'GatewayBlocks',
    sends: { web: { iconUrl: 'https://example.com/icon.png' } },
    scope: 'admin',
    needs: 'own-app',
    returns: appConfiguration,
    body: blocksBody,
    // Reading a p12 takes tens of milliseconds, too long for a write transaction.
    transaction: false,
    wakes: true,
    run: async ({ program, appId, body }) => {
      const checked = await checkBlocks(body, program.kernel.clock.now())
      return program.inTransaction(async (tx) => {
        await tx.gateways.configure(appId, checked)
        return presentAppConfiguration(await tx.apps.get(appId), await tx.gateways.list(appId))
      })
    },
  }),
  del('/v1/apps/:appId/platform-configs/:platform', {
    area: 'push',
    summary: 'Remove the configuration of one push gateway',
    description:
      'The credential is deleted, and nothing more is sent through this gateway. Recipients who still wait for it end as failed with the reason ' +
      '`no_gateway`, also those of a lane that was held. `platform` is the name of a block (`ios`) or its `platformType` (1).',
    scope: 'admin',
    needs: 'own-app',
    status: 204,
    also: { 404: 'The app has no such gateway' },
    wakes: true,
    run: ({ tx, appId, params }) => tx.gateways.remove(appId, platformSegment(params.platform!)),
  }),
  get('/v1/apps/:appId', {
    area: 'push',
    summary: 'List the configured push gateways',
    description: 'Returns one entry for each configured gateway, without credentials.',
    scope: 'read',
    needs: 'own-app',
    returns: appConfiguration,
    run: async ({ tx, appId }) => presentAppConfiguration(await tx.apps.get(appId), await tx.gateways.list(appId)),
  }),
]

/** A platform by the name of its block (`ios`), or by its `platformType`. Throws `not_found`. */
export function platformSegment(given: string): Platform {
  for (const [platform, type] of Object.entries(PLATFORM_TYPES) as [Platform, number][]) {
    if (given === platform || given === String(type)) return platform
  }
  const known = Object.entries(PLATFORM_TYPES).map(([platform, type]) => `${platform} (${type})`)
  throw new AppError('not_found', `there is no platform ${JSON.stringify(given)}: use ${known.join(', ')}`)
}
