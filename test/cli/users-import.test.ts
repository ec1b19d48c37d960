import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run, temporaryDirectory } from './cli.ts'

describe('appsvc users import', () => {
  const { dir, end } = temporaryDirectory()
  const file = join(dir, 'users.csv')
  const refused = join(dir, 'refused.jsonl')
  const environment = { APPSVC_DATA_DIR: join(dir, 'data') }
  const importing = (...flags: string[]) => run(['users', 'import', file, '--app', '1', ...flags], { environment })

  before(async () => {
    expect((await run(['apps', 'create', 'First'], { environment })).code).to.equal(0)
    writeFileSync(file, 'user_id,visits\nanna,3\n,4\n')
  })
  after(end)

  it('writes lines that it refuses to a file of their own, never to the one that it reads', async () => {
    const { code, stderr } = await importing('--refused', file)
    expect([code, stderr]).to.deep.equal([64, 'appsvc: --refused names the file that is read: name another one\n'])
    expect(readFileSync(file, 'utf8')).to.equal('user_id,visits\nanna,3\n,4\n')

    const done = await importing('--column', 'visits=number', '--refused', refused, '--json')
    expect(done.code).to.equal(65)
    expect(done.json()).to.include({ created: 1, refused: 1 })
    expect(JSON.parse(readFileSync(refused, 'utf8'))).to.include({ line: 3 })
  })
})
