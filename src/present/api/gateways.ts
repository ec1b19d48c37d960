import type { AppRecord } from '../../domain/apps/types.ts'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { GatewayConfig } from '../../domain/gateways/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, integer, list, object, optional, states, string, time, told } from '../schema.ts'
import { CREATED_AT, PLATFORM_TYPE, UPDATED_AT } from '../words.ts'

/** The contract's app configuration object; `warnings` is ours and present only when there are some. */
export function presentAppConfiguration(app: AppRecord, configs: GatewayConfig[]) {
  const warnings = configs.flatMap((config) => config.facts.warnings.map((warning) => `${config.platform}: ${warning}`))
  const updatedAt = Math.max(app.updatedAt, ...configs.map((config) => config.updatedAt))
  return {
    id: app.id,
    accountId: app.accountId,
    createdAt: isoOffset(app.createdAt),
    updatedAt: isoOffset(updatedAt),
    platformConfigs: configs.map((config) => ({
      platformType: PLATFORM_TYPES[config.platform],
      createdAt: isoOffset(config.createdAt),
      updatedAt: isoOffset(config.updatedAt),
    })),
    ...(warnings.length > 0 ? { warnings } : {}),
  }
}

export const appConfiguration = answerOf<typeof presentAppConfiguration>(
  'AppConfiguration',
  'Which push gateways an app has.',
  {
    id: told(integer, 'The `id` of the app.', 1),
    accountId: told(integer, 'The account that owns the app.', 1),
    createdAt: told(time, CREATED_AT),
    updatedAt: told(time, UPDATED_AT),
    platformConfigs: told(
      list(
        object('PlatformConfig', 'A configured gateway.', {
          platformType: told(states(PLATFORM_TYPES), PLATFORM_TYPE, 1),
          createdAt: told(time, CREATED_AT),
          updatedAt: told(time, UPDATED_AT),
        }),
      ),
      'The configured gateways.',
    ),
    warnings: optional(
      told(list(string), 'What works but needs attention, a sentence each.', [
        'ios: the certificate expires in 12 days',
      ]),
    ),
  },
)
