import type { App, StartOptions } from './api.ts'
import { createChannels, createConsent, createLinks } from './calls.ts'
import { warn } from './device.ts'
import { createInApp } from './in-app.ts'
import { createPage } from './page.ts'
import { createPrompts } from './prompts/prompts.ts'
import { createPush } from './push.ts'
import { createUser } from './user.ts'

/** Starts the client of an app, or returns the one that this page has started before: a component may be drawn twice. */
export function start(given: StartOptions, version: string): App {
  return (APPS[given.apiKey] ??= assemble(given, version))
}

/** The apps that run in this page, by API key. All copies of this module share them: a site may load it twice, from two addresses. */
const APPS = ((globalThis as { [copies: symbol]: Record<string, App> })[Symbol.for('appsvc')] ??= {})

/** Puts the client of a page together. */
function assemble(given: StartOptions, version: string): App {
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
