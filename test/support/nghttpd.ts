import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { findProgram } from './needs.ts'
import { claimPort } from './ports.ts'

const PATIENCE_MS = 50_000

/** Waits until nghttpd answers: it says nothing when it is ready. */
async function untilListening(port: number): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; ) {
    const socket = connect(port, '127.0.0.1')
    const answered = await new Promise<boolean>((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('nghttpd does not listen')
}

/** Starts nghttpd, which has to be there, on a port of the loopback address and waits until it listens. `rest` follows the port: key, certificate. */
export async function startNghttpd(
  options: readonly string[],
  rest: readonly string[],
): Promise<{ port: number; stop(): Promise<void> }> {
  const port = await claimPort()
  const args = ['-a', '127.0.0.1', ...options, String(port), ...rest]
  const child = spawn(findProgram('nghttpd')!, args, { stdio: 'ignore' })
  await untilListening(port)
  return {
    port,
    async stop() {
      if (child.kill()) await once(child, 'exit')
    },
  }
}
