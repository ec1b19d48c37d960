import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { prepareSecrets } from '../../src/sandbox/credentials.ts'

describe('what a sandbox keeps', () => {
  it('by an earlier version lacks the certificate of a website, which is added and changes nothing else', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-sandbox-'))
    try {
      const wish = { dir, topics: ['com.example.app'], projectId: 'p' }
      const { website: _, ...before } = await prepareSecrets(wish, Date.now())
      writeFileSync(join(dir, 'sandbox-secrets.json'), JSON.stringify(before))
      const { website, ...after } = await prepareSecrets(wish, Date.now())
      expect(after).to.deep.equal(before)
      expect(website?.cert).to.match(/^-----BEGIN CERTIFICATE-----/)
      expect(readFileSync(join(dir, 'sandbox-secrets.json'), 'utf8')).to.contain('"website"')
      expect((await prepareSecrets(wish, Date.now())).website).to.deep.equal(website)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
