import { AppWindow, BellRing, File, Filter, type IconNode, Link2, Smartphone, UserRound } from 'lucide'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { readWhole } from '../../api/whole.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { ORDER, vendorsOf } from '../../parts/platforms.ts'
import { allPages } from '../../state/page.ts'
import { navigate } from '../../state/router.ts'
import { apps, currentApp, may } from '../../state/session.ts'

/** A place to go to. */
interface Place {
  label: string
  kind: string
  icon: IconNode
  path: string
}

/** Places of each kind that are offered. */
const MOST = 5

/** Pages that the navigation has no entry for, by their address. */
const FURTHER: Readonly<Record<string, string>> = {
  '/account': 'Your account',
  '/new-app': 'New app',
  '/apps/:appId/banners/new': 'New banner',
  '/apps/:appId/channels/new': 'New channel',
  '/apps/:appId/geofences/new': 'New geofence',
  '/apps/:appId/in-app/new': 'New in-app message',
  '/apps/:appId/links/new': 'New link',
  '/apps/:appId/links/settings': 'Link settings',
  '/apps/:appId/push-templates/+new': 'New push template',
  '/apps/:appId/segments/new': 'New segment',
  '/apps/:appId/tables/new': 'New table',
  '/apps/:appId/users/import': 'Import users',
}
/** Other words for what a page is about, by its label. */
const ALSO: Readonly<Record<string, string>> = {
  'Compose a push': 'new send notification campaign',
  Delivery: 'sent campaigns pushes reports scheduled',
  Rules: 'quiet hours caps limits purposes consent suppression list',
  Users: 'people contacts profiles customers',
  Segments: 'audiences filters',
  Channels: 'topics subscribers lists',
  Gateways: `apns fcm firebase web credentials ${vendorsOf(ORDER).toLowerCase()}`,
  Keys: 'api tokens secrets',
  Webhooks: 'callbacks hooks',
  Events: 'stream log',
  'App settings': 'time zone icon name delete',
  Health: 'doctor log server settings',
  Operating: 'backups charts load alarms disk',
  People: 'invite team roles admins',
  'Audit log': 'history who',
  'Your account': 'password passkeys tokens sign-in',
}

/** Goes to a page, an app, a notification or a user, which people name by a word or a number. */
export default function Palette({ onClose }: { onClose(): void }) {
  const segments = useRef<Promise<Place[]> | undefined>(undefined)
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <Combobox<Place>
          label="Page, app, notification or user"
          hint="A word, the name of a segment or link, the number of a notification, or the beginning of a user id."
          isOpenAtOnce
          find={async (text, signal) => {
            const word = text.trim().toLowerCase()
            const appId = currentApp.peek()?.id
            const near = [...pagesWith(word, appId), ...appsWith(word)]
            if (appId === undefined || word === '') return near
            const found = await Promise.all([
              notificationsWith(appId, word, signal),
              (segments.current ??= segmentsOf(appId)).then((all) => withWord(all, word)),
              linksWith(appId, text.trim(), signal),
              usersWith(appId, text.trim(), signal),
            ])
            return [...near, ...found.flat()]
          }}
          keyOf={({ path }) => path}
          show={({ label, kind, icon }) => (
            <span class="row">
              <Icon of={icon} size="small" />
              <span class="user-name">{label}</span>
              <span class="quiet small-text">{kind}</span>
            </span>
          )}
          onChoose={({ path }) => {
            onClose()
            navigate(path)
          }}
        />
      </div>
    </Dialog>
  )
}

function pagesWith(word: string, appId: number | undefined): Place[] {
  return allPages.peek().flatMap(({ path, right, nav }) => {
    const label = nav?.label ?? (word === '' ? undefined : FURTHER[path])
    if (label === undefined || right === 'nobody') return []
    const isFound = label.toLowerCase().includes(word) || ` ${ALSO[label] ?? ''}`.includes(` ${word}`)
    const isOfApp = path.includes(':appId')
    if (!isFound || (isOfApp ? appId === undefined || !may(right, appId) : !may(right))) return []
    return { label, kind: 'page', icon: nav?.icon ?? File, path: path.replace(':appId', String(appId)) }
  })
}

/** All segments, which the interface does not search: read once, when somebody types. */
async function segmentsOf(appId: number): Promise<Place[]> {
  const all = await readWhole(async (after) => {
    const query = { limit: 1000, after }
    const { segments: items, next } = await api.get('/admin/v1/apps/{appId}/segments', { path: { appId }, query })
    return { items, next }
  })
  return all.map(({ id, name }) => ({
    label: name,
    kind: 'segment',
    icon: Filter,
    path: `/apps/${appId}/segments/${id}`,
  }))
}

const withWord = (all: readonly Place[], word: string): Place[] =>
  all.filter(({ label }) => label.toLowerCase().includes(word)).slice(0, MOST)

async function linksWith(appId: number, q: string, signal: AbortSignal): Promise<Place[]> {
  const { items } = await api.get('/admin/v1/apps/{appId}/link-search', { path: { appId }, query: { q }, signal })
  return items.map(({ id, slug, content }) => ({
    label: content.title || slug,
    kind: 'link',
    icon: Link2,
    path: `/apps/${appId}/links/${id}`,
  }))
}

function appsWith(word: string): Place[] {
  return (apps.peek() ?? [])
    .filter(({ id, name }) => word !== '' && (name.toLowerCase().includes(word) || String(id) === word))
    .slice(0, MOST)
    .map(({ id, name }) => ({ label: name, kind: 'app', icon: AppWindow, path: `/apps/${id}` }))
}

async function notificationsWith(appId: number, word: string, signal: AbortSignal): Promise<Place[]> {
  const { items } = await api.get('/admin/v1/apps/{appId}/deliveries', {
    path: { appId },
    query: { q: word, limit: MOST },
    signal,
  })
  const found = items.map(({ id, title }) => ({ id, label: title, kind: `notification ${id}` }))
  const named = /^\d{1,15}$/.test(word) ? [{ id: Number(word), label: `Notification ${word}`, kind: 'by number' }] : []
  return [...named, ...found.filter(({ id }) => String(id) !== word)].map(({ id, ...said }) => ({
    ...said,
    icon: BellRing,
    path: `/apps/${appId}/delivery/${id}`,
  }))
}

async function usersWith(appId: number, q: string, signal: AbortSignal): Promise<Place[]> {
  const { items } = await api.get('/admin/v1/apps/{appId}/profiles/suggestions', {
    path: { appId },
    query: { q },
    signal,
  })
  return items.flatMap(({ kind, id, identifier, installId }) =>
    kind === 'attribute'
      ? []
      : {
          label: identifier ?? installId ?? '',
          kind,
          icon: kind === 'user' ? UserRound : Smartphone,
          path: `/apps/${appId}/users/${id}`,
        },
  )
}
