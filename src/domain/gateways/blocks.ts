import type { Schema } from '../../platform/parse.ts'
import { apnsBlock } from './apns/block.ts'
import { fcmBlock } from './fcm/credentials.ts'
import { hcmBlock } from './huawei/credentials.ts'
import type { Platform } from './registry.ts'
import { safariBlock } from './safari/block.ts'
import { webBlock } from './web/credentials.ts'

/**
 * The fields of each gateway's configuration block; its `check` also judges them together. They are not in the registry, because every
 * command loads that and must not load yup.
 */
export const blocks = {
  ios: apnsBlock,
  android: fcmBlock,
  web: webBlock,
  safari: safariBlock,
  hcm: hcmBlock,
} satisfies Record<Platform, Schema>
