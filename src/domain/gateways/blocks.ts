import type { Schema } from '../../platform/values/parse.ts'
import { apnsBlock } from './apns/block.ts'
import { fcmBlock } from './fcm/credentials.ts'
import { hcmBlock } from './huawei/credentials.ts'
import type { Platform } from './registry.ts'
import { safariBlock } from './safari/block.ts'
import { webBlock } from './web/credentials.ts'

/**
 * The fields of each gateway's block, for the interface document; `Gateway.check` also judges them together. Not in
 * `registry.ts`, which every command loads: schemas bring in yup.
 */
export const blocks: Record<Platform, Schema> = {
  ios: apnsBlock,
  android: fcmBlock,
  web: webBlock,
  safari: safariBlock,
  hcm: hcmBlock,
}
