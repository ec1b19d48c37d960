import { presentWebConfig, webConfig } from '../../present/device/web-config.ts'
import { get, Reply, type Route } from '../routing/route.ts'

/**
 * Routes for what a web page needs before it can ask for permission (docs/reference/device-protocol.md section 6, K1). K2, the
 * newer form, hands out the app's keys without authentication. Only digests of keys are stored here, so there is no such route.
 */
export const webConfigRoutes: Route[] = [
  get('/v1/web/config', {
    area: 'push',
    needs: 'device-key',
    device: true,
    summary: 'Read the configuration of the web SDK',
    description: '`publicKey` is empty while the app has no web gateway; prompts then stay off.',
    returns: webConfig,
    run: async ({ tx, appId }) => {
      const [configs, prompts] = [await tx.gateways.list(appId), await tx.prompts.list(appId)]
      // The SDK caches it for an hour. A copy cached longer by a browser or proxy would outlive a rotated key.
      return new Reply(200, presentWebConfig(configs, prompts), { 'Cache-Control': 'private, no-cache' })
    },
  }),
]
