import { sizeLimit } from '../../platform/config/settings.ts'
import { type Base, once } from '../../platform/wiring.ts'
import type { CrmWire } from '../crm/wire.ts'
import { slicesRepository } from './files/slices.repository.ts'
import { importsRepository } from './imports.repository.ts'
import { importsService } from './imports.service.ts'
import { channelsRepository } from './repository.ts'
import { channelsService } from './service.ts'
import { subscriptionsRepository } from './subscriptions.repository.ts'
import { subscriptionsService } from './subscriptions.service.ts'

export type ChannelsWire = ReturnType<typeof wireChannels>

/** Channels, their subscribers, and imports of subscriber files. */
export function wireChannels({ sql, config, clock }: Base, { crm }: { crm: () => CrmWire }) {
  const repo = once(() => channelsRepository(sql))
  const subscribers = once(() => subscriptionsRepository(sql))
  const imports = once(() => importsRepository(sql))
  const channels = once(() =>
    channelsService({
      repo: repo(),
      subscriptions: subscribers(),
      imports: imports(),
      clock,
      maxMeta: {
        server: sizeLimit(config, 'limits.channelMeta'),
        device: sizeLimit(config, 'limits.deviceChannelMeta'),
      },
    }),
  )
  const subscriptions = once(() =>
    subscriptionsService({
      channels: repo(),
      subscriptions: subscribers(),
      users: crm().users(),
      crm: crm().crm(),
      clock,
    }),
  )
  const channelImports = once(() => importsService({ repo: imports(), clock }))
  const ingestion = once(() => ({ imports: imports(), subscriptions: subscribers(), slices: slicesRepository(sql) }))
  return { imports, channels, subscriptions, channelImports, ingestion }
}
