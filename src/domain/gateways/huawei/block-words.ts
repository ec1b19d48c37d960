import type { FieldWords } from '../gateway.ts'

/** What the interface document says of this block. */
export const blockWords: FieldWords = {
  '': ["Huawei's Push Kit."],
  appId: ['App ID of AppGallery Connect.', 100_000_001],
  appIdPassword: ['Secret of the app at Huawei.', 'secret'],
}
