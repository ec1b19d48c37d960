import { computed, effect, signal } from '@preact/signals'
import { Menu as MenuIcon, WifiOff } from 'lucide'
import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { awaitServer, connect, isOffline } from '../api/client.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { Toasts } from '../parts/overlays.tsx'
import { Failed, Note, Skeleton } from '../parts/surfaces.tsx'
import { DIALOGS, ROUTES } from '../routes.ts'
import { addShortcuts, focusSearch } from '../state/keys.ts'
import { overlay } from '../state/overlay.ts'
import { allPages, type PageProps, type PageRoute, pageTitle } from '../state/page.ts'
import { fit, navigate, place } from '../state/router.ts'
import { apps, currentApp, expire, may, serverState, session, start } from '../state/session.ts'
import { askToConfirm, ConfirmSignIn } from './confirm.tsx'
import { KeyMap } from './key-map.tsx'
import { Lazy } from './lazy.tsx'
import { Drawer, isDrawerOpen, Side } from './navigation.tsx'
import { NotAllowed, NotFound } from './not-found.tsx'

allPages.value = ROUTES

/** The page of the current address. */
const current = computed<{ route: PageRoute; params: Record<string, string> } | undefined>(() => {
  for (const route of ROUTES) {
    if (route.isHidden && !place.value.search.includes(route.path.slice(1))) continue
    const params = fit(route.path, place.value.path)
    if (params) return { route, params }
  }
  return undefined
})

const boot = signal<{ error: unknown } | undefined>(undefined)

function begin(): void {
  boot.value = undefined
  start().catch((error: unknown) => {
    boot.value = { error }
  })
}

/** Everything: the pages that need nobody, signing in, and the frame with its navigation. */
export function Shell() {
  useEffect(() => {
    connect({ confirm: askToConfirm, expired: expire })
    begin()
    const stopWaiting = awaitServer()
    const stopTitle = effect(() => {
      document.title = [pageTitle.value, currentApp.value?.name, 'appsvc'].filter(Boolean).join(' · ')
    })
    const dropKeys = addShortcuts([
      { keys: '?', says: 'Show these keys', run: () => (overlay.value = 'keys') },
      {
        keys: 'Ctrl+K',
        says: 'Go to a page, an app, a notification or a user',
        run: () => (overlay.value = 'palette'),
      },
      { keys: '/', says: 'Search on this page', run: focusSearch },
      ...ROUTES.flatMap(({ path, nav, right }) =>
        nav?.key === undefined || right === 'nobody'
          ? []
          : [{ keys: `g ${nav.key}`, says: `Go to ${nav.label}`, run: () => goTo(path) }],
      ),
    ])
    return () => {
      stopWaiting()
      stopTitle()
      dropKeys()
    }
  }, [])
  return (
    <>
      <Inner />
      {overlay.value === 'keys' && <KeyMap onClose={closeOverlay} />}
      {overlay.value === 'palette' && session.value != null && <Lazy load={DIALOGS.palette} onClose={closeOverlay} />}
      {overlay.value === 'news' && <Lazy load={DIALOGS.news} onClose={closeOverlay} />}
      <ConfirmSignIn />
      <Toasts />
    </>
  )
}

const closeOverlay = () => void (overlay.value = undefined)

function goTo(path: string): void {
  const appId = currentApp.peek()?.id
  if (!path.includes(':appId')) navigate(path)
  else if (appId !== undefined) navigate(path.replace(':appId', String(appId)))
}

function Inner() {
  const found = current.value
  if (boot.value) {
    return (
      <Door>
        <Failed error={boot.value.error} retry={begin} />
      </Door>
    )
  }
  if (session.value === undefined || serverState.value === undefined) return <Splash />
  if (found?.route.right === 'nobody') return <PageView {...found} />
  if (session.value === null) return <PageView key="sign-in" route={SIGN_IN} params={{}} />
  if (apps.value === undefined) return <Splash />
  return <Frame />
}

/** Shown at whatever address people came to, which they reach once they have signed in. */
const SIGN_IN: PageRoute = {
  path: '/sign-in',
  right: 'nobody',
  load: () => import('../pages/sign-in/sign-in.tsx'),
}

function Splash() {
  return (
    <div class="door" aria-busy="true">
      <span class="spinner" />
      <span class="hidden" role="status">
        Loading
      </span>
    </div>
  )
}

/** The sheet in the middle of pages without navigation. */
function Door({ children }: { children: preact.ComponentChildren }) {
  return (
    <main class="door" id="main">
      <div class="door-box">{children}</div>
    </main>
  )
}

function Frame() {
  const found = current.value
  const isAllowed = found !== undefined && found.route.right !== 'nobody' && isOpen(found.route.right, found.params)
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => skipTo(event)}>
        Skip to the content
      </a>
      {isOffline.value && (
        <div class="strip" role="status">
          <Icon of={WifiOff} size="small" />
          The server cannot be reached. What you see may be old.
        </div>
      )}
      <div class="shell">
        <header class="bar">
          <IconButton icon={MenuIcon} label="Open the navigation" onClick={() => (isDrawerOpen.value = true)} />
          <span class="bar-title">{currentApp.value?.name ?? 'appsvc'}</span>
        </header>
        <div class="side-column">
          <Side />
        </div>
        <main class="main" id="main" tabIndex={-1}>
          {found === undefined ? (
            <NotFound />
          ) : isAllowed ? (
            <PageView {...found} key={found.route.path + JSON.stringify(found.params)} />
          ) : (
            <NotAllowed />
          )}
        </main>
      </div>
      <Drawer />
    </>
  )
}

/** A missing app is told by its pages: it looks as if it did not exist. */
function isOpen(right: Exclude<PageRoute['right'], 'nobody'>, { appId }: Record<string, string>): boolean {
  if (appId !== undefined && apps.value?.every(({ id }) => String(id) !== appId)) return true
  return may(right, appId)
}

function skipTo(event: MouseEvent): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#main')?.focus()
}

const loadedPages = new Map<PageRoute, ComponentType<PageProps>>()
let isFirstPage = true

/** A page, once its script is here. The focus goes to its heading when people move from page to page. */
function PageView({ route, params }: { route: PageRoute; params: Record<string, string> }) {
  const page = useRef(signal<ComponentType<PageProps> | undefined>(loadedPages.get(route))).current
  const failed = useRef(signal<unknown>(undefined)).current
  const [broken, mend] = useErrorBoundary((error: unknown) => console.error(error))
  useEffect(() => {
    if (page.peek()) return
    route.load().then(
      ({ default: loaded }) => {
        loadedPages.set(route, loaded)
        page.value = loaded
      },
      (error: unknown) => {
        failed.value = error
      },
    )
  }, [])
  const Page = page.value
  useEffect(() => {
    if (!Page) return
    if (isFirstPage) {
      isFirstPage = false
      return
    }
    const heading = document.querySelector<HTMLElement>('main h1')
    if (!document.querySelector('main :focus, dialog[open]')) heading?.focus({ preventScroll: true })
  }, [Page])
  const isGone = 'appId' in params && apps.value?.every(({ id }) => String(id) !== params['appId'])
  if (isGone) return <NotFound />
  if (broken !== undefined) {
    return (
      <Note
        tone="bad"
        title="This page has failed."
        actions={
          <Button size="small" onClick={() => mend()}>
            Try again
          </Button>
        }
      >
        <p>{broken instanceof Error ? broken.message : String(broken)}</p>
      </Note>
    )
  }
  if (failed.value !== undefined) {
    return (
      <Note
        tone="warn"
        title="This page cannot be loaded: the server may have been updated."
        actions={
          <Button size="small" onClick={() => location.reload()}>
            Load the console again
          </Button>
        }
      />
    )
  }
  return Page ? <Page params={params} appId={Number(params['appId'] ?? 0)} /> : <PageSkeleton />
}

function PageSkeleton() {
  return (
    <div class="page">
      <Skeleton lines={6} />
    </div>
  )
}
