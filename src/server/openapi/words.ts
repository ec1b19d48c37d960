import { ADMIN } from './words/admin.ts'
import { ADMIN_AUDIENCE } from './words/admin-audience.ts'
import { ADMIN_COMPOSE } from './words/admin-compose.ts'
import { ADMIN_DELIVERIES } from './words/admin-deliveries.ts'
import { ADMIN_GATEWAYS } from './words/admin-gateways.ts'
import { ADMIN_HEALTH } from './words/admin-health.ts'
import { ADMIN_LINKS } from './words/admin-links.ts'
import { ADMIN_PLACES } from './words/admin-places.ts'
import { ADMIN_USERS } from './words/admin-users.ts'
import { AUDIENCE } from './words/audience.ts'
import { CONSENT } from './words/consent.ts'
import { DATA } from './words/data.ts'
import { DEVICES } from './words/devices.ts'
import { EVENTS } from './words/events.ts'
import { EVERYWHERE } from './words/everywhere.ts'
import { IN_APP } from './words/in-app.ts'
import { LINKS } from './words/links.ts'
import { METRICS } from './words/metrics.ts'
import { NOTIFICATIONS } from './words/notifications.ts'
import { PICTURES } from './words/pictures.ts'
import { PUSH } from './words/push.ts'
import { PUSH_TEMPLATES } from './words/push-templates.ts'
import type { Words } from './words/types.ts'
import { USERS } from './words/users.ts'
import { WEBHOOKS } from './words/webhooks.ts'

const ALL: readonly Words[] = [
  EVERYWHERE,
  EVENTS,
  METRICS,
  USERS,
  CONSENT,
  AUDIENCE,
  ADMIN_AUDIENCE,
  NOTIFICATIONS,
  IN_APP,
  LINKS,
  DATA,
  PUSH,
  PUSH_TEMPLATES,
  PICTURES,
  WEBHOOKS,
  DEVICES,
  ADMIN,
  ADMIN_USERS,
  ADMIN_HEALTH,
  ADMIN_DELIVERIES,
  ADMIN_GATEWAYS,
  ADMIN_LINKS,
  ADMIN_PLACES,
  ADMIN_COMPOSE,
]

export const SCHEMAS = merged(ALL.map(({ schemas }) => schemas))
export const FIELDS = merged(ALL.map(({ fields }) => fields))
export const PARAMETERS = merged(ALL.map(({ parameters }) => parameters))

/** Throws when two files have an entry of the same name: one of them would never be read. */
function merged<T>(parts: readonly (Record<string, T> | undefined)[]): Readonly<Record<string, T>> {
  const entries = parts.flatMap((part) => Object.entries(part ?? {}))
  const all = Object.fromEntries(entries)
  if (Object.keys(all).length < entries.length) {
    const twice = entries.map(([name]) => name).filter((name, i, names) => names.indexOf(name) !== i)
    throw new Error(`described twice: ${twice.join(', ')}`)
  }
  return all
}
