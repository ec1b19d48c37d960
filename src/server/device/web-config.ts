import { presentWebConfig, webConfig } from '../present/web-config.ts'
import { get, Reply, type Route } from '../route.ts'

/**
 * What a web page needs before it can ask for permission (docs/reference/device-protocol.md section 6, K1). The successor's form of it, K2, hands out
 * the app's keys without authentication; we keep only digests of keys, so there is no such route.
 */
export const webConfigRoutes: Route[] = [
  get('/v1/web/config', {
    area: 'push',
    needs: 'device-key',
    device: true,
    summary:
      'Read what the web SDK needs: the VAPID public key (empty without a web gateway), the icon, and the prompts',
    returns: webConfig,
    run: async ({ app, appId }) => {
      const [configs, prompts] = [await app.gateways.list(appId), await app.prompts.list(appId)]
      // The SDK keeps it for an hour by itself; a copy that a browser or proxy kept longer would outlive a rotated key.
      return new Reply(200, presentWebConfig(configs, prompts), { 'Cache-Control': 'private, no-cache' })
    },
  }),
]
