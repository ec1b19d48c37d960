import type { GatewayGuide } from '../guide.ts'

export const guide: GatewayGuide = {
  name: 'Safari before Web Push',
  reaches: 'Safari on Macs up to macOS 12; later ones are reached by Web Push',
  ways: [
    {
      name: 'certificate',
      label: 'Website push certificate',
      about: 'Needs a paid Apple developer account and an https address of this server.',
      steps: [
        {
          text: 'At Apple, under Identifiers, press + and register a Website Push ID: web. and your domain backwards.',
          url: 'https://developer.apple.com/account/resources/identifiers/list/websitePushId',
        },
        { text: 'Under Certificates, make a Website Push ID Certificate with a request from Keychain Access.' },
        { text: 'In Keychain Access, select it together with its key and export it as .p12 with a password.' },
        {
          text: 'Download the intermediate certificate Worldwide Developer Relations - G4.',
          url: 'https://www.apple.com/certificateauthority/',
        },
      ],
      fields: [
        { name: 'p12', kind: 'binary-file', label: 'Drop the .p12 file here', accept: '.p12,.pfx' },
        { name: 'password', kind: 'secret', label: 'Password of the file', isOptional: true },
        { name: 'siteUrl', kind: 'text', label: 'Address of the website', fact: 'siteUrl' },
        {
          name: 'iconUrl',
          kind: 'text',
          label: 'Link to the icon',
          hint: 'A PNG, 256 × 256 or more.',
          fact: 'iconUrl',
        },
        { name: 'websiteName', kind: 'text', label: 'Name of the website', isOptional: true, fact: 'websiteName' },
        {
          name: 'intermediate',
          kind: 'binary-file',
          label: 'Drop the intermediate certificate here',
          hint: 'Only if the .p12 file does not contain it.',
          accept: '.cer,.pem,.crt',
          isOptional: true,
        },
      ],
    },
  ],
}
