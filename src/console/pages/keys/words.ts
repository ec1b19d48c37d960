import type { Answer, Body } from '../../api/client.ts'

export const KEYS = '/admin/v1/apps/{appId}/keys'
export type OwnKey = Answer<typeof KEYS>['own'][number]
export type IssuedKey = Answer<typeof KEYS>['issued'][number]
export type NewKey = Body<typeof KEYS, 'post'>
type Scope = NewKey['scope'][number]

/** The keys of an app itself. */
export const OWN: Readonly<Record<OwnKey['kind'], { name: string; about: string }>> = {
  api: { name: 'API key', about: 'Names the app in every call. It is public.' },
  secret: { name: 'secret key', about: 'Compiled into your apps and pages: they report with it.' },
  server: { name: 'server key', about: 'For your own servers. It may do everything.' },
  signing: { name: 'signing key', about: 'Your servers sign users with it. Never put it into an app.' },
}

export const SCOPES: Readonly<Record<NewKey['kind'], readonly { value: Scope; label: string; about: string }[]>> = {
  server: [
    { value: 'send', label: 'Send', about: 'Send and cancel notifications and in-app messages.' },
    { value: 'read', label: 'Read', about: 'What was sent, its results, and settings.' },
    { value: 'crm', label: 'Users', about: 'Read and change users and subscriptions.' },
    { value: 'admin', label: 'Settings', about: 'Gateways, channels, segments, templates, links.' },
  ],
  rest: [
    { value: 'create', label: 'Create', about: 'Add records to data tables.' },
    { value: 'read', label: 'Read', about: 'Read records.' },
    { value: 'update', label: 'Update', about: 'Change records.' },
    { value: 'delete', label: 'Delete', about: 'Delete records.' },
  ],
}

const HOUR_S = 3600
export const DAY_S = 86_400

const WEEK = { value: String(7 * DAY_S), label: 'A week' }
const SLOWLY = { value: String(90 * DAY_S), label: '90 days: people update their apps slowly' }
const YEAR = { value: String(365 * DAY_S), label: 'A year' }
const AT_ONCE = { value: '0', label: 'Not at all: it ends now' }

/** Times for which a replaced key goes on working; the usual one of each kind first. */
export const GRACES: Readonly<Record<OwnKey['kind'], readonly { value: string; label: string }[]>> = {
  server: [{ value: String(DAY_S), label: 'A day' }, { value: String(HOUR_S), label: 'An hour' }, WEEK, AT_ONCE],
  secret: [SLOWLY, YEAR, WEEK, AT_ONCE],
  api: [SLOWLY, YEAR, AT_ONCE],
  signing: [{ value: SLOWLY.value, label: '90 days' }, YEAR, AT_ONCE],
}
