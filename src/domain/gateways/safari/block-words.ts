import type { FieldWords } from '../gateway.ts'

/** Descriptions of this block in the interface document. */
export const blockWords: FieldWords = {
  'GatewayBlocks.safari': ['Safari before it knew Web Push.'],
  siteUrl: ['Address of the website.', 'https://example.com'],
  websiteName: ['Name of the website.', 'Example'],
  intermediate: [
    'Intermediate certificate of Apple, PEM.',
    '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----',
  ],
}
