import { Server } from 'node:net'
import { expect } from 'chai'
import { listen } from '../../src/server/index.ts'
import { openTestProgram } from '../support/program.ts'

describe('the listening server', () => {
  it('outlives a connection that the system does not hand over', async () => {
    const test = await openTestProgram({ settings: { port: '0' } })
    const servers: Server[] = []
    const { listen: original } = Server.prototype
    Server.prototype.listen = function (this: Server, ...args: unknown[]) {
      servers.push(this)
      return Reflect.apply(original, this, args) as Server
    } as typeof original
    try {
      const { address, close } = await listen(test.program)
      // As Node does when `accept` fails for want of memory or file descriptors.
      servers[0]!.emit('error', Object.assign(new Error('accept ENOBUFS'), { code: 'ENOBUFS' }))
      expect((await fetch(`${address}/healthz`)).status).to.equal(200)
      await close()
    } finally {
      Server.prototype.listen = original
      await test.close()
    }
  })
})
