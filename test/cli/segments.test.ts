import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { addInstall } from '../support/installs.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Made {
  id: number
  uuid: string
  name: string
  filter: unknown
}

describe('appsvc segments', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const file = join(dir, 'gold.json')
  const filter = { field: 'attributes.plan', op: 'equals', value: 'gold' }
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  after(end)

  before(async () => {
    await run(['apps', 'create', 'First'])
    writeFileSync(file, JSON.stringify(filter))
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    for (const id of ['one', 'two']) await addInstall(program, 1, id, { user: `user-${id}` })
    await program.inTransaction((tx) => tx.crm.putAttributes(1, 'user-one', { plan: 'gold' }))
    await program.close()
  })

  it('create reads the filter from a file or standard input', async () => {
    const made = (await run(['segments', 'create', 'First', '--name', 'Gold', '--filter', file, '--json'])).json<Made>()
    expect(made).to.deep.include({ id: 1, name: 'Gold', filter })
    const stdin = JSON.stringify({ not: filter })
    const second = await run(['segments', 'create', '1', '--name', 'Others', '--filter', '-'], { stdin })
    expect(second.code).to.equal(0)
    expect(second.stdout).to.match(/^segment {2}2$/m)
  })

  it('preview counts whom a segment or an unstored filter means', async () => {
    const shown = {
      total: 1,
      platforms: { android: 1 },
      first: [{ installId: 'one', userId: 'user-one', platform: 'android' }],
    }
    expect((await run(['segments', 'preview', '1', '1', '--json'])).json()).to.deep.equal(shown)
    expect((await run(['segments', 'preview', '1', '--filter', file, '--json'])).json()).to.deep.equal(shown)
    expect((await run(['segments', 'preview', '1', '2'])).stdout)
      .to.match(/^matching +1$/m)
      .and.to.include('user-two')
  })

  it('list and show print them; update changes; delete asks', async () => {
    const { uuid } = (await run(['segments', 'show', '1', '1', '--json'])).json<Made>()
    expect((await run(['segments', 'show', '1', uuid])).stdout).to.include('"attributes.plan"')
    const page = (await run(['segments', 'list', '1', '--limit', '1', '--json'])).json<{
      segments: Made[]
      next: number
    }>()
    expect(page).to.deep.include({ next: 1 })
    expect((await run(['segments', 'list', '1', '--after', '1'])).stdout).to.include('Others')
    const changed = await run(['segments', 'update', '1', uuid, '--name', 'Golden', '--json'])
    expect(changed.json()).to.deep.include({ id: 1, name: 'Golden', filter })
    expect((await run(['segments', 'delete', '1', '2'])).code).to.equal(64)
    expect((await run(['segments', 'delete', '1', '2', '--yes', '--json'])).json()).to.deep.include({
      id: 2,
      deleted: true,
    })
  })

  const refused: [string, string[], number, RegExp, string?][] = [
    ['no filter', ['create', '1', '--name', 'x'], 64, /filter/],
    ['a file that there is not', ['create', '1', '--name', 'x', '--filter', join(dir, 'none')], 66, /there is no file/],
    [
      'a filter that is no JSON',
      ['create', '1', '--name', 'x', '--filter', '-'],
      65,
      /--filter is not valid JSON/,
      '{',
    ],
    [
      'a wrong filter',
      ['create', '1', '--name', 'x', '--filter', '-'],
      65,
      /filter\.and\[0\]\.op/,
      '{"and":[{"field":"os","value":1}]}',
    ],
    ['a wrong filter to preview', ['preview', '1', '--filter', '-'], 65, /filter\.op/, '{"field":"os","value":1}'],
    ['nothing to change', ['update', '1', '1'], 64, /nothing to change/],
    ['nothing to preview', ['preview', '--app', '1'], 64, /give either a segment or --filter FILE/],
    ['an unknown segment', ['show', '1', '99'], 66, /there is no segment 99/],
  ]
  for (const [what, argv, exit, sentence, stdin] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run(['segments', ...argv], stdin === undefined ? {} : { stdin })
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
    })
  }
})
