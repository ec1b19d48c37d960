import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

type Json = Record<string, unknown>

describe('appsvc channels', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) =>
    runAnywhere(['channels', ...argv, '--data-dir', data, '--json'], options)
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(join(dir, name), content)
    return join(dir, name)
  }
  after(end)

  before(async () => {
    await runAnywhere(['apps', 'create', 'First', '--data-dir', data])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await program.inTransaction(async ({ crm }) => {
      for (const user of ['anna', 'bert']) await crm.putAttributes(1, user, {})
    })
    await program.close()
  })

  it('create, show, update, list and delete do what they say', async () => {
    const made = (
      await run(['create', '1', 'news', '--name', 'News', '--show-in-portal', '--meta-file', '-'], { stdin: '{"a":1}' })
    ).json()
    expect(made)
      .to.include({ uuid: 'news', name: 'News', showInPortal: true })
      .and.deep.include({ meta: { a: 1 } })
    expect((await run(['show', 'First', 'news'])).json()).to.deep.equal({
      ...made,
      subscribers: { installs: 0, optedOut: 0, users: 0 },
    })
    const changed = (await run(['update', '1', 'news', '--no-name', '--no-show-in-portal', '--no-meta'])).json()
    expect(changed).to.include({ name: null, showInPortal: false, meta: null })
    expect((await run(['list'])).json<{ channels: Json[] }>().channels).to.deep.equal([changed])
    expect((await run(['delete', '1', 'news', '--yes'])).json()).to.include({ uuid: 'news', deleted: true })
    expect((await run(['list', '1'])).json()).to.deep.equal({ channels: [], next: null })
  })

  it('list and show tell which channels a device made, update makes one ours, and restrain says who sees the others', async () => {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await program.inTransaction((tx) => tx.channels.ensure(1, { uuid: 'club', name: 'Club', showInPortal: true }))
    await program.close()
    expect((await run(['show', '1', 'club'])).json()).to.include({ madeByDevice: true })
    const text = (argv: string[]) => runAnywhere([...argv, '--data-dir', data])
    expect((await text(['channels', 'list', '1'])).stdout).to.match(/CREATED BY.*\n.*Club +offered +a device /)
    expect((await text(['channels', 'show', '1', 'club'])).stdout).to.match(/created by +a device/)
    const restrain = (...flags: string[]) => text(['apps', 'restrain', '1', ...flags, '--json'])
    expect((await restrain()).json()).to.include({ deviceChannels: 'private' })
    expect((await restrain('--device-channels', 'public')).json()).to.include({ deviceChannels: 'public' })
    expect((await restrain('--cap', '5/24h')).json()).to.include({ deviceChannels: 'public' })
    expect((await restrain('--device-channels', 'some')).code).to.equal(64)
    expect((await run(['update', '1', 'club', '--name', 'Our club'])).json()).not.to.have.property('madeByDevice')
    await run(['delete', '1', 'club', '--yes'])
  })

  it('import subscribes, counts, and tells the lines that name nobody', async () => {
    await run(['create', '1', 'c'])
    const ran = await run(['import', '1', 'c', file('users.csv', 'anna\r\nghost\u001b\r\nbert\r\n')])
    expect(ran.code, ran.stderr).to.equal(65)
    const done = ran.json<Json & { id: string }>()
    expect(done).to.deep.include({
      state: 'done',
      lines: 3,
      processed: 3,
      applied: 2,
      unknown: 1,
      unknownUsers: [{ line: 2, userId: 'ghost\u001b' }],
    })
    expect(ran.stderr).to.include('line 2').and.not.include('\u001b')
    expect(readdirSync(join(data, 'uploads'))).to.deep.equal([])
    const { imports } = (await run(['imports', '1', 'c'])).json<{ imports: Json[] }>()
    expect(imports.map(({ id, applied }) => [id, applied])).to.deep.equal([[done.id, 2]])
    expect((await run(['imports', '1', 'c', done.id])).json()).to.deep.equal(done)
    expect((await run(['show', '1', 'c'])).json()).to.deep.include({
      subscribers: { installs: 0, optedOut: 0, users: 2 },
    })
  })

  const refused: [string, () => string[], number, RegExp][] = [
    ['an unknown channel', () => ['show', '1', 'none'], 66, /no channel "none"/],
    ['an unknown app', () => ['list', '9'], 66, /no app 9/],
    ['a channel that exists', () => ['create', '1', 'c'], 65, /uuid is taken/],
    ['a portal without a name', () => ['create', '1', 'd', '--show-in-portal'], 65, /name is required/],
    [
      'metadata that is no object',
      () => ['create', '1', 'd', '--meta-file', file('m.json', '[]')],
      65,
      /meta must be an object/,
    ],
    [
      'metadata that is no JSON',
      () => ['create', '1', 'd', '--meta-file', file('m.json', '{')],
      65,
      /--meta-file is not valid JSON/,
    ],
    ['no change', () => ['update', '1', 'c'], 64, /nothing to change/],
    ['deleting without a yes', () => ['delete', '1', 'c'], 64, /add --yes/],
    ['a file that is not there', () => ['import', '1', 'c', join(dir, 'none.csv')], 66, /there is no file/],
    ['a directory', () => ['import', '1', 'c', folder()], 65, /is a directory/],
    ['another extension', () => ['import', '1', 'c', file('users.txt', 'anna\n')], 65, /ends with \.csv/],
    ['two columns', () => ['import', '1', 'c', file('two.csv', 'anna\nx,y\n')], 65, /line 2 has more than one column/],
    ['Latin-1', () => ['import', '1', 'c', file('l.csv', Buffer.from([0xe9, 10]))], 65, /line 1 is not valid UTF-8/],
    ['an empty file', () => ['import', '1', 'c', file('empty.csv', '')], 65, /is empty/],
    ['an unknown import', () => ['imports', '1', 'c', 'x'], 66, /no import "x"/],
  ]
  const folder = () => {
    mkdirSync(join(dir, 'folder.csv'), { recursive: true })
    return join(dir, 'folder.csv')
  }
  for (const [what, argv, exit, sentence] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run(argv())
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
      expect(ran.json()).to.have.property('error')
    })
  }

  it('a refused file leaves nothing behind', () => {
    expect(readdirSync(join(data, 'uploads'))).to.deep.equal([])
  })
})
