import type { GatewayGuide, GuideField } from '../guide.ts'

const MODE: GuideField = {
  name: 'mode',
  kind: 'choice',
  label: 'Environment',
  hint: 'Development builds are sent to through Apple’s sandbox by themselves.',
  options: [
    { value: 'production', label: 'Production: App Store and TestFlight' },
    { value: 'sandbox', label: 'Sandbox: a test app only' },
  ],
  fact: 'mode',
}
const CRITICAL: GuideField = {
  name: 'critical',
  kind: 'switch',
  label: 'The app has Apple’s entitlement for critical alerts',
  hint: 'Such alerts sound although the phone is muted.',
  isOptional: true,
  fact: 'critical',
}

export const guide: GatewayGuide = {
  name: 'Apple',
  reaches: 'iPhone, iPad and other Apple devices, through APNs',
  ways: [
    {
      name: 'key',
      label: 'Signing key (.p8)',
      about: 'Recommended. It does not expire and works for all apps of your team.',
      steps: [
        {
          text: 'Sign in at Apple, open Certificates, Identifiers & Profiles, then Keys, and press +.',
          url: 'https://developer.apple.com/account/resources/authkeys/list',
        },
        {
          text: 'Name the key, tick Apple Push Notifications service (APNs), press Configure and choose Sandbox & Production and Team Scoped. Continue, then Register.',
        },
        { text: 'Download AuthKey_….p8. Apple lets you do this once: keep a copy in a safe place.' },
        { text: 'Find the team id under Membership details, and the bundle id of the app under Identifiers.' },
      ],
      fields: [
        { name: 'p8', kind: 'text-file', label: 'Drop AuthKey_….p8 here', accept: '.p8' },
        {
          name: 'keyId',
          kind: 'text',
          label: 'Key id',
          hint: 'Ten characters: they stand in the name of the file.',
          fromFileName: 'AuthKey_([A-Z0-9]{10})',
        },
        { name: 'teamId', kind: 'text', label: 'Team id', hint: 'Ten characters.', fact: 'teamId' },
        { name: 'topic', kind: 'text', label: 'Bundle id', hint: 'Such as com.example.app.', fact: 'topic' },
        MODE,
        CRITICAL,
      ],
    },
    {
      name: 'certificate',
      label: 'Certificate (.p12)',
      about: 'For one app. It ends after a year.',
      steps: [
        {
          text: 'On a Mac, in Keychain Access, choose Certificate Assistant, Request a Certificate From a Certificate Authority, and save it to disk.',
        },
        {
          text: 'At Apple, under Certificates, press +, choose Apple Push Notification service SSL (Sandbox & Production), pick the app and upload the request.',
          url: 'https://developer.apple.com/account/resources/certificates/list',
        },
        {
          text: 'Download the certificate and open it. In Keychain Access, under My Certificates, select it together with its key, and export it as .p12 with a password.',
        },
      ],
      fields: [
        { name: 'p12', kind: 'binary-file', label: 'Drop the .p12 file here', accept: '.p12,.pfx' },
        { name: 'password', kind: 'secret', label: 'Password of the file', isOptional: true },
        MODE,
        CRITICAL,
      ],
    },
  ],
}
