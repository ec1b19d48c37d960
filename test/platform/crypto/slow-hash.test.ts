import { randomBytes, scryptSync } from 'node:crypto'
import { expect } from 'chai'
import { scryptElsewhere } from '../../../src/platform/crypto/slow-hash.ts'

describe('a key that another thread derives', () => {
  const job = (password: string) => ({ password, salt: randomBytes(16), length: 32, cost: { N: 1024, r: 8, p: 1 } })

  it('is the one that this thread would derive, and costs this thread next to nothing', async () => {
    const small = job('correct horse')
    expect(await scryptElsewhere(small)).to.deep.equal(scryptSync('correct horse', small.salt, 32, small.cost))
    const large = { ...job('battery staple'), cost: { N: 2 ** 15, r: 8, p: 3, maxmem: 256 * 1024 * 1024 } }
    const before = process.threadCpuUsage()
    const key = await scryptElsewhere(large)
    const elsewhere = process.threadCpuUsage(before)
    const again = process.threadCpuUsage()
    expect(scryptSync('battery staple', large.salt, 32, large.cost)).to.deep.equal(key)
    const here = process.threadCpuUsage(again)
    expect(elsewhere.user + elsewhere.system).to.be.below((here.user + here.system) / 4)
  })

  it('fails as it would here, and the next one is derived', async () => {
    const wrong = { ...job('x'), cost: { N: 1000, r: 8, p: 1 } }
    expect(await scryptElsewhere(wrong).catch((error: Error) => error.message)).to.match(/scrypt/i)
    expect(await scryptElsewhere(job('x'))).to.have.length(32)
  })
})
