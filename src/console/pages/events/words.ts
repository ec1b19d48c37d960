import type { Answer } from '../../api/client.ts'
import { eventInWords, isOwnType } from '../../parts/event-words.ts'

export type LoggedEvent = Answer<'/admin/v1/apps/{appId}/events/latest'>['events'][number]

/** Kinds of event, from which people choose; each stands for some types. */
export const KINDS: Readonly<Record<string, { label: string; types: readonly string[] }>> = {
  opens: { label: 'Opens of pushes', types: ['k.message.opened', 'k.push.opened'] },
  sessions: { label: 'App opened and left', types: ['k.fg', 'k.bg'] },
  messages: {
    label: 'Arrivals and dismissals',
    types: ['k.message.delivered', 'k.message.dismissed', 'k.message.read', 'k.message.inbox.deleted'],
  },
  devices: {
    label: 'Devices and permissions',
    types: [
      'k.push.deviceRegistered',
      'k.push.deviceUnsubscribed',
      'k.push.notificationEnablementChanged',
      'k.inApp.statusUpdated',
      'install.unreachable',
    ],
  },
  users: {
    label: 'Sign-ins and new users',
    types: ['user.created', 'k.stats.userAssociated', 'k.stats.userAssociationCleared'],
  },
  sends: { label: 'Sends', types: ['notification.sent', 'notification.failed'] },
  links: { label: 'Links', types: ['link.created', 'link.clicked', 'link.matched'] },
  places: {
    label: 'Places',
    types: ['geofence.entered', 'geofence.left', 'k.engage.locationUpdated', 'k.engage.beaconEnteredProximity'],
  },
  crashes: { label: 'Crashes', types: ['k.crash.loggedException'] },
}

/** Choices of what the page shows, as they stand in the address. */
export interface Shown {
  /** A kind, or a type of the app's own. */
  kind: string
  user: string
  install: string
  q: string
}

/** The query of the interface for these choices. Of a user and an install the install is meant, which is of that user. */
export function queryOf({ kind, user, install, q }: Shown) {
  return {
    ...(kind !== '' && { types: (KINDS[kind]?.types ?? [kind]).join(',') }),
    ...(install !== '' ? { installId: install } : user !== '' && { userId: user }),
    ...(q !== '' && { q }),
  }
}

/** Tells whether an event that came is one of those shown; the interface has looked at its type. */
export function isShown({ uuid, userId, installId }: LoggedEvent, { user, install, q }: Shown): boolean {
  if (install !== '' ? installId !== install : user !== '' && userId !== user) return false
  return q === '' || [uuid, userId, installId].some((one) => one?.toLowerCase().includes(q.toLowerCase()))
}

const PUSH = 1
const IN_APP = 2

interface Target {
  label: string
  /** Path below the app. */
  path: string
}

/** A number that devices may have sent as text; anything else leads nowhere. */
const idIn = (value: unknown): string | undefined =>
  (typeof value === 'number' || typeof value === 'string') && /^\d+$/.test(`${value}`) ? `${value}` : undefined

/** Page of the thing that an event is about, where it has one. */
export function targetOf({ type, data }: Pick<LoggedEvent, 'type' | 'data'>): Target | undefined {
  const { id, notificationId, linkId, geofenceId, slug, name, type: kind } = data as Readonly<Record<string, unknown>>
  const to = (path: string, of: unknown, label: string, called?: unknown): Target | undefined => {
    const number = idIn(of)
    if (number === undefined) return undefined
    return { label: `${label} ${typeof called === 'string' ? called : number}`, path: `${path}/${number}` }
  }
  if (type === 'k.push.opened' || (type.startsWith('k.message.') && kind === PUSH))
    return to('delivery', id, 'notification')
  if (type.startsWith('k.message.') && kind === IN_APP) return to('in-app', id, 'in-app message')
  if (type.startsWith('notification.')) return to('delivery', notificationId, 'notification')
  if (type.startsWith('link.')) return to('links', linkId, 'link', slug)
  if (type.startsWith('geofence.')) return to('geofences', geofenceId, 'geofence', name)
  return undefined
}

/** "opened a push", behind the name of who did it; with nobody "A push was sent". */
export function sayingOf({ type, userId }: Pick<LoggedEvent, 'type' | 'userId'>): { who: string; says: string } {
  if (isOwnType(type)) return userId === null ? { who: '', says: `Event ${type}` } : { who: userId, says: type }
  const text = eventInWords(type)
  if (userId === null || /^(?:A|Event) /.test(text)) return { who: '', says: text }
  return { who: userId, says: text.charAt(0).toLowerCase() + text.slice(1) }
}
