import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { buildSdk } from '../../../src/server/sdk/build.ts'

/** The most that a page loads for the client: the module, all that it imports, and the worker. The page that draws in-app messages comes when there is one. */
const MOST_BYTES = 12 * 1024

describe('the browser client', () => {
  it('has at most 12 KiB with its worker, compressed with gzip', async () => {
    const scripts = (await buildSdk()).filter(({ name }) => name.endsWith('.js'))
    expect(scripts.map(({ name }) => name)).to.have.members(['appsvc.js', 'worker.js'])
    const sizes = scripts.map(({ name, bytes }) => [name, gzipSync(bytes, { level: 9 }).length] as const)
    expect(
      sizes.reduce((sum, [, bytes]) => sum + bytes, 0),
      JSON.stringify(sizes),
    ).to.be.at.most(MOST_BYTES)
  })

  it('is one file each: it imports nothing, and the worker is no module', async () => {
    for (const { name, bytes } of await buildSdk()) {
      if (!name.endsWith('.js')) continue
      const text = Buffer.from(bytes).toString()
      expect(text, name).to.not.match(/\bimport\s*[({'"]|\brequire\(|\beval\(|new Function/)
      expect(text, name).to.match(new RegExp(`//# sourceMappingURL=${name}\\.map\\n$`))
    }
  })
})
