import { join } from 'node:path'
import { expect } from 'chai'
import { platforms } from '../../src/domain/gateways/registry.ts'
import { addInstall } from '../support/installs.ts'
import { addPerson } from '../support/people.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'
import { type CommandServer, openCommandServer } from './remote-server.ts'

interface Shown {
  gateways: { platform: string; payload: object }[]
  rendered?: { title: string; leftOut: string | null; missing: string[] }
  warnings?: string[]
  personalization?: { sampled: number; skipped: number }
}

const HELLO = {
  target: { userIds: ['anna', 'ben'] },
  personalize: {},
  content: {
    title: "Hello {{ user.attributes.firstName | default: 'you' }}",
    message: 'Order {{ meta.order }}',
    languages: { de: { title: 'Hallo {{ user.attributes.firstName }}', message: 'Bestellung {{ meta.order }}' } },
  },
  userMeta: { anna: { order: 'A1' }, ben: { order: 'B2' } },
}

describe('a personalised push on the command line', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  let server: CommandServer
  before(async () => {
    server = await openCommandServer(data)
    const { program } = server
    const { id } = await program.inTransaction((tx) => tx.apps.create({ name: 'Shop' }))
    for (const [name, attributes, locale] of [
      ['anna', { firstName: 'Anna' }, 'en-GB'],
      ['ben', {}, 'de_DE'],
      ['cleo', {}, 'fr'],
    ] as const) {
      const row = await addInstall(program, id, `${name}-phone`, { user: name })
      await program.inTransaction((tx) => tx.crm.putAttributes(id, name, attributes))
      await program.kernel.db.write((trx) => trx('installs').where({ id: row }).update({ locale }))
    }
  })
  after(async () => {
    await server.close()
    end()
  })

  const run = (argv: string[], body: object, options: RunOptions = {}) =>
    runAnywhere([...argv, '--data-dir', data], { ...options, stdin: JSON.stringify(body) })
  const preview = (argv: string[], body: object = HELLO) => run(['push', 'preview', '-', ...argv], body)

  it('push preview shows it as a person gets it, and says what stands there instead', async () => {
    const anna = (await preview(['--user', 'anna', '--json'])).json<Shown>()
    expect(anna.gateways.map(({ platform }) => platform)).to.deep.equal(platforms)
    expect(JSON.stringify(anna.gateways[0]!.payload)).to.include('Hello Anna').and.include('Order A1')
    expect(anna.rendered).to.include({ title: 'Hello Anna', leftOut: null })
    expect(anna.warnings).to.deep.equal([])
    const english = await preview(['android', '--install', 'ben-phone', '--language', 'en'])
    expect(english.code, english.stderr).to.equal(0)
    expect(english.stdout)
      .to.match(
        /^what ben-phone gets in the default language\n {2}user\.attributes\.firstName \| default: 'you' says "you"\nandroid {2}\d/,
      )
      .and.include('Hello you')
  })

  it('push preview ends with 65 when the person gets nothing, and with 66 when there is none', async () => {
    const ben = await preview(['--user', 'ben'])
    expect(ben.stdout).to.equal('ben gets nothing: no value for user.attributes.firstName\n')
    expect(ben.code).to.equal(65)
    const cleo = await preview(['ios', '--user', 'cleo'], { ...HELLO, personalize: { missing: 'empty' } })
    expect(cleo.stdout).to.include('  no value for meta.order: nothing stands there\n')
    expect(cleo.code).to.equal(0)
    expect((await preview(['--user', 'who'])).code).to.equal(66)
    expect((await preview(['--install', 'who'])).code).to.equal(66)
    for (const wrong of [
      ['--user', 'anna', '--install', 'anna-phone'],
      ['--sample', '0'],
      ['--sample', '10001'],
      ['--sample', 'x'],
    ]) {
      expect((await preview(wrong)).code, wrong.join(' ')).to.equal(64)
    }
    for (const wrong of [
      ['--user', ''],
      ['--language', 'german'],
      ['--language', 'german', '--user', 'anna'],
    ]) {
      expect((await preview(wrong)).code, wrong.join(' ')).to.equal(65)
    }
  })

  it('push preview needs no database for a language, and finds what is wrong with the texts without one', async () => {
    const alone = (argv: string[], body: object) =>
      runAnywhere(['push', 'preview', '-', ...argv], { stdin: JSON.stringify(body) })
    const german = await alone(['--language', 'de-AT', '--json'], HELLO)
    expect(german.json<Shown>().rendered).to.equal(undefined)
    expect(JSON.stringify(german.json<Shown>().gateways)).to.include('Hallo {{ user.attributes.firstName }}')
    const wrong = await alone([], { ...HELLO, content: { title: '{{ user.name }}', message: 'M' } })
    expect(wrong.code).to.equal(65)
    expect(wrong.stderr).to.include('content.title').and.include('line 1, column 4')
    const stored = await alone([], { content: { template: 'welcome' } })
    expect(stored.code).to.equal(65)
    expect(stored.stderr).to.include('content.template').and.include('appsvc push-templates preview')
    const plain = await alone(['ios'], { content: { title: 'Hi {{ user.identifier }}', message: 'M' } })
    expect(plain.code).to.equal(0)
    expect(plain.stderr).to.match(
      /^warning: content\.title looks like template text, but the request has no personalize/,
    )
  })

  it('push preview says of a sample who lacks what', async () => {
    const sampled = await preview(['android', '--sample', '100'])
    expect(sampled.code, sampled.stderr).to.equal(0)
    const lines = sampled.stdout.slice(sampled.stdout.indexOf('looked at')).split('\n')
    expect(lines.slice(0, 4)).to.deep.equal([
      'looked at 2 recipients',
      '  user.attributes.firstName is missing for 1 of 2',
      '  languages: default 1',
      '  1 of 2 get nothing, because a value is missing',
    ])
    expect(lines[4]).to.match(/^ {2}largest: android, \d+ of 4096 bytes$/)
    expect(lines.slice(5)).to.deep.equal(['  anna: Hello Anna | Order A1', ''])
    const { target: _, ...everybody } = HELLO
    expect((await preview(['--sample', '100', '--json'], everybody)).json<Shown>().personalization).to.include({
      sampled: 3,
      skipped: 2,
    })
  })

  it('push preview runs on a server where people are asked for, and here where they are not', async () => {
    const there = (argv: string[], token = server.owner.token) =>
      server.there(['push', 'preview', '-', ...argv], { token, stdin: JSON.stringify(HELLO) })
    const anna = await there(['android', '--user', 'anna', '--app', 'Shop'])
    expect(anna.code, anna.stderr).to.equal(0)
    expect(anna.stdout).to.include('Hello Anna')
    expect((await there(['--sample', '5'])).stdout).to.include('looked at 2 recipients')
    expect((await there(['--user', 'anna'], 'appsvc_pt_wrong')).code).to.equal(77)
    expect((await there(['--language', 'de'], 'appsvc_pt_wrong')).code).to.equal(0)
    const viewer = await addPerson(server.program, { roles: [{ appId: 1, role: 'viewer' }], scopes: ['see'] })
    expect((await there(['--user', 'anna'], viewer.token)).code).to.equal(77)
  })

  it('notify --dry-run says what a sample would get, and warns', async () => {
    const dry = await run(['notify', '--dry-run'], HELLO)
    expect(dry.code, dry.stderr).to.equal(0)
    expect(dry.stdout)
      .to.include('  looked at 2 recipients\n')
      .and.include('    user.attributes.firstName is missing for 1 of 2\n')
      .and.include('    anna: Hello Anna | Order A1\n')
    const shown = (await run(['notify', '--dry-run', '--json'], HELLO)).json<{ preview: Shown }>()
    expect(shown.preview.personalization).to.include({ sampled: 2, skipped: 1 })
    const { userMeta: _, ...without } = HELLO
    expect((await run(['notify', '--dry-run'], without)).stdout).to.include('  warning: the texts read meta, but')
    const plain = { target: HELLO.target, content: { title: 'Hi', message: 'M' } }
    expect((await run(['notify', '--dry-run', '--json'], plain)).json<{ preview: Shown }>().preview).to.have.keys(
      'recipients',
      'isComplete',
      'confirm',
      'gateways',
      'leftOut',
      'mayBeSkipped',
    )
  })

  it('notify warns once of braces that nothing replaces, and sends', async () => {
    const braces = { target: { userIds: ['anna'] }, content: { title: 'Hi {{ user.identifier }}', message: 'M' } }
    const sent = await runAnywhere(['notify', '--data-dir', data], {
      stdin: [braces, braces].map((one) => JSON.stringify(one)).join('\n'),
    })
    expect(sent.code, sent.stderr).to.equal(0)
    expect(sent.stderr.match(/warning: content\.title looks like template text/g)).to.have.length(1)
    expect(sent.stdout.match(/^202 /gm)).to.have.length(2)
    expect((await run(['notify'], HELLO)).stderr).to.not.include('warning')
    expect((await run(['notify', '--quiet'], braces)).stderr).to.not.include('warning')
    expect((await run(['notify'], { ...braces, target: {} })).code).to.equal(65)
  })

  it('push test sends nothing to an install that lacks a value, and names it', async () => {
    const test = (install: string, body: object) => run(['push', 'test', '--install', install, '--file', '-'], body)
    const ben = await test('ben-phone', HELLO)
    expect(ben.stdout).to.include('missing_value').and.include('no value for user.attributes.firstName')
    expect(ben.code).to.equal(65)
    // It has everything, and nothing to be sent with.
    const anna = await test('anna-phone', HELLO)
    expect([anna.code, anna.stderr]).to.deep.equal([78, anna.stderr])
    expect(anna.stderr).to.include('has no android gateway')
    expect((await test('anna-phone', { ...HELLO, content: { title: '{{ x }}', message: 'M' } })).stderr).to.include(
      'content.title',
    )
  })
})
