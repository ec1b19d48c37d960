import { signal } from '@preact/signals'

/** A dialog of the frame, above whatever page is open. */
export type Overlay = 'keys' | 'palette' | 'news'

/** The one that is open. */
export const overlay = signal<Overlay | undefined>(undefined)
