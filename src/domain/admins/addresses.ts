import type { LinkKind } from './links.repository.ts'

/** The page of the console for each kind of one-time link. */
const PAGES: Readonly<Record<LinkKind, string>> = { setup: 'setup', invitation: 'link', reset: 'link', demo: 'link' }

/**
 * A one-time link of the console below `base`, the address of the server. The token is behind the `#`, so that neither proxies nor
 * logs get it.
 */
export function oneTimeAddress(base: string, kind: LinkKind, token: string): string {
  return `${base}/console/${PAGES[kind]}#token=${token}`
}
