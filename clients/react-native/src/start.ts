import { INSTALL_TRACKED } from '../../core/src/index.ts'
import type { App, StartOptions } from './api.ts'
import { createChannels, createConsent } from './calls.ts'
import { createDevice, type Device } from './device.ts'
import { BACKGROUND, FOREGROUND, LOCATION, REACT_NATIVE_RUNTIME, REACT_NATIVE_SDK } from './events.ts'
import { createMessages } from './in-app/messages.ts'
import { createLinks } from './links.ts'
import { taskPayload } from './push/expo.ts'
import { createPush } from './push/push.ts'
import { createUser } from './user.ts'
import { VERSION } from './version.ts'

/** Time (ms) after which the app asks for messages when it comes to the front. */
const SYNC_MS = 3_600_000

/**
 * Starts the client. Returns at once: calls that need what is not ready yet wait. Call it in a module that the app loads first (`index.js`), so
 * that it also runs when a push wakes the app in the background. Throws a TypeError for options that cannot be right.
 */
export function start(given: StartOptions): App {
  const options = { ...given, url: readUrl(given) }
  const device = createDevice(options)
  const channels = createChannels(device)
  const messages = createMessages(device, { subscribe: (uuid) => channels.subscribe(uuid), ask: () => push.ask() })
  const push = createPush(device, () => messages.refresh())
  const links = createLinks(device)
  device.background(begin())
  const ends = [watch(device, messages), push.end, links.end, device.stop]

  async function begin(): Promise<void> {
    await device.track(INSTALL_TRACKED, detailsOf(options))
    await device.track(FOREGROUND)
    await messages.tellConsent()
    await Promise.all([push.begin(), links.begin(), messages.begin()])
  }

  return {
    track: (type, data) => device.background(device.track(type, data)),
    on: device.on,
    installId: () => device.installId,
    user: createUser(device, async () => {
      await messages.tellConsent()
      await device.flush()
      device.background(messages.refresh())
    }),
    push: {
      ask: push.ask,
      state: push.state,
      stop: push.stop,
      opened: push.opened,
      inBackground: (payload) => push.inBackground(taskPayload(payload)),
    },
    channels,
    inApp: messages.inApp,
    inbox: messages.inbox,
    consent: createConsent(device),
    badge: { set: async (count) => options.push?.badge?.(count) },
    location: ({ latitude: lat, longitude: lng }) => device.background(device.track(LOCATION, { lat, lng })),
    flush: async () => {
      await device.settled()
      await device.flush()
    },
    async stop() {
      await device.settled()
      for (const end of ends) end()
    },
  }
}

/** Follows the app to the front and to the back. */
function watch(device: Device, { refresh }: { refresh(): Promise<void> }): () => void {
  let syncedAt = Date.now()
  const listening = device.options.native.AppState.addEventListener('change', (state) => {
    if (state === 'background') return device.background(device.track(BACKGROUND).then(device.flush))
    if (state !== 'active') return
    device.background(device.track(FOREGROUND).then(device.flush))
    if (Date.now() - syncedAt < SYNC_MS) return
    syncedAt = Date.now()
    device.background(refresh())
  })
  return () => listening.remove()
}

function readUrl({ url, apiKey, secretKey, randomUUID }: StartOptions): string {
  if (!/^https?:\/\/[^/?#\s]+(?:\/[^?#\s]*)?$/i.test(url))
    throw new TypeError("url must be the server's address, such as https://app.example.com")
  for (const [name, key] of Object.entries({ apiKey, secretKey }))
    if (!/^[\x21-\x39\x3b-\x7e]+$/.test(key))
      throw new TypeError(`${name} must be a key as \`appsvc apps create\` prints it`)
  if (!randomUUID && typeof globalThis.crypto?.getRandomValues !== 'function')
    throw new TypeError('randomUUID must be given where there is no global crypto: take that of expo-crypto')
  return url.replace(/\/+$/, '')
}

/** The install (docs/reference/device-protocol.md section 5). */
function detailsOf({ app, native: { Platform }, deviceModel }: StartOptions): Record<string, unknown> {
  const { locale, timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  const { Model, Release, Version } = (Platform.constants ?? {}) as Record<string, string | number | undefined>
  const system =
    Platform.OS === 'ios'
      ? { id: 1, version: String(Platform.Version) }
      : { id: 3, version: String(Release ?? Version) }
  return {
    app: { bundle: app.bundle, version: app.version, target: app.isDebug ? 1 : 2 },
    sdk: { id: REACT_NATIVE_SDK, version: VERSION },
    runtime: { id: REACT_NATIVE_RUNTIME, version: String(Platform.Version) },
    os: system,
    device: { name: String(deviceModel ?? Model ?? Platform.OS), locale, tz: timeZone },
  }
}
