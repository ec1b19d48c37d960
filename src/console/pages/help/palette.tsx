import { AppWindow, BellRing, type IconNode, Smartphone, UserRound } from 'lucide'
import { api } from '../../api/client.ts'
import { Combobox } from '../../parts/combobox.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Dialog } from '../../parts/overlays.tsx'
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

/** Goes to a page, an app, a notification or a user, which people name by a word or a number. */
export default function Palette({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="palette">
        <Combobox<Place>
          label="Page, app, notification or user"
          hint="A word, the number of a notification, or the beginning of a user id."
          find={async (text, signal) => {
            const word = text.trim().toLowerCase()
            const appId = currentApp.peek()?.id
            const near = [...pagesWith(word, appId), ...appsWith(word)]
            if (appId === undefined || word === '') return near
            const [pushes, users] = await Promise.all([
              notificationsWith(appId, word, signal),
              usersWith(appId, text.trim(), signal),
            ])
            return [...near, ...pushes, ...users]
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
    if (!nav || right === 'nobody' || !nav.label.toLowerCase().includes(word)) return []
    const isOfApp = path.includes(':appId')
    if (isOfApp ? appId === undefined || !may(right, appId) : !may(right)) return []
    return { label: nav.label, kind: 'page', icon: nav.icon, path: path.replace(':appId', String(appId)) }
  })
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
