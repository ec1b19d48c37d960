import { signal } from '@preact/signals'

const EVERY_MS = 20_000

/** The time, for what shows how long ago something was; it moves on three times a minute. */
export const now = signal(Date.now())

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, EVERY_MS)
