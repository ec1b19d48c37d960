import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Command, Parser } from '@oclif/core'
import { expect } from 'chai'
import { COMMANDS } from '../../src/cli/commands.ts'
import { BaseCommand } from '../../src/cli/kinds/base.ts'
import { lineOfExample } from '../support/example-line.ts'
import { run, temporaryDirectory } from './cli.ts'
import { commandLines, type Made } from './command-lines.ts'

const { dir, end } = temporaryDirectory()
const file = (name: string) => join(dir, name)
const ROWS = commandLines({ file })

/** Commands that begin a database, or work without one. */
const NEEDS_NO_DATABASE = new Set([
  'admins:create',
  'apps:create',
  'completion',
  'config:check',
  'config:show',
  // It answers that there is none yet (test/doctor/worlds.test.ts).
  'doctor',
  'init',
  'links:check',
  'login',
  'logout',
  'man',
  'migrate:up',
  'migrate:status',
  'openapi',
  // It makes one (test/cli/backup.test.ts).
  'restore',
  'routes',
  'templates:starters',
  'version',
  'whoami',
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

/** Parses the part of an example that is this command's line. Throws when it does not parse. */
async function parseExample(command: Command.Class, words: string[], example: string): Promise<void> {
  const { argv } = lineOfExample(example)
  expect(argv.slice(0, words.length), example).to.deep.equal(words)
  await Parser.parse(argv.slice(words.length), {
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
