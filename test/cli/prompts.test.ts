import { join } from 'node:path'
import { expect } from 'chai'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

type Json = Record<string, unknown>

const LABELS = { heading: 'News?\u001b', body: 'One a day', declineAction: 'No', acceptAction: 'Yes' }

describe('appsvc prompts', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere(['prompts', ...argv, '--data-dir', data], options)
  const withFile = (argv: string[], body: unknown) =>
    run([...argv, '--file', '-', '--json'], { stdin: JSON.stringify(body) })
  after(end)
  before(() => runAnywhere(['apps', 'create', 'First', '--data-dir', data]))

  it('create, show, list, update and delete do what they say', async () => {
    const file = { type: 'banner', labels: { banner: LABELS }, trigger: { event: 'x\u001b' } }
    const made = (await withFile(['create', '1', 'news'], file)).json<Json>()
    expect(made).to.deep.include({ name: 'news', type: 'banner', position: 'top' })
    expect((await run(['show', 'First', 'news', '--json'])).json()).to.deep.equal(made)
    const changed = (await withFile(['update', '1', 'news'], { position: 'bottom' })).json<Json>()
    expect(changed).to.deep.equal({ ...made, position: 'bottom' })
    expect((await run(['list', '1', '--json'])).json()).to.deep.equal({ prompts: [changed] })
    const shown = await run(['list', '1'])
    expect(shown.stdout).to.include('news').and.not.include('\u001b')
    expect((await run(['show', '1', 'news'])).stdout)
      .to.include('"heading"')
      .and.not.include('\u001b')
    expect((await run(['delete', '1', 'news', '--yes', '--json'])).json()).to.deep.equal({
      name: 'news',
      deleted: true,
    })
    expect((await run(['list', '1'])).stdout).to.include('There are no prompts yet')
  })

  it('says that prompts stay off without a gateway', async () => {
    const made = await run(['create', '1', 'bell', '--file', '-'], { stdin: '{"type": "bell"}' })
    expect(made.stderr).to.include('web gateway')
  })

  const wrong: [string, string[], unknown, number][] = [
    ['a file that is wrong', ['create', '1', 'a'], { type: 'alert', labels: { alert: {} } }, 65],
    ['a name that is wrong', ['create', '1', 'a b'], { type: 'bell' }, 65],
    ['a change of what there is not', ['update', '1', 'nothing'], { position: 'top' }, 66],
  ]
  for (const [name, argv, body, code] of wrong) {
    it(`refuses ${name}`, async () => expect((await withFile(argv, body)).code).to.equal(code))
  }
})
