import type { AppRecord } from '../../domain/apps/types.ts'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { GatewayConfig } from '../../domain/gateways/types.ts'
import { isoOffset } from '../../platform/time/clock.ts'
import { answerOf, integer, list, object, optional, states, string, time } from '../schema.ts'

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

export const appConfiguration = answerOf<typeof presentAppConfiguration>('AppConfiguration', {
  id: integer,
  accountId: integer,
  createdAt: time,
  updatedAt: time,
  platformConfigs: list(
    object({ platformType: states(PLATFORM_TYPES), createdAt: time, updatedAt: time }, 'PlatformConfig'),
  ),
  warnings: optional(list(string)),
})
