import { computed, effect, signal } from '@preact/signals'
import { type Asked, api, call } from '../api/client.ts'
import { dropDrafts, ownDrafts } from '../api/drafts.ts'
import { ApiError } from '../api/errors.ts'
import { ownZone } from './app-zone.ts'
import { fit, place } from './router.ts'

/** A right of a person; `self` belongs to everybody who is signed in. */
export type Right = 'self' | 'see' | 'campaign' | 'operate' | 'own'

/** The signed-in person with roles and rights, as in `GET /admin/v1/session`. */
export interface Session {
  person: { id: number; email: string; name: string; hasPassword: boolean; hasTotp: boolean; passkeys: number }
  roles: { appId: number | null; role: string }[]
  rights: { server: string[]; apps: Record<string, string[]> }
  /** The instant until which "confirm it is you" is not asked again; null when it would be now. */
  freshUntil: string | null
  expires: string
}

/** Facts about the server that need no sign-in. */
export interface ServerState {
  /** True while there is no admin. */
  setup: boolean
  passkeys: boolean
  baseUrl: string
}

/** An app that the person has a role in. */
export interface AppItem {
  id: number
  name: string
  timezone: string | null
  iconUrl: string | null
}

/** undefined: not known yet; null: nobody is signed in. */
export const session = signal<Session | null | undefined>(undefined)
export const serverState = signal<ServerState | undefined>(undefined)
/** The apps of the person, by name; undefined while they are read. */
export const apps = signal<AppItem[] | undefined>(undefined)
/** The session ended by itself, so that the sign-in page says so. */
export const hasExpired = signal(false)

const LAST_APP = 'appsvc.app'

/** The app of the current address, or the one that was open last, or the first. Undefined when there is none. */
export const currentApp = computed<AppItem | undefined>(() => {
  const all = apps.value ?? []
  const given = /^\/apps\/([^/]+)/.exec(place.value.path)?.[1]
  const wanted = given ?? localStorage.getItem(LAST_APP)
  return all.find(({ id }) => String(id) === wanted) ?? (given === undefined ? all[0] : undefined)
})

effect(() => void (ownZone.value = currentApp.value?.timezone ?? null))

/** Tells whether the person has a right: in that app, or server-wide without one. */
export function may(right: Right, appId?: number | string): boolean {
  const now = session.value
  if (!now) return false
  if (right === 'self') return true
  if (now.rights.server.includes(right)) return true
  return appId !== undefined && (now.rights.apps[String(appId)] ?? []).includes(right)
}

/** Tells whether an app has the name; not where it is that of `itself`. */
export function isTaken(name: unknown, itself?: string): boolean {
  const wanted = String(name).trim()
  return wanted !== itself && (apps.value?.some((app) => app.name === wanted) ?? false)
}

/** Reads the apps of the person again, after one was made, changed or deleted. */
export async function readApps(): Promise<void> {
  const { items } = (await call('get', '/admin/v1/apps')) as { items: AppItem[] }
  apps.value = items.toSorted((a, b) => a.name.localeCompare(b.name))
}

/**
 * A call that names an app. A name that only the server knows to be taken is said beside its field, and the apps are read again, so that
 * the form asks for the consent.
 */
export const withName = <A>(call: Asked<A>, name: unknown): Asked<A> => ({
  ...call,
  async send() {
    try {
      return await call.send()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
      await readApps()
      if (!isTaken(name)) throw error
      throw new ApiError(409, '', '', {
        name: 'Another app has this name by now: choose another one, or tick the box below.',
      })
    }
  },
})

/** Takes the answer of a sign-in. */
export async function enter(answer: Session): Promise<void> {
  hasExpired.value = false
  apps.value = undefined
  ownDrafts(answer.person.id)
  session.value = answer
  await readApps()
}

/** Reads who is signed in, and what strangers may know. Throws when the server cannot be reached. */
export async function start(): Promise<void> {
  serverState.value = (await call('get', '/admin/v1/state')) as ServerState
  try {
    await enter((await call('get', '/admin/v1/session')) as Session)
    rememberApp()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error
    hasExpired.value = false
    session.value = null
  }
}

/** Reads the session again, after what it shows has changed. */
export async function refresh(): Promise<void> {
  session.value = (await call('get', '/admin/v1/session')) as Session
}

/** Ends the session here, because the server has ended it. Typed text stays in the drafts. */
export function expire(): void {
  if (!session.peek()) return
  hasExpired.value = true
  session.value = null
  apps.value = undefined
}

export async function signOut(): Promise<void> {
  await api.delete('/admin/v1/session')
  dropDrafts()
  session.value = null
  apps.value = undefined
}

/** Keeps the app of the current address for the next visit. */
function rememberApp(): void {
  place.subscribe(({ path }) => {
    const appId = /^\/apps\/(\d+)/.exec(path)?.[1]
    if (appId !== undefined && fit('/apps/:appId', `/apps/${appId}`)) localStorage.setItem(LAST_APP, appId)
  })
}
