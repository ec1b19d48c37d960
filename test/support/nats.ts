import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { eventually } from './eventually.ts'
import { findProgram } from './needs.ts'
import { claimPort } from './ports.ts'

/** nats-server, which has to be there, with JetStream on a port of its own; it keeps its port when it is started again. */
export async function openNatsServer(dir: string, settings = '') {
  const port = await claimPort()
  const config = `${dir}.conf`
  writeFileSync(config, settings)
  let child: ReturnType<typeof spawn> | undefined

  const isListening = () =>
    new Promise<boolean>((resolve) => {
      const socket = connectSocket(port, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })

  return {
    port,
    url: `nats://127.0.0.1:${port}`,

    async start(): Promise<void> {
      const argv = ['-js', '-sd', dir, '-a', '127.0.0.1', '-p', String(port), '-c', config]
      child = spawn(findProgram('nats-server')!, argv, { stdio: 'ignore' })
      await eventually(isListening, 'nats-server listens')
    },

    async stop(): Promise<void> {
      if (child?.kill('SIGKILL')) await once(child, 'exit')
      child = undefined
    },

    /** Deletes all that it has stored. */
    wipe: () => rmSync(dir, { recursive: true, force: true }),
  }
}
