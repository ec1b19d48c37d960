import type { GatewayGuide } from '../guide.ts'

export const guide: GatewayGuide = {
  name: 'Android',
  reaches: 'Android with Google services, through Firebase Cloud Messaging (FCM)',
  ways: [
    {
      name: 'service-account',
      label: 'Service account',
      about: 'A file of the Firebase project that the app was built with.',
      steps: [
        {
          text: 'Open the Firebase console, choose the project, the gear, Project settings, then Service accounts.',
          url: 'https://console.firebase.google.com/project/_/settings/serviceaccounts/adminsdk',
        },
        { text: 'Press Generate new private key. Keep the JSON file secret: whoever has it can send to your users.' },
        {
          text: 'Under Cloud Messaging, Firebase Cloud Messaging API (V1) must say Enabled.',
          url: 'https://console.firebase.google.com/project/_/settings/cloudmessaging',
        },
      ],
      fields: [
        {
          name: 'serviceAccount',
          kind: 'json-file',
          label: 'Drop the JSON file here',
          accept: '.json,application/json',
        },
      ],
    },
  ],
}
