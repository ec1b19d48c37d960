import type { NewLink } from '../../src/domain/links/types.ts'

/** A link with the required fields and those of the test. */
export function newLink(given: Partial<NewLink> = {}): NewLink {
  return {
    linkData: {},
    desktopWebFallbackUrl: 'https://example.com/desktop',
    mobileWebFallbackUrl: 'https://example.com/mobile',
    ...given,
  }
}
