import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import { claimPort } from './support/ports.ts'

describe('a port for a program that must be told one', () => {
  it('is given once, can be listened on, and is none that the kernel gives to others', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, claimPort))
    expect(new Set(ports).size).to.equal(20)
    const any = createServer().listen(0, '127.0.0.1')
    const told = createServer().listen(ports[0], '127.0.0.1')
    await Promise.all([once(any, 'listening'), once(told, 'listening')])
    const { port } = any.address() as { port: number }
    expect(Math.max(...ports)).to.be.below(port)
    any.close()
    told.close()
  })
})
