import { type App, type AppEvents, type StartOptions, start } from '../../../clients/react-native/src/index.ts'
import type { TestServer } from '../../support/http.ts'
import { uploadedEvents } from '../../support/uploaded.ts'
import { asyncStorage, reactNative } from './doubles.ts'

/** Apps of a test over its server. */
export function appWorld(test: () => TestServer) {
  const started: App[] = []

  /** An app that was just started, and sent what it has to say. */
  async function open(more: Partial<StartOptions> = {}): Promise<App> {
    const { address, first } = test()
    const app = start({
      url: address,
      apiKey: first.apiKey,
      secretKey: first.secretKey,
      native: reactNative('android').native,
      storage: asyncStorage(),
      app: { bundle: 'com.example.bakery', version: '2.3.1' },
      ...more,
    })
    started.push(app)
    await app.flush()
    return app
  }

  return {
    open,
    /** Stops what a test started. */
    end: () => Promise.all(started.splice(0).map((app) => app.stop())),
    /** The install of an app as servers see it, with its user. */
    async seen(app: App): Promise<Record<string, unknown>> {
      const { program, first, call } = test()
      const id = await app.installId()
      const user = (await program.crm.showInstall(first.id, id)).userIdentifier
      const { body } = await call('GET', `/crm/v1/users/${user}?include=device`)
      const { installs } = body as { installs: (Record<string, unknown> & { id: string })[] }
      return { ...installs.find((one) => one.id === id)!, user }
    },
    /** The events of these types that the server has. */
    async stored(...types: string[]) {
      const { program, first } = test()
      return (await uploadedEvents(program, first.id)).filter(({ type }) => types.includes(type))
    },
    /** Collects what a handler hears from now on. */
    hear<E extends keyof AppEvents>(app: App, event: E): AppEvents[E][] {
      const heard: AppEvents[E][] = []
      app.on(event, (what) => heard.push(what))
      return heard
    },
  }
}
