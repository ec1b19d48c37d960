import { signal, useSignal } from '@preact/signals'
import {
  BookOpen,
  ChevronsUpDown,
  CircleUserRound,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Search,
  Sparkles,
  Sun,
} from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { messageOf } from '../api/errors.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu, type MenuItem, toast } from '../parts/overlays.tsx'
import { ownPicture } from '../parts/picture-address.ts'
import { ROUTES } from '../routes.ts'
import { type Overlay, overlay } from '../state/overlay.ts'
import { NAV_GROUPS, type NavGroup, type PageRoute } from '../state/page.ts'
import { fit, href, place } from '../state/router.ts'
import { type AppItem, apps, currentApp, may, session, signOut } from '../state/session.ts'
import { type Theme, theme } from '../state/theme.ts'

/** True while the navigation is drawn over the page, on small screens. */
export const isDrawerOpen = signal(false)

/** The column with the app, the pages and the person. */
export function Side() {
  const appId = currentApp.value?.id
  const shown = ROUTES.filter((route) => isShown(route, appId))
  return (
    <div class="side">
      <div class="side-head">
        <AppSwitcher />
      </div>
      <nav class="nav" aria-label="Pages">
        {(Object.keys(NAV_GROUPS) as NavGroup[]).map((group) => (
          <Group
            key={group}
            title={NAV_GROUPS[group]}
            routes={shown.filter(({ nav }) => nav!.group === group)}
            appId={appId}
          />
        ))}
      </nav>
      <div class="side-foot">
        <PersonMenu />
      </div>
    </div>
  )
}

/** A page of an app needs an app, and the right in it. */
function isShown({ path, nav, right }: PageRoute, appId: number | undefined): boolean {
  if (!nav || right === 'nobody') return false
  const isOfApp = path.includes(':appId')
  return isOfApp ? appId !== undefined && may(right, appId) : may(right)
}

/** Scrolls the current entry into sight: on a small window the list is longer than its place. */
function showCurrent(link: HTMLAnchorElement | null): void {
  link?.scrollIntoView({ block: 'nearest' })
}

function Group({ title, routes, appId }: { title: string; routes: readonly PageRoute[]; appId: number | undefined }) {
  if (routes.length === 0) return null
  return (
    <div class="nav-group">
      {title !== '' && <div class="nav-title">{title}</div>}
      <ul>
        {routes.map(({ path, nav }) => {
          const to = path.replace(':appId', String(appId))
          const isCurrent = isWithin(to)
          return (
            <li key={path}>
              <a
                ref={isCurrent ? showCurrent : null}
                class="nav-link"
                href={href(to)}
                aria-current={isCurrent ? 'page' : undefined}
                onClick={() => (isDrawerOpen.value = false)}
              >
                <Icon of={nav!.icon} />
                {nav!.label}
              </a>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/**
 * The longest entry that leads to the current address is marked: `/apps/1/users` for `/apps/1/users/7`, and `/apps/1/push/new` for
 * `/apps/1/push/approvals`. At an address without a page none is.
 */
function isWithin(to: string): boolean {
  const leads = (entry: string) => `${place.value.path}/`.startsWith(entry.replace(/new$/, '').replace(/\/?$/, '/'))
  const appId = currentApp.value?.id
  return (
    leads(to) &&
    ROUTES.some(({ path }) => fit(path, place.value.path)) &&
    !ROUTES.some(({ path: pattern, nav }) => {
      const other = pattern.replace(':appId', String(appId))
      return nav && other.length > to.length && leads(other)
    })
  )
}

function AppSwitcher() {
  const now = currentApp.value
  const all = apps.value ?? []
  const items: MenuItem[] = all.map(({ id, name, iconUrl }) => ({
    label: name,
    mark: all.some((app) => app.iconUrl) && <Mark name={name} iconUrl={iconUrl} />,
    href: href(`/apps/${id}`),
    isOn: id === now?.id,
  }))
  if (may('own')) items.push({ label: 'New app', icon: Plus, href: href('/new-app'), isApart: all.length > 0 })
  return (
    <Menu
      label="Switch the app"
      items={items}
      look="switcher"
      button={
        <>
          <Mark name={now?.name ?? 'appsvc'} iconUrl={now?.iconUrl ?? null} />
          <span class="switcher-text">
            <strong>{now?.name ?? 'No app yet'}</strong>
            <span>{all.length > 1 ? `${all.length} apps` : 'appsvc'}</span>
          </span>
          <Icon of={ChevronsUpDown} size="small" />
        </>
      }
    />
  )
}

/** The icon of an app, or the initials of its name. */
function Mark({ name, iconUrl }: Pick<AppItem, 'name' | 'iconUrl'>) {
  // A picture that cannot be read leaves the initials.
  const broken = useSignal('')
  const picture = ownPicture(iconUrl ?? '') ?? ''
  const isPicture = picture !== broken.value && picture !== ''
  return (
    <span class={isPicture ? 'mark plain' : 'mark'} aria-hidden="true">
      {isPicture ? <img src={picture} alt="" onError={() => void (broken.value = picture)} /> : initialsOf(name)}
    </span>
  )
}

/** Opens a dialog of the frame, from the navigation of a phone as well. */
function open(which: Overlay): void {
  isDrawerOpen.value = false
  overlay.value = which
}

function PersonMenu() {
  const person = session.value?.person
  if (!person) return null
  const leave = () => {
    signOut().catch((error: unknown) => toast(messageOf(error)))
  }
  return (
    <Menu
      label="You, and how it looks"
      look="switcher"
      items={[
        { label: 'Your account', icon: CircleUserRound, href: href('/account') },
        ...THEMES.map(({ name, label, icon }, i) => ({
          label,
          icon,
          isOn: theme.value === name,
          isApart: i === 0,
          run: () => void (theme.value = name),
        })),
        { label: 'Go to …', icon: Search, isApart: true, keys: 'Ctrl K', run: () => open('palette') },
        { label: 'Keys', icon: Keyboard, keys: '?', run: () => open('keys') },
        { label: 'Documentation', icon: BookOpen, href: '/docs' },
        { label: `What is new in ${APPSVC_VERSION}`, icon: Sparkles, run: () => open('news') },
        { label: 'Sign out', icon: LogOut, isApart: true, run: leave },
      ]}
      button={
        <>
          <span class="mark plain" aria-hidden="true">
            {initialsOf(person.name || person.email)}
          </span>
          <span class="switcher-text">
            <strong>{person.name || person.email}</strong>
            <span>{person.email}</span>
          </span>
          <Icon of={ChevronsUpDown} size="small" />
        </>
      }
    />
  )
}

const THEMES: readonly { name: Theme; label: string; icon: typeof Sun }[] = [
  { name: 'auto', label: 'As the system', icon: Monitor },
  { name: 'light', label: 'Light', icon: Sun },
  { name: 'dark', label: 'Dark', icon: Moon },
]

function initialsOf(name: string): string {
  const words = name
    .trim()
    .split(/[\s.@_-]+/)
    .filter(Boolean)
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toUpperCase())
    .join('')
}

/** The navigation of small screens. */
export function Drawer() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(
    () =>
      isDrawerOpen.subscribe((isOpen) => {
        if (isOpen) dialog.current?.showModal()
        else if (dialog.current?.open) dialog.current.close()
      }),
    [],
  )
  // Another page is another view: what covered the last one goes.
  useEffect(() => place.subscribe(() => void (isDrawerOpen.value = false)), [])
  return (
    <dialog
      ref={dialog}
      class="drawer"
      aria-label="Navigation"
      onClose={() => (isDrawerOpen.value = false)}
      onPointerDown={(event) => {
        if (event.target === dialog.current) isDrawerOpen.value = false
      }}
    >
      {isDrawerOpen.value && <Side />}
    </dialog>
  )
}
