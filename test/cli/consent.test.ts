import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('consent on the command line', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  after(end)
  before(() => run(['apps', 'create', 'First']))

  it('purposes set creates and replaces, list shows, and a wrong one says why', async () => {
    const set = (...more: string[]) => run(['purposes', 'set', '1', 'news', '--name', 'News', ...more])
    expect((await set('--default', 'allow')).stdout).to.equal('Purpose news is created.\n')
    expect((await set('--default', 'allow', '--required')).stdout).to.equal('Purpose news is replaced.\n')
    expect((await run(['purposes', 'list'])).stdout).to.match(/^news +News +allow +yes/m)
    const refused = await set('--default', 'refuse', '--required')
    expect([refused.code, refused.stderr]).to.deep.equal([
      65,
      'appsvc: validation failed: default must be true when required is true: what cannot be refused is always allowed\n',
    ])
    expect((await set('--default', 'refuse')).code).to.equal(0)
  })

  it('users purposes stores and shows choices, each purpose once', async () => {
    expect((await run(['users', 'purposes', 'anna', '--allow', 'news'])).stdout).to.match(
      /^news +News +yes +.*\(server\)$/m,
    )
    expect((await run(['users', 'purposes', 'anna', '--forget', 'news'])).stdout).to.match(
      /^news +News +no +by default$/m,
    )
    expect((await run(['users', 'purposes', 'anna', '--allow', 'news', '--refuse', 'news'])).code).to.equal(64)
    expect((await run(['users', 'purposes', 'nobody'])).code).to.equal(66)
  })

  it('notify gives every value that names none the purpose and priority of its flags', async () => {
    const one = JSON.stringify({ target: { broadcast: true }, content: { title: 'T', message: 'M' } })
    const flags = ['--purpose', 'news', '--priority', 'transactional']
    const sent = await run(['notify', ...flags, '--json'], { stdin: one })
    expect(sent.json<{ notification: object }>().notification).to.include({
      purpose: 'news',
      priority: 'transactional',
    })
    const wrong = await run(['notify', '--purpose', 'x'], { stdin: one })
    expect([wrong.code, wrong.stdout + wrong.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 65 && text.includes('there is no purpose "x"'),
    )
    expect((await run(['notifications', 'show', '1'])).stdout).to.match(/^purpose +news\npriority +transactional$/m)
  })

  it('suppressions import reads a whole file before it lists anybody, names a wrong line, and may be repeated', async () => {
    const file = join(dir, 'list.csv')
    writeFileSync(file, 'anna\nbert,x\n')
    const wrong = await run(['suppressions', 'import', '1', file])
    expect([wrong.code, wrong.stderr]).to.satisfy(
      ([code, text]: [number, string]) => code === 65 && text.includes('line 2 has more than one column'),
    )
    expect((await run(['suppressions', 'list', '--json'])).json()).to.deep.equal({ suppressions: [], next: null })
    writeFileSync(file, '\uFEFFanna\r\n"bert, the other"\n')
    const first = await run(['suppressions', 'import', '1', file, '--reason', 'asked', '--json'])
    expect(first.json()).to.deep.equal({ added: 2, known: 0 })
    expect((await run(['suppressions', 'import', '1', file, '--json'])).json()).to.deep.equal({ added: 0, known: 2 })
    expect((await run(['suppressions', 'show', '1', 'bert, the other'])).code).to.equal(0)
    expect((await run(['suppressions', 'show', '1', 'carl'])).code).to.equal(66)
    const empty = await run(['suppressions', 'import', '1', '-'], { stdin: '' })
    expect(empty.code).to.equal(65)
  })

  it('apps restrain says what comes after quiet hours', async () => {
    const restrain = async (...flags: string[]) => run(['apps', 'restrain', '1', ...flags])
    expect((await restrain('--quiet-hours', '22:00-07:00', '--then', 'hold')).stdout).to.match(
      /^quiet hours +22:00-07:00, then hold$/m,
    )
    expect((await restrain('--quiet-hours', '22:00-07:00')).stdout).to.match(/^quiet hours +22:00-07:00$/m)
    expect((await restrain('--then', 'hold')).code).to.equal(64)
    expect((await restrain('--quiet-hours', 'off', '--then', 'hold')).code).to.equal(64)
  })

  it('apps restrain names the language attribute, and forgets it', async () => {
    const restrain = async (...flags: string[]) => run(['apps', 'restrain', '1', ...flags])
    expect((await restrain('--language-attribute', 'profile.language')).stdout).to.match(
      /^language attribute +profile\.language$/m,
    )
    expect((await restrain('--cap', 'off', '--json')).json()).to.include({ languageAttribute: 'profile.language' })
    expect((await restrain('--no-language-attribute')).stdout).to.match(/^language attribute +none$/m)
    const wrong = await restrain('--language-attribute', 'attributes.language')
    expect(wrong.code).to.equal(65)
    expect(wrong.stderr).to.include('language, not attributes.language')
    expect((await restrain('--language-attribute', 'l', '--no-language-attribute')).code).to.equal(64)
  })
})
