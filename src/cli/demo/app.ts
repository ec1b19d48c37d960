import { messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { fillHistory } from './history.ts'
import { bringDevices, makeApp, type StartedDevice } from './story.ts'

/** The app of a demo, as `--json` shows it. */
export interface DemoApp {
  id: number
  apiKey: string
  serverKey: string
  secretKey: string
}

/**
 * Makes the app of `appsvc serve --demo` on a server that answers at `address`: with every gateway, seven devices, and a history of
 * months, which is stored while the server runs. `stop` ends the storing.
 */
export async function startDemoApp(
  program: Program,
  { address, sandbox }: { address: string; sandbox: Sandbox },
): Promise<{ app: DemoApp; stop(): Promise<void> }> {
  const { id, apiKey, serverKey, secretKey } = await makeApp(program, sandbox)
  await nameTestDevices(program, id, await bringDevices({ address, apiKey, secretKey }, sandbox))
  return { app: { id, apiKey, serverKey, secretKey }, stop: startHistory(program, id, sandbox) }
}

/** The devices to which the console sends a test. */
export async function nameTestDevices(
  program: Program,
  appId: number,
  started: readonly StartedDevice[],
): Promise<void> {
  await program.inTransaction(async (tx) => {
    for (const { device } of started) {
      await tx.testDevices.save(appId, { name: device.name, installId: device.installId })
    }
  })
}

/** Fills the app with a history of months while the server runs, so that every screen shows something. Returns a function that stops it. */
export function startHistory(program: Program, appId: number, sandbox: Sandbox): () => Promise<void> {
  const ending = new AbortController()
  const { log } = program.kernel
  const filled = subscriber(program, appId, sandbox)
    .then((subscribe) => fillHistory(program, appId, { subscribe, signal: ending.signal }))
    .then(
      ({ people }) => log.info({ people }, 'the demo has a history of months'),
      (error: unknown) => {
        if (!ending.signal.aborted)
          log.error({ error: messageOf(error) }, 'the history of the demo could not be stored')
      },
    )
  return async () => {
    ending.abort()
    await filled
  }
}

async function subscriber(program: Program, appId: number, sandbox: Sandbox) {
  const web = await program.gateways.find(appId, 'web')
  const publicKey = String(web?.facts['publicKey'])
  return () => sandbox.subscribe({ publicKey })
}
