import type { GatewayGuide, GuideField } from '../guide.ts'

const SUBJECT: GuideField = {
  name: 'subject',
  kind: 'text',
  label: 'Contact for push services',
  hint: 'mailto: and an e-mail address, or a web address: whom they ask when something is wrong.',
  isOptional: true,
  fact: 'subject',
}
const ICON: GuideField = {
  name: 'iconUrl',
  kind: 'text',
  label: 'Link to the icon',
  hint: 'Shown with notifications that have none.',
  isOptional: true,
  fact: 'iconUrl',
}

export const guide: GatewayGuide = {
  name: 'Web Push',
  reaches:
    'Chrome, Edge, Firefox and Safari, through the push service of each browser; phones without Google through UnifiedPush',
  ways: [
    {
      name: 'keys',
      label: 'Keys made here',
      about: 'Nothing to get from a vendor: a VAPID key pair is made, and kept when you save again.',
      steps: [
        { text: 'Save: the key pair is made, and its public half is shown.' },
        { text: 'Give the public key to your pages as vapidPublicKey. Keys shows the whole snippet.' },
      ],
      fields: [SUBJECT, ICON],
    },
    {
      name: 'import',
      label: 'Your own keys',
      about: 'For a website whose visitors have subscribed with a key pair that you have.',
      steps: [
        { text: 'Find the private VAPID key of your pages. A .pem file, or a file with its base64url, will do.' },
        { text: 'Browsers that subscribed with it stay reachable.' },
      ],
      fields: [{ name: 'vapid.privateKey', kind: 'secret', label: 'Private VAPID key' }, SUBJECT, ICON],
    },
  ],
}
