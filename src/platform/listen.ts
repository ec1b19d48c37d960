import type { AddressInfo, Server } from 'node:net'
import { AppError } from './errors.ts'

/**
 * Starts listening; with port 0 the system chooses a port. Throws `unavailable` with the reason, followed by `remedy`.
 */
export async function listenOn(server: Server, host: string, port: number, remedy: string): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      const why = error.code === 'EADDRINUSE' ? 'another program has it' : error.message
      reject(new AppError('unavailable', `cannot listen on ${host}:${port}: ${why}; ${remedy}`))
    }
    server.once('error', refuse)
    server.listen(port, host, () => {
      server.off('error', refuse)
      resolve()
    })
  })
  return server.address() as AddressInfo
}
