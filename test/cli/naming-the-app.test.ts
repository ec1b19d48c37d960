import { expect } from 'chai'
import { appArg, subjectAppArg, textArg } from '../../src/cli/input/args.ts'
import { type AppDeclaration, readNamedApp, shownInput } from '../../src/cli/kinds/named-app.ts'
import { AppError } from '../../src/platform/errors.ts'
import { run, temporaryDirectory } from './cli.ts'

const needed = textArg({ required: true })
const optional = textArg({})
const choice = textArg({ options: ['ios', 'android'] })

describe('naming the app', () => {
  const first: AppDeclaration = { args: { app: appArg, uuid: needed } }
  const flag: AppDeclaration = { args: { id: needed } }
  const several: AppDeclaration = {
    args: { app: appArg, files: textArg({ required: true, multiple: true }) },
    appLeads: ([word]) => word === '1',
  }
  const rows: [string, AppDeclaration, string[], Record<string, string>, string | undefined, string[]][] = [
    ['a word more than there are arguments', first, ['1', 'news'], {}, '1', ['app', 'uuid']],
    ['no word too many', first, ['news'], {}, undefined, ['uuid']],
    ['the flag', first, ['news'], { app: '1' }, '1', ['uuid']],
    ['a word before the arguments of a command that declares only the flag', flag, ['1', '7'], {}, '1', ['app', 'id']],
    ['the only word of a command without arguments', {}, ['1'], {}, '1', ['app']],
    ['no word at all', {}, [], {}, undefined, []],
    ['too many words', first, ['1', 'news', 'x'], {}, undefined, ['uuid']],
    [
      'a choice of the next argument',
      { args: { app: appArg, platform: choice } },
      ['ios'],
      {},
      undefined,
      ['platform'],
    ],
    ['no such choice', { args: { app: appArg, platform: choice } }, ['1'], {}, '1', ['app', 'platform']],
    ['the only word before a file', { args: { file: optional } }, ['one.json'], {}, undefined, ['file']],
    ['two words, of which one is a file', { args: { file: optional } }, ['1', 'one.json'], {}, '1', ['app', 'file']],
    ['a word before several files', several, ['1', 'a.json', 'b.json'], {}, '1', ['app', 'files']],
    ['no word before several files', several, ['a.json', 'b.json'], {}, undefined, ['files']],
    ['the flag, with several files', several, ['a.json', 'b.json'], { app: '1' }, '1', ['files']],
    ['the thing itself', { subject: true, args: { app: subjectAppArg } }, ['1'], {}, '1', ['app']],
    [
      'the thing itself by flag',
      { subject: true, args: { app: subjectAppArg, name: needed } },
      ['x'],
      { app: '1' },
      '1',
      ['name'],
    ],
    ['the thing itself, missing', { subject: true, args: { app: subjectAppArg } }, [], {}, undefined, ['app']],
  ]
  for (const [what, declared, words, flags, ref, args] of rows) {
    it(`by ${what}`, () => {
      const named = readNamedApp(declared, words, flags)
      expect(named.ref).to.equal(ref)
      expect(Object.keys(named.args)).to.deep.equal(args)
    })
  }

  it('twice is refused', () => {
    expect(() => readNamedApp(first, ['1', 'news'], { app: '2' })).to.throw(AppError, 'the app is named twice')
  })

  it('is shown as a flag, and where the app is the thing itself as an argument too', () => {
    expect(Object.keys(shownInput(first).args)).to.deep.equal(['uuid'])
    expect(shownInput(first).flags).to.have.property('app')
    expect(Object.keys(shownInput({ ...first, subject: true }).args)).to.deep.equal(['app', 'uuid'])
  })

  describe('on the command line', () => {
    const { dir, end } = temporaryDirectory()
    const here = (...argv: string[]) => run([...argv, '--data-dir', dir])
    before(async () => {
      await here('apps', 'create', 'One')
    })
    after(end)

    it('a name that another app has is refused, unless it is allowed', async () => {
      const again = await here('apps', 'create', 'One')
      expect(again.stderr).to.equal(
        'appsvc: there is an app "One" already (1): choose another name, or add --allow-duplicate\n',
      )
      expect(again.code).to.equal(75)
      expect((await here('channels', 'list')).stderr, 'the only app need not be named').to.equal('')
      expect((await here('apps', 'create', 'One', '--allow-duplicate')).code).to.equal(0)
      expect((await here('apps', 'rename', '2', 'Two')).code).to.equal(0)
      expect((await here('apps', 'rename', '2', 'One')).code).to.equal(75)
      expect((await here('apps', 'rename', 'Two', 'Two')).code).to.equal(0)
    })

    it('is asked for when there are several', async () => {
      const { code, stderr } = await here('events', 'tail')
      expect(stderr).to.equal('appsvc: there are 2 apps: name one with --app (appsvc apps list)\n')
      expect(code).to.equal(64)
      for (const named of [['1'], ['--app', 'One'], ['-a', '1']]) {
        expect((await here('events', 'tail', ...named)).code).to.equal(0)
      }
    })

    it('apps create --env prints assignments that a shell reads, and nothing else', async () => {
      const { stdout, code } = await here('apps', 'create', "It's", '--env')
      expect(code).to.equal(0)
      const names = ['APP_ID', 'API_KEY', 'SERVER_KEY', 'SECRET_KEY', 'LINK_HOST', 'URL']
      const lines = stdout.trimEnd().split('\n')
      expect(lines.map((line) => line.split('=')[0])).to.deep.equal(names.map((name) => `APPSVC_${name}`))
      for (const line of lines) expect(line).to.match(/^[A-Z_]+='[^']+'$/)
      const environment = Object.fromEntries(
        lines.map((line) => line.replaceAll("'", '').split('=') as [string, string]),
      )
      expect((await run(['apps', 'list', '--data-dir', dir], { environment })).code, 'they may be exported').to.equal(0)
    })
  })
})
