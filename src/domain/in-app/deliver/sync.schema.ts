import { documented, shape, text } from '../../../platform/values/parse.ts'

/** Query of a device's sync; `readAfter` reads it. */
export const syncedMessages = shape({
  after: documented(text({ max: 64 }), {
    description: 'A time such as 2026-11-21T09:30:00Z: what changed since, and a little before',
  }),
})
