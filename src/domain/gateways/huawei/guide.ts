import type { GatewayGuide } from '../guide.ts'

export const guide: GatewayGuide = {
  name: 'Huawei',
  reaches: 'Android without Google services, through Push Kit',
  ways: [
    {
      name: 'client',
      label: 'App ID and client secret',
      about: 'From AppGallery Connect.',
      steps: [
        {
          text: 'Open AppGallery Connect, My projects, and choose the project and the app.',
          url: 'https://developer.huawei.com/consumer/en/service/josp/agc/index.html',
        },
        {
          text: 'Under Project settings, Manage APIs, switch Push Kit on. Then open Grow, Push Kit, and press Enable now.',
        },
        {
          text: 'Under Project settings, General information, App information, copy the App ID and the client secret of the app, not those of the project.',
        },
      ],
      fields: [
        { name: 'appId', kind: 'integer', label: 'App ID', hint: 'Digits only.', fact: 'appId' },
        { name: 'appIdPassword', kind: 'secret', label: 'Client secret' },
      ],
    },
  ],
}
