import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from './cli.ts'

describe('appsvc openapi', () => {
  let dir: string

  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'appsvc-test-'))
  })
  after(() => rmSync(dir, { recursive: true, force: true }))

  it('prints the document, with and without --json, and writes the same to a file', async () => {
    const printed = await run(['openapi'])
    expect(printed.code).to.equal(0)
    const document = printed.json<{ openapi: string }>()
    expect(document.openapi).to.equal('3.1.0')
    expect((await run(['openapi', '--json'])).json()).to.deep.equal(document)

    const file = join(dir, 'openapi.json')
    const written = await run(['openapi', '--write', file])
    expect(written.stdout).to.match(/^\S+openapi\.json: \d+ paths\n$/)
    expect(readFileSync(file, 'utf8')).to.equal(printed.stdout)
  })

  it('says which file it cannot write', async () => {
    const { code, stderr } = await run(['openapi', '--write', join(dir, 'none', 'openapi.json')])
    expect(code).to.equal(69)
    expect(stderr).to.include(`--write: ${join(dir, 'none', 'openapi.json')} cannot be written: there is no directory`)
  })
})
