import { computed, signal } from '@preact/signals'

/** Path of the console on its host. */
const BASE = '/console'

interface Place {
  /** Path below `/console`, always with a slash at the front and none at the end: `/apps/1/users`. */
  path: string
  search: string
  hash: string
}

const read = (): Place => {
  const path = location.pathname.slice(BASE.length).replace(/\/+$/, '')
  return { path: path === '' ? '/' : path, search: location.search, hash: location.hash }
}

/** The current address. */
export const place = signal<Place>(read())

/** Parameters of the query of the current address. */
export const query = computed(() => new URLSearchParams(place.value.search))

/** `/apps/1` -> `/console/apps/1`, for `href`. */
export function href(path: string): string {
  return BASE + path
}

/** Asks whether people leave the page; they do once it calls `go`. */
type Ask = (go: () => void) => void
let holding: Ask | undefined

/**
 * Keeps people on the page until they have answered: links, the buttons of the browser and closing the window ask first. Returns what
 * ends it. The browser asks in its own words before a window closes.
 */
export function holdPage(ask: Ask): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  holding = ask
  addEventListener('beforeunload', warn)
  return () => {
    if (holding === ask) holding = undefined
    removeEventListener('beforeunload', warn)
  }
}

/** Goes to an address of the console, such as `/apps/1/users?after=7`. */
export function navigate(path: string, { replace = false } = {}): void {
  const ask = holding
  if (ask && new URL(href(path), location.origin).pathname !== location.pathname) {
    return ask(() => {
      holding = undefined
      navigate(path, { replace })
    })
  }
  history[replace ? 'replaceState' : 'pushState'](null, '', href(path))
  const before = place.peek().path
  place.value = read()
  if (place.peek().path !== before) scrollTo(0, 0)
}

/** Changes parameters of the query in place: `undefined` or an empty text removes one. */
export function setQuery(changes: Record<string, string | undefined>): void {
  const next = new URLSearchParams(place.peek().search)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.toString()
  navigate(place.peek().path + (text === '' ? '' : `?${text}`), { replace: true })
}

/** Reads the address that a pattern such as `/apps/:appId/users/:userId` fits; undefined when it does not. */
export function fit(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const text = given[i]!
    if (part.startsWith(':')) {
      try {
        params[part.slice(1)] = decodeURIComponent(text)
      } catch {
        return undefined
      }
    } else if (part !== text) return undefined
  }
  return params
}

/** Follows links within the console without loading the page again, and the buttons of the browser. */
export function startRouter(): void {
  addEventListener('popstate', () => {
    const wanted = read()
    const now = place.peek()
    if (!holding || wanted.path === now.path) return void (place.value = wanted)
    // The browser has left already: back to the page that is held.
    history.pushState(null, '', href(now.path + now.search + now.hash))
    navigate(wanted.path + wanted.search + wanted.hash)
  })
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return
    const link = (event.target as Element).closest?.('a')
    if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return
    if (link.pathname !== BASE && !link.pathname.startsWith(`${BASE}/`)) return
    // An address within this page: the browser scrolls there.
    if (link.hash !== '' && link.pathname === location.pathname && link.search === location.search) return
    event.preventDefault()
    navigate(link.pathname.slice(BASE.length) + link.search + link.hash)
  })
}
