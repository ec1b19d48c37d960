import type { App, StartOptions } from './api.ts'
import { createChannels, createConsent, createLinks } from './calls.ts'
import { warn } from './device.ts'
import { createInApp } from './in-app.ts'
import { createPage } from './page.ts'
import { createPrompts } from './prompts/prompts.ts'
import { createPush } from './push.ts'
import { createUser } from './user.ts'

/** Puts the client of a page together. */
export function start(given: StartOptions, version: string): App {
  const options = { ...given, url: given.url.replace(/\/+$/, '') }
  const page = createPage(options, version)
  const channels = createChannels(page)
  const push = createPush(page, () => void inbox.refresh())
  const inbox = createInApp(page, { subscribe: (uuid) => channels.subscribe(uuid), ask: () => push.ask() })
  if (options.prompts !== false) createPrompts(page, { push, channels })

  return {
    track: (type, data) => void page.track(type, data).catch(warn),
    on: page.on,
    installId: async () => (await page.ready).installId,
    user: createUser(page, () => void inbox.refresh()),
    push,
    channels,
    inbox,
    consent: createConsent(page),
    links: createLinks(page),
    badge: {
      async set(count) {
        await page.change('badge', () => count)
        await navigator.setAppBadge?.(count).catch(() => {})
      },
    },
  }
}
