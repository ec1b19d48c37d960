import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Parser } from '@oclif/core'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { BaseCommand } from '../../src/cli/kinds/base.ts'
import { run, temporaryDirectory } from './cli.ts'

/** JSON that earlier rows printed, by command id. */
type Made = Record<string, { id: number; uuid: string }>

interface Row {
  id: string
  /** A command line that works after the rows above; the app is always named Shop. */
  argv: string[] | ((made: Made) => string[])
  stdin?: string
  /** Exit code; 0 unless given. */
  code?: number
  /** Runs until it is stopped: started by tests of its own. */
  daemon?: true
}

const { dir, end } = temporaryDirectory()
const file = (name: string) => join(dir, name)
const exported = (name: string) => join(import.meta.dirname, '../domain/imports/exports', name)
const other = ['--data-dir', file('other')]
const circle = '{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"properties":{"radius":250}}'
const labels = '{"heading":"a","body":"b","acceptAction":"c","declineAction":"d"}'

/** Every command, in an order in which the whole table works. Rows with exit code 66 name a thing that does not exist, 65 a user. */
const ROWS: Row[] = [
  { id: 'apps:create', argv: ['Shop'] },
  { id: 'apps:list', argv: [] },
  { id: 'apps:show', argv: ['Shop'] },
  { id: 'apps:rename', argv: ['Shop', 'Shop'] },
  { id: 'apps:identity', argv: ['Shop', '--optional'] },
  { id: 'apps:restrain', argv: ['Shop', '--cap', '5/24h'] },
  { id: 'apps:keys:rotate', argv: ['Shop', '--server', '--yes'] },
  { id: 'admins:create', argv: ['anna@example.com', '--role', 'owner'] },
  { id: 'admins:list', argv: [] },
  { id: 'admins:roles', argv: ['anna@example.com'] },
  { id: 'admins:reset', argv: ['anna@example.com'] },
  { id: 'admins:revoke', argv: ['anna@example.com', '--yes'], code: 75 },
  { id: 'audit', argv: [] },
  { id: 'certificates', argv: [] },
  { id: 'certificates:renew', argv: ['push.example.com'], code: 78 },
  { id: 'channels:create', argv: ['Shop', 'news', '--name', 'News'] },
  { id: 'channels:list', argv: ['Shop'] },
  { id: 'channels:show', argv: ['Shop', 'news'] },
  { id: 'channels:update', argv: ['Shop', 'news', '--name', 'Daily news'] },
  { id: 'channels:import', argv: ['Shop', 'news', file('subscribers.csv')], code: 65 },
  { id: 'channels:imports', argv: ['Shop', 'news'] },
  { id: 'channels:subscriptions', argv: ['Shop', 'news'] },
  { id: 'channels:delete', argv: ['Shop', 'news', '--yes'] },
  { id: 'checkins:list', argv: ['Shop'] },
  { id: 'completion', argv: ['bash'] },
  { id: 'config:check', argv: [] },
  { id: 'config:show', argv: [] },
  { id: 'crashes:list', argv: ['Shop'] },
  { id: 'crashes:show', argv: ['1', '--app', 'Shop'], code: 66 },
  { id: 'demo', argv: [], daemon: true },
  { id: 'doctor', argv: ['--offline', '--app', 'Shop'] },
  { id: 'events:tail', argv: ['--app', 'Shop'] },
  { id: 'gateways:check', argv: ['Shop'], code: 78 },
  { id: 'gateways:set', argv: ['Shop', 'web'] },
  { id: 'gateways:show', argv: ['Shop'] },
  { id: 'gateways:remove', argv: ['Shop', 'web', '--yes'] },
  {
    id: 'geofences:create',
    argv: ['Shop', '--file', '-'],
    stdin: `{"name":"Office","boundsGeoJson":${circle}}`,
  },
  { id: 'geofences:list', argv: ['Shop'] },
  { id: 'geofences:show', argv: (made) => ['Shop', `${made['geofences:create']!.id}`] },
  { id: 'geofences:update', argv: (made) => ['Shop', `${made['geofences:create']!.id}`, '--name', 'Head office'] },
  { id: 'geofences:delete', argv: (made) => ['Shop', `${made['geofences:create']!.id}`, '--yes'] },
  { id: 'import:airship', argv: ['Shop', exported('airship.pages'), '--dry-run'] },
  { id: 'import:branch', argv: ['Shop', exported('branch.csv'), '--dry-run'] },
  { id: 'import:csv', argv: ['Shop', exported('own.csv'), '--map', 'customer=user', '--dry-run'] },
  { id: 'import:expo', argv: ['Shop', exported('expo.jsonl'), '--dry-run'] },
  { id: 'import:firebase', argv: ['Shop', exported('firebase-users.json'), '--dry-run'] },
  { id: 'import:onesignal', argv: ['Shop', exported('onesignal.csv'), '--yes'], code: 65 },
  { id: 'import:parse', argv: ['Shop', exported('parse.jsonl'), '--dry-run'] },
  { id: 'in-app:list', argv: ['--app', 'Shop'] },
  { id: 'in-app:show', argv: ['1', '--app', 'Shop'], code: 66 },
  { id: 'in-app:withdraw', argv: ['1', '--app', 'Shop'], code: 66 },
  { id: 'init', argv: ['--dir', file('init')] },
  { id: 'installs:delete', argv: ['none', '--app', 'Shop', '--yes'] },
  { id: 'installs:list', argv: ['--app', 'Shop'] },
  { id: 'installs:show', argv: ['none', '--app', 'Shop'], code: 66 },
  { id: 'keys:create', argv: ['--app', 'Shop', '--scope', 'read'] },
  { id: 'keys:rotate', argv: ['--master'] },
  { id: 'keys:list', argv: ['--app', 'Shop'] },
  { id: 'keys:revoke', argv: (made) => [`${made['keys:create']!.id}`, '--app', 'Shop'] },
  { id: 'man', argv: [] },
  {
    id: 'metrics:set',
    argv: ['Shop', 'revenue', '--event', 'paid', '--value', 'data.amount', '--where', '-'],
    stdin: '{"field":"data.currency","op":"equals","value":"EUR"}',
  },
  { id: 'metrics:list', argv: ['Shop'] },
  { id: 'metrics:show', argv: ['Shop', 'revenue'] },
  { id: 'metrics:delete', argv: ['Shop', 'revenue', '--yes'] },
  { id: 'purposes:set', argv: ['Shop', 'news', '--name', 'News', '--default', 'allow'] },
  { id: 'purposes:list', argv: ['Shop'] },
  { id: 'users:purposes', argv: ['anna', '--app', 'Shop', '--refuse', 'news'] },
  { id: 'purposes:delete', argv: ['Shop', 'news', '--yes'] },
  { id: 'suppressions:add', argv: ['Shop', 'anna', '--reason', 'asked'] },
  { id: 'suppressions:show', argv: ['Shop', 'anna'] },
  { id: 'suppressions:list', argv: ['Shop'] },
  { id: 'suppressions:import', argv: ['Shop', '-'], stdin: 'anna\nbert\n' },
  { id: 'suppressions:remove', argv: ['Shop', 'anna'] },
  { id: 'links:create', argv: ['Shop', '--fallback', 'https://example.com', '--slug', 'offer'] },
  { id: 'links:list', argv: ['Shop'] },
  { id: 'links:show', argv: ['Shop', 'offer'] },
  { id: 'links:settings', argv: ['Shop'] },
  { id: 'links:qr', argv: ['Shop', 'offer', '--output', file('offer.svg')] },
  { id: 'links:update', argv: ['Shop', 'offer', '--lookups', '500'] },
  { id: 'links:delete', argv: ['Shop', '99', '--yes'], code: 66 },
  { id: 'links:import', argv: ['Shop', '-', '--from', 'branch'], stdin: '[]' },
  { id: 'links:check', argv: ['localhost:1'], code: 78 },
  { id: 'banners:create', argv: ['Shop', '--file', '-'], stdin: `{"link":"offer","labels":${labels}}` },
  { id: 'banners:list', argv: ['Shop'] },
  { id: 'banners:show', argv: (made) => ['Shop', made['banners:create']!.uuid] },
  {
    id: 'banners:update',
    argv: (made) => ['Shop', made['banners:create']!.uuid, '--file', '-'],
    stdin: '{"position":"top"}',
  },
  { id: 'banners:delete', argv: (made) => ['Shop', made['banners:create']!.uuid, '--yes'] },
  { id: 'migrate:up', argv: other },
  { id: 'migrate:status', argv: other },
  { id: 'migrate:down', argv: ['--yes', ...other] },
  { id: 'nodes', argv: [] },
  {
    id: 'notify',
    argv: ['--app', 'Shop'],
    stdin: '{"target":{"broadcast":true},"content":{"title":"t","message":"m"}}',
  },
  { id: 'notifications:list', argv: ['--app', 'Shop'] },
  { id: 'notifications:recipients', argv: ['1', '--app', 'Shop'] },
  { id: 'notifications:show', argv: ['99', '--app', 'Shop'], code: 66 },
  { id: 'notifications:trace', argv: ['99', '--app', 'Shop'], code: 66 },
  { id: 'openapi', argv: [] },
  { id: 'prompts:create', argv: ['Shop', 'ask', '--file', '-'], stdin: '{"type":"bell"}' },
  { id: 'prompts:list', argv: ['Shop'] },
  { id: 'prompts:show', argv: ['Shop', 'ask'] },
  { id: 'prompts:update', argv: ['Shop', 'ask', '--file', '-'], stdin: '{"trigger":{"event":"cartFilled"}}' },
  { id: 'prompts:delete', argv: ['Shop', 'ask', '--yes'] },
  { id: 'push:preview', argv: ['-'], stdin: '{"content":{"title":"Hello","message":"World"}}' },
  { id: 'push:test', argv: ['--app', 'Shop', '--install', 'none'], code: 66 },
  { id: 'backup', argv: [file('copy.sqlite')] },
  { id: 'restore', argv: [file('copy.sqlite'), '--data-dir', file('restored')], code: 78 },
  { id: 'release', argv: [] },
  { id: 'routes', argv: [] },
  { id: 'sandbox', argv: [], daemon: true },
  { id: 'schedules:list', argv: ['--app', 'Shop'] },
  { id: 'schedules:preview', argv: ['99', '--app', 'Shop'], code: 66 },
  { id: 'schedules:cancel', argv: ['99', '--app', 'Shop'], code: 66 },
  {
    id: 'segments:create',
    argv: ['Shop', '--name', 'iOS', '--filter', '-'],
    stdin: '{"field":"os","op":"equals","value":"iOS"}',
  },
  { id: 'segments:list', argv: ['Shop'] },
  { id: 'segments:show', argv: (made) => ['Shop', made['segments:create']!.uuid] },
  { id: 'segments:preview', argv: (made) => ['Shop', made['segments:create']!.uuid] },
  { id: 'segments:update', argv: (made) => ['Shop', made['segments:create']!.uuid, '--name', 'iPhones'] },
  { id: 'segments:delete', argv: (made) => ['Shop', made['segments:create']!.uuid, '--yes'] },
  { id: 'serve', argv: [], daemon: true },
  { id: 'status', argv: [] },
  { id: 'tables:create', argv: ['Shop', 'books', '--column', 'title:string'] },
  { id: 'tables:list', argv: ['Shop'] },
  { id: 'tables:show', argv: ['Shop', 'books'] },
  { id: 'tables:alter', argv: ['Shop', 'books', '--add', 'year:integer'] },
  { id: 'tables:import', argv: ['Shop', 'books', '-'], stdin: '{"title":"x"}' },
  { id: 'tables:export', argv: ['Shop', 'books', file('books.csv')] },
  { id: 'tables:drop', argv: ['Shop', 'books', '--yes'] },
  { id: 'templates:starters', argv: [] },
  { id: 'templates:create', argv: ['Shop', '--uid', 'hello', '--starter', 'welcome'] },
  { id: 'templates:list', argv: ['Shop'] },
  { id: 'templates:show', argv: ['Shop', 'hello'] },
  { id: 'templates:preview', argv: ['Shop', 'hello'] },
  { id: 'templates:update', argv: ['Shop', 'hello', '--name', 'Hello'] },
  { id: 'templates:versions', argv: ['Shop', 'hello'] },
  { id: 'templates:delete', argv: ['Shop', 'hello', '--yes'] },
  { id: 'users:erase', argv: ['none', '--app', 'Shop', '--yes', '--wait'] },
  { id: 'users:export', argv: ['none', '--app', 'Shop'], code: 66 },
  { id: 'users:list', argv: ['--app', 'Shop'] },
  { id: 'users:show', argv: ['none', '--app', 'Shop'], code: 66 },
  { id: 'users:sign', argv: ['Shop', 'anna'] },
  { id: 'events:settings', argv: ['Shop', '--deliveries'] },
  { id: 'webhooks:create', argv: ['Shop', 'https://hooks.invalid/in'] },
  { id: 'webhooks:list', argv: ['Shop'] },
  { id: 'webhooks:show', argv: ['Shop', '1'] },
  { id: 'webhooks:update', argv: ['Shop', '1', '--batch-max', '100'] },
  { id: 'webhooks:rotate', argv: ['Shop', '1'] },
  { id: 'webhooks:replay', argv: ['Shop', '1', '--from', '2026-01-01T00:00:00Z'] },
  { id: 'webhooks:attempts', argv: ['Shop', '1'] },
  { id: 'webhooks:test', argv: ['Shop', '1'], code: 69 },
  { id: 'webhooks:delete', argv: ['Shop', '1', '--yes'] },
  { id: 'version', argv: [] },
  { id: 'worker', argv: [], daemon: true },
  { id: 'apps:delete', argv: ['Shop', '--yes'] },
  { id: 'db:copy', argv: ['--to', file('copied')] },
]

/** Commands that begin a database, or work without one. */
const NEEDS_NO_DATABASE = new Set([
  'apps:create',
  'completion',
  'config:check',
  'config:show',
  // It answers that there is none yet (test/doctor/worlds.test.ts).
  'doctor',
  'init',
  'links:check',
  'man',
  'migrate:up',
  'migrate:status',
  'openapi',
  'push:preview',
  // It makes one (test/cli/backup.test.ts).
  'restore',
  'routes',
  'templates:starters',
  'version',
])

/** oclif leaves both undefined, against its types, for commands that declare none. */
const UNDECLARED = { args: {}, flags: {} }

describe('every command', () => {
  const environment = { APPSVC_DATA_DIR: file('data') }
  const made: Made = {}
  before(() => writeFileSync(file('subscribers.csv'), 'nobody\n'))
  after(end)

  it('has one row in this table', () => {
    expect(ROWS.map(({ id }) => id).sort()).to.deep.equal(Object.keys(COMMANDS).sort())
  })

  for (const row of ROWS) {
    const { id, stdin = '', code = 0, daemon } = row
    const words = id.split(':')
    const command = COMMANDS[id]!
    const { args, flags } = { ...UNDECLARED, ...command } as Pick<Command.Class, 'args' | 'flags'>
    const argvOf = () => [...words, ...(typeof row.argv === 'function' ? row.argv(made) : row.argv)]

    describe(words.join(' '), () => {
      it('has a summary, and examples that parse', async () => {
        expect(command.summary).to.match(/^[A-Z].*[^.]$/)
        const examples = (command.examples as string[]).map((one) => one.replaceAll('<%= config.bin %>', 'appsvc'))
        expect(examples).to.have.length.above(0)
        for (const example of examples) await parseExample(command, words, example)
      })

      it('has a help text that names its summary, arguments and flags', async () => {
        // `-h` behind other words, because `--help` is what examples and other tests use.
        const help = (await helpOf([...words, 'x', '--nothing', '-h'])).replace(/\s+/g, ' ')
        expect(help)
          .to.include(command.summary)
          .and.include(`USAGE $ appsvc ${words.join(' ')}`)
        for (const name of Object.keys(args)) expect(help).to.include(name.toUpperCase())
        for (const name of Object.keys({ ...flags, ...BaseCommand.baseFlags })) {
          expect(help).to.match(new RegExp(`--(\\[no-\\])?${name}`))
        }
      })

      it('an unknown flag ends with 64 and names the nearest one', async () => {
        const ran = await run([...words, '--jso'], { environment })
        expect(ran.stderr).to.equal(
          `appsvc: there is no flag --jso; did you mean --json? (appsvc ${words.join(' ')} --help)\n`,
        )
        expect(ran.code).to.equal(64)
      })

      const required = [...Object.values(args), ...Object.values(flags)].some((one) => one.required)
      if (required) {
        it('without its required arguments and flags ends with 64', async () => {
          expect((await run(words, { environment })).code).to.equal(64)
        })
      }
      if (daemon) return

      if (!NEEDS_NO_DATABASE.has(id)) {
        it('in an empty folder says so with 66 and makes nothing', async () => {
          const empty = file(`empty-${words.join('-')}`)
          const argv = [...argvOf(), '--json'].filter(
            (_, i, all) => !all.slice(Math.max(0, i - 1), i + 1).includes('--data-dir'),
          )
          const ran = await run([...argv, '--data-dir', empty], { stdin })
          expect(ran.stderr).to.include('there is no database in')
          expect(ran.json()).to.have.keys('error')
          expect(ran.code).to.equal(66)
          expect(existsSync(empty)).to.equal(false)
        })
      }

      if ('app' in args || 'app' in flags) {
        it('takes the app as a word and as a flag, this being the way that its row is not; an unknown one ends with 66', async () => {
          const argv = argvOf()
          const at = argv.indexOf('Shop')
          const byFlag = argv[at - 1] === '--app'
          const others = argv.filter((_, i) => i !== at && !(byFlag && i === at - 1)).slice(words.length)
          // A single word is the file of this command.
          const asWord = byFlag && id !== 'notify'
          const line = asWord ? [...words, 'Nobody', ...others] : [...words, ...others, '--app', 'Nobody']
          const ran = await run(line, { environment, stdin })
          expect(ran.stderr, line.join(' ')).to.include('there is no app "Nobody"')
          expect(ran.code).to.equal(66)
        })
      }

      it('with --json prints exactly one JSON value', async () => {
        const ran = await run([...argvOf(), '--json'], { environment, stdin })
        expect(ran.code, ran.stderr).to.equal(code)
        expect(ran.stdout.endsWith('\n')).to.equal(true)
        made[id] = ran.json()
      })
    })
  }
})

/** Parses the part of an example that is this command's line, as a shell would split it. Throws when it does not parse. */
async function parseExample(command: Command.Class, words: string[], example: string): Promise<void> {
  const line = example.slice(example.lastIndexOf('appsvc ')).replace(/ > .*$|\)"?$/, '')
  const argv = [...line.matchAll(/'[^']*'|"[^"]*"|\S+/g)].map(([word]) => word.replace(/^(['"])(.*)\1$/, '$2'))
  expect(argv.slice(0, words.length + 1), example).to.deep.equal(['appsvc', ...words])
  await Parser.parse(argv.slice(words.length + 1), {
    args: command.args,
    flags: { ...BaseCommand.baseFlags, ...command.flags },
    strict: true,
  })
}

/** oclif writes help to the process's standard output. */
async function helpOf(words: string[]): Promise<string> {
  const { write } = process.stdout
  let text = ''
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk)
    return true
  }
  try {
    await run(words)
    return text
  } finally {
    process.stdout.write = write
  }
}
