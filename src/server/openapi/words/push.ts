import type { Gateway } from '../../../domain/gateways/gateway.ts'
import { gateways } from '../../../domain/gateways/registry.ts'
import type { Words } from './types.ts'

/** Gateways of an app, and what Safari calls. */
export const PUSH: Words = {
  schemas: {
    GatewayBlocks: ['Credentials by platform. At least one block is required.'],
    SafariLog: ['What Safari reports about a push package.'],
  },
  fields: {
    ...Object.fromEntries(Object.values<Gateway>(gateways).flatMap(wordsOfBlock)),
    'SafariLog.logs': ['Lines. Anything but text is ignored.', ['Missing file in push package']],
  },
  parameters: {
    'path.platform': ['Name of the block of a gateway, or its `platformType`.', 'ios'],
    'path.websitePushId': ['Website push id.', 'web.com.example'],
    'path.deviceToken': [
      'Token of the device, in hexadecimal.',
      '1f6ed2f5c1f3a1b0e4d7c8b9a0f1e2d3c4b5a69788796a5b4c3d2e1f00112233',
    ],
  },
}

function wordsOfBlock({ platform, blockWords }: Gateway) {
  return Object.entries(blockWords).map(
    ([name, words]) => [`GatewayBlocks.${platform}${name && `.${name}`}`, words] as const,
  )
}
