import type { Gateway } from '../../../domain/gateways/gateway.ts'
import { gateways } from '../../../domain/gateways/registry.ts'
import type { Words } from './types.ts'

/** Gateways of an app, and what Safari calls. */
export const PUSH: Words = {
  operations: {
    'put /v1/apps/:appId': {
      description:
        'Each block replaces the configuration of its platform; platforms without a block stay as they are. Credentials are checked ' +
        'before they are stored, and never shown again.',
      takes: 'GatewayBlocks',
      sends: { web: { iconUrl: 'https://example.com/icon.png' } },
    },
    'delete /v1/apps/:appId/platform-configs/:platform': {
      description:
        'The credential is deleted, and nothing more is sent through this gateway. Recipients who still wait for it end as failed with the reason ' +
        '`no_gateway`, also those of a lane that was held. `platform` is the name of a block (`ios`) or its `platformType` (1).',
    },
    'get /v1/apps/:appId': { description: 'Returns one entry for each configured gateway, without credentials.' },
    'post /safari/:apiKey/v1/pushPackages/:websitePushId': {
      description: 'Safari asks for it before it shows the prompt. The body is ignored.',
    },
    'post /safari/:apiKey/v2/pushPackages/:websitePushId': {
      description: 'Safari asks for it before it shows the prompt. The body is ignored.',
    },
    ...Object.fromEntries(
      ['v1', 'v2'].flatMap((version) => {
        const path = `/safari/:apiKey/${version}`
        const registration = `${path}/devices/:deviceToken/registrations/:websitePushId`
        const authorized = 'The `Authorization` header holds the token of the push package, as Apple defines it.'
        return [
          [`post ${registration}`, { description: authorized }],
          [`delete ${registration}`, { description: authorized }],
          [
            `post ${path}/log`,
            {
              description: 'The lines go to the log of the service.',
              takes: 'SafariLog',
              sends: { logs: ['Missing file in push package'] },
            },
          ],
        ]
      }),
    ),
  },
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
