import type { FieldWords } from '../gateway.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  '': ["Huawei's Push Kit."],
  appId: ['App ID of AppGallery Connect.', 100_000_001],
  appIdPassword: ['Secret of the app at Huawei.', 'secret'],
}
