import type { AppRecord } from '../../domain/apps/types.ts'
import { PLATFORM_TYPES } from '../../domain/gateways/registry.ts'
import type { GatewayConfig } from '../../domain/gateways/types.ts'
import { isoOffset } from '../../platform/clock.ts'

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
