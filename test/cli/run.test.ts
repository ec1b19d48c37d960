import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { suggest } from '../../src/platform/text/suggest.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, killAll, run, start, temporaryDirectory } from './cli.ts'

describe('the command line', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(() => {
    end()
    killAll()
  })

  const wrong: [string, string[], RegExp][] = [
    ['an unknown command', ['appz'], /^appsvc: there is no command appz; did you mean appsvc apps/],
    ['an unknown command of a topic', ['apps', 'lst'], /there is no command apps lst; did you mean appsvc apps list\?/],
    ['something quite unknown', ['xyzzy'], /there is no command xyzzy \(appsvc --help\)/],
    [
      'an unknown flag',
      ['apps', 'list', '--jsn'],
      /there is no flag --jsn; did you mean --json\? \(appsvc apps list --help\)/,
    ],
    ['a missing argument', ['apps', 'create'], /NAME is missing \(appsvc apps create --help\)/],
    ['an argument too many', ['apps', 'create', 'a', 'b'], /b is too much/],
    ['a word after a command that takes none', ['demo', 'extra'], /^appsvc: extra is too much \(appsvc demo --help\)/],
    ['a flag before the command', ['--json', 'apps', 'list'], /flags must follow a command/],
    ['a flag without its value', ['notifications', 'list', '--limit'], /--limit expects a value/],
    ['a word where a number belongs', ['users', 'list', '--page', 'x'], /--page: Expected an integer/],
    ['nothing where a number belongs', ['users', 'list', '--page', ''], /--page: .* received: nothing \(/],
    ['nothing where a choice belongs', ['crashes', 'list', '--platform', ''], /--platform is empty; expected it to be/],
    ['a number out of range', ['users', 'list', '--page', '0'], /--page: .*greater than or equal to 1/],
    ['a port that is none', ['serve', '--port', '70000'], /--port: .*65535/],
    [
      'two flags that exclude each other',
      ['apps', 'keys', 'rotate', '1', '--api', '--server'],
      /cannot also be provided|Exactly one/,
    ],
    [
      'two answers to one question',
      ['apps', 'identity', '1', '--optional', '--require'],
      /^appsvc: --optional cannot also be provided when using --require/,
    ],
    [
      'a flag without the one it belongs to',
      ['apps', 'identity', '1', '--grace', '5d'],
      /^appsvc: --grace needs --rotate/,
    ],
    ['an unknown help subject', ['appz', '--help'], /there is no command appz/],
    ['an empty word', [''], /there is no command/],
  ]
  for (const [what, argv, sentence] of wrong) {
    it(`${what} ends with 64 and one clear line`, async () => {
      const { code, stdout, stderr } = await run(argv)
      expect(stderr).to.match(sentence)
      expect(code).to.equal(64)
      expect(stderr.trimEnd().split('\n')).to.have.length(1)
      if (!argv.includes('--json')) expect(stdout).to.equal('')
    })
  }

  it('with --json a usage error is the one JSON value on standard output', async () => {
    const ran = await run(['apps', 'list', '--json', '--foo'])
    expect(ran.code).to.equal(64)
    expect(ran.json()).to.deep.equal({ error: 'there is no flag --foo (appsvc apps list --help)' })
    expect(ran.stderr).to.include('there is no flag --foo')
  })

  it('a wrong environment variable ends with 78 and names the right one', async () => {
    const { code, stderr } = await run(['apps', 'list'], { environment: { APPSVC_DATADIR: dir } })
    expect(code).to.equal(78)
    expect(stderr).to.include('APPSVC_DATADIR is not a setting; did you mean APPSVC_DATA_DIR?')
  })

  it('a settings file that is not there ends with 78', async () => {
    const { code, stderr } = await run(['config', 'check', '--config', `${dir}/none.yaml`])
    expect(code).to.equal(78)
    expect(stderr).to.include('none.yaml')
  })

  it('a PostgreSQL that does not answer ends with 69', async () => {
    const url = 'postgres://someone:hidden@127.0.0.1:1/nothing'
    const { code, stderr } = await run(['apps', 'list', '--data-dir', dir], {
      environment: { APPSVC_DATABASE_URL: url },
    })
    expect(code).to.equal(69)
    expect(stderr).to.include('the database cannot be reached').and.not.include('hidden')
  })

  it('a password on the command line is refused, with what to do, and not shown', async () => {
    for (const url of [
      'postgres://someone:hidden@127.0.0.1:1/x',
      'postgres://127.0.0.1:1/x?user=someone&password=hidden',
      'postgres://someone:hidden@%zz:port/x',
    ]) {
      const { code, stdout, stderr } = await run(['apps', 'list', '--data-dir', dir, '--database-url', url])
      expect(code, url).to.equal(64)
      expect(stderr).to.include('APPSVC_DATABASE_URL').and.include('--config')
      expect(stdout + stderr).to.not.include('hidden')
    }
    const without = 'postgres://someone@127.0.0.1:1/x'
    expect((await run(['apps', 'list', '--data-dir', dir, '--database-url', without])).code).to.equal(69)
  })

  it('every command has a summary, and examples that name flags it has', () => {
    for (const [id, command] of Object.entries(COMMANDS)) {
      expect(command.summary, id).to.be.a('string')
      expect(command.examples?.length, id).to.be.greaterThan(0)
      const known = { ...command.baseFlags, ...command.flags }
      const negated = Object.entries(known).filter(([, flag]) => flag.type === 'boolean' && flag.allowNo)
      const flags = new Set([...Object.keys(known), ...negated.map(([name]) => `no-${name}`)])
      for (const one of command.examples as string[]) {
        const example = one.replace('<%= config.bin %>', 'appsvc')
        const words = (example.split('appsvc ')[1] ?? '').split(/[ )]/)
        expect(words.slice(0, id.split(':').length).join(':'), example).to.equal(id)
        for (const [, flag] of example.matchAll(/ --([a-z0-9-]+)/g)) expect(flags, example).to.include(flag)
      }
    }
  })

  it('prints help for everything, for a topic and for a command', async () => {
    for (const [argv, wanted] of [
      [[], 'gateways'],
      [['--help'], 'notify'],
      [['apps'], 'apps create'],
      [['help', 'gateways', 'set'], '--p12=FILE'],
      [['serve', '--help'], 'appsvc serve --port 9000'],
    ] as const) {
      const { code, stdout, stderr } = await ended(start([...argv]))
      expect(stdout, argv.join(' ')).to.include(wanted)
      expect(code).to.equal(0)
      expect(stderr).to.equal('')
    }
  })

  it('suggests what is near and nothing else', () => {
    expect(suggest('stauts', ['status', 'serve'])).to.equal('status')
    expect(suggest('notif', ['notify', 'notifications list'])).to.equal('notify')
    expect(suggest('zzz', ['status', 'serve'])).to.equal(undefined)
  })
})
