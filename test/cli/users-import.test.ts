import { linkSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run, temporaryDirectory } from './cli.ts'
import { openCommandServer } from './remote-server.ts'

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

    const [symbolic, hard] = [join(dir, 'symbolic.jsonl'), join(dir, 'hard.jsonl')]
    symlinkSync(file, symbolic)
    linkSync(file, hard)
    for (const name of [symbolic, hard]) {
      expect((await importing('--refused', name)).code, name).to.equal(64)
      const others = ['import csv 1', 'import branch 1'].map((command) => [
        ...command.split(' '),
        file,
        '--errors',
        name,
      ])
      for (const words of [...others, ['tables', 'import', '1', 'none', file, '--refused', name]]) {
        const { code, stderr } = await run(words, { environment })
        expect([code, stderr], words.join(' ')).to.deep.equal([
          64,
          `appsvc: ${words.at(-2)} names the file that is read: name another one\n`,
        ])
      }
    }
    expect(readFileSync(file, 'utf8')).to.equal('user_id,visits\nanna,3\n,4\n')

    const done = await importing('--column', 'visits=number', '--refused', refused, '--json')
    expect(done.code).to.equal(65)
    expect(done.json()).to.include({ created: 1, refused: 1 })
    expect(JSON.parse(readFileSync(refused, 'utf8'))).to.include({ line: 3 })
  })

  it('run on a server, never writes to a file of the caller that it reads', async () => {
    const server = await openCommandServer(join(dir, 'there'))
    try {
      expect((await server.there(['apps', 'create', 'First'])).code).to.equal(0)
      const name = join(dir, 'there.jsonl')
      symlinkSync(file, name)
      const done = await server.there(['users', 'import', file, '--app', '1', '--refused', name])
      expect([done.code, done.stderr]).to.deep.equal([
        64,
        `appsvc: ${file} and ${name} are one file, which would be written over: name another one\n`,
      ])
      expect(readFileSync(file, 'utf8')).to.equal('user_id,visits\nanna,3\n,4\n')
    } finally {
      await server.close()
    }
  })
})
