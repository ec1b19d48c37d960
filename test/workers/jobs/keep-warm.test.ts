import { expect } from 'chai'
import type { Sender } from '../../../src/domain/gateways/gateway.ts'
import { createKeepWarm, type Line } from '../../../src/workers/jobs/keep-warm.ts'

const MINUTE = 60_000

describe('keeping gateways warm', () => {
  let now: number
  let warmed: number[]
  let newest: Line[]
  let latest: Line[]
  const line = (appId: number): Line => ({ appId, platform: 'android' })

  beforeEach(() => {
    now = 0
    warmed = []
    newest = []
    latest = []
  })

  const keepWarm = () =>
    createKeepWarm({
      newest: async () => newest,
      latest: async () => latest,
      find: async ({ appId }) => ({ warm: async () => void warmed.push(appId) }) as unknown as Sender,
      monotonic: () => now,
    })

  it('connects at the start to the gateways of the apps that sent last', async () => {
    latest = [line(1), line(2)]
    await keepWarm().warm()
    expect(warmed).to.eql([1, 2])
  })

  it('connects to a gateway when it has been configured', async () => {
    const keep = keepWarm()
    await keep.warm()
    newest = [line(7)]
    now += 5000
    await keep.warm()
    expect(warmed).to.eql([7])
  })

  it('looks after a connection every half minute, for a quarter of an hour after it was used', async () => {
    newest = [line(7)]
    const keep = keepWarm()
    for (; now < 14 * MINUTE; now += 5000) await keep.warm()
    expect(warmed).to.have.lengthOf(28)
    keep.use(line(7))
    now += 10 * MINUTE
    await keep.warm()
    expect(warmed).to.have.lengthOf(29)
    now += 10 * MINUTE
    await keep.warm()
    expect(warmed).to.have.lengthOf(29)
  })

  it('keeps those that were used last when there are too many', async () => {
    const keep = keepWarm()
    for (let appId = 1; appId <= 40; appId++) keep.use(line(appId))
    await keep.warm()
    expect(warmed).to.have.lengthOf(32).and.to.include(40).and.not.include(8)
  })
})
