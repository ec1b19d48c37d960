import { blockWords as apns } from '../apns/block-words.ts'
import type { FieldWords } from '../gateway.ts'
import { blockWords as web } from '../web/block-words.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  '': ['Safari before it knew Web Push.'],
  p12: apns.p12!,
  password: apns.password!,
  iconUrl: web.iconUrl!,
  siteUrl: ['Address of the website.', 'https://example.com'],
  websiteName: ['Name of the website.', 'Example'],
  intermediate: [
    'Intermediate certificate of Apple, PEM.',
    '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
  ],
}
