import type { NewLink } from '../../src/domain/links/types.ts'

/** A link with what is required and what the test says. */
export function newLink(given: Partial<NewLink> = {}): NewLink {
  return {
    linkData: {},
    desktopWebFallbackUrl: 'https://example.com/desktop',
    mobileWebFallbackUrl: 'https://example.com/mobile',
    ...given,
  }
}
