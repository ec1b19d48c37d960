import { signal } from '@preact/signals'

/** The time zone of the app of the page, by its name; null when it has none. Apart from the session, so that words about times need no page. */
export const ownZone = signal<string | null>(null)
