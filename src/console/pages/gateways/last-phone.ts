import { signal } from '@preact/signals'

/** The sandbox phone that was registered last, so that the test push is addressed to it. */
export const lastPhone = signal<{ appId: number; installId: string; name: string } | undefined>(undefined)
