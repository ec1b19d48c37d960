import type { Answer } from '../../api/client.ts'

export type Gateway = Answer<'/admin/v1/apps/{appId}/gateway-states'>['items'][number]
export type Guide = Answer<'/admin/v1/apps/{appId}/gateways/{platform}'>
export type Way = Guide['ways'][number]
export type Field = Way['fields'][number]
export type Fact = Gateway['facts'][number]
export type Platform = Gateway['platform']

type Tone = 'good' | 'warn' | 'bad' | 'quiet'

/** The state in a word, and its colour. */
export const STATES: Readonly<Record<Gateway['state'], { word: string; tone: Tone }>> = {
  missing: { word: 'Not set up', tone: 'quiet' },
  ready: { word: 'Ready', tone: 'good' },
  held: { word: 'Paused', tone: 'bad' },
  cannot_send: { word: 'Cannot send', tone: 'bad' },
  expiring: { word: 'Ends soon', tone: 'warn' },
  expired: { word: 'Expired', tone: 'bad' },
}

/** Facts in words of people; others have the word of the interface. */
const LABELS: Readonly<Record<string, string>> = {
  kind: 'Credential',
  mode: 'Environment',
  topic: 'Bundle id',
  topics: 'Topics',
  environments: 'Works in',
  keyId: 'Key id',
  teamId: 'Team',
  subject: 'Subject',
  critical: 'Critical alerts',
  projectId: 'Project',
  clientEmail: 'Account',
  privateKeyId: 'Key id',
  publicKey: 'VAPID public key',
  keys: 'Keys in use',
  iconUrl: 'Icon',
  appId: 'App ID',
}
const VALUES: Readonly<Record<string, string>> = {
  serviceAccount: 'Service account',
  serverKey: 'Legacy server key',
  certificate: 'Certificate',
  key: 'Signing key',
  true: 'Yes',
  false: 'No',
}

export const labelOf = ({ name, label }: Fact): string => LABELS[name] ?? label.charAt(0).toUpperCase() + label.slice(1)
export const valuesOf = ({ name, values }: Fact): string =>
  values.map((value) => (name === 'kind' || name === 'critical' ? (VALUES[value] ?? value) : value)).join(', ')

/** Facts that many cards do not need. */
export const isMinor = ({ name }: Fact): boolean =>
  ['environments', 'topics', 'keys', 'kind', 'privateKeyId', 'subject'].includes(name)
