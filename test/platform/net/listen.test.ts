import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import type { AppError } from '../../../src/platform/errors.ts'
import { canSharePorts, joinPort, listenOn, listenShared } from '../../../src/platform/net/listen.ts'
import { claimPort } from '../../support/ports.ts'
import { skip } from '../../support/skip.ts'

const HOST = '127.0.0.1'
const REMEDY = 'choose another one'

describe('a port that threads share', () => {
  const open: Server[] = []
  const server = () => {
    const made = createServer()
    open.push(made)
    return made
  }
  const close = (one: Server) => new Promise((resolve) => one.close(resolve))
  const refusal = async (listening: Promise<unknown>) =>
    listening.then(
      () => undefined,
      (error: AppError) => ({ code: error.code, message: error.message }),
    )

  before(async function () {
    if (!(await canSharePorts())) skip(this, 'this system shares no ports between threads')
  })
  afterEach(() => Promise.all(open.splice(0).map(close)))

  it('is refused to a program that wants to share it, too, with the reason and the remedy', async () => {
    const port = await claimPort()
    expect(await listenShared(server(), HOST, port, REMEDY)).to.include({ port })
    const refused = {
      code: 'unavailable',
      message: `cannot listen on ${HOST}:${port}: another program has it; ${REMEDY}`,
    }
    expect(await refusal(listenShared(server(), HOST, port, REMEDY))).to.deep.equal(refused)
    expect(await refusal(listenOn(server(), HOST, port, REMEDY))).to.deep.equal(refused)
  })

  it('can be joined by a thread of the program that has it, also when the system chose it', async () => {
    for (const wanted of [await claimPort(), 0]) {
      const { port } = await listenShared(server(), HOST, wanted, REMEDY)
      await joinPort(server(), HOST, port)
    }
  })

  it('goes to one of two that begin at once', async () => {
    const port = await claimPort()
    const both = await Promise.all([1, 2].map(() => refusal(listenShared(server(), HOST, port, REMEDY))))
    expect(both.filter((one) => one === undefined)).to.have.lengthOf(1)
    expect(both.find((one) => one !== undefined)).to.include({ code: 'unavailable' })
  })

  it('is free again when its server has ended, and when its turn failed', async () => {
    const port = await claimPort()
    const alone = server()
    await listenOn(alone, HOST, port, REMEDY)
    expect(await refusal(listenShared(server(), HOST, port, REMEDY))).to.include({ code: 'unavailable' })
    await close(alone)
    expect(await refusal(listenShared(server(), HOST, port, REMEDY))).to.equal(undefined)
  })
})
