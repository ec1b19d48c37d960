import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

type Json = Record<string, unknown>

describe('appsvc push-templates', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const inPlace = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  const run = (argv: string[], options?: RunOptions) => inPlace(['push-templates', ...argv], options)
  after(end)

  const whole = {
    uid: 'shipped',
    name: 'Shipped\u001b',
    content: { title: 'On its way', message: 'We have sent your order.' },
    ios: { subtitle: 'Your order' },
  }
  const file = join(dir, 'shipped.json')

  before(async () => {
    writeFileSync(file, JSON.stringify(whole))
    await inPlace(['apps', 'create', 'First'])
    expect((await run(['create', '1', '--file', file])).code).to.equal(0)
  })

  it('create takes a file, whose fields flags replace, or only title and message', async () => {
    const flags = ['--uid', 'other', '--name', 'Mine', '--title', 'Bread', '--url', 'https://example.com/b']
    const made = (await run(['create', 'First', ...flags, '--file', file, '--json'])).json<Json>()
    expect(made).to.deep.include({
      uid: 'other',
      name: 'Mine',
      version: 1,
      content: { ...whole.content, title: 'Bread', url: 'https://example.com/b' },
      ios: whole.ios,
    })
    const short = await run(['create', '1', '--uid', 'short', '--title', 'T', '--message', 'M'])
    expect(short.stdout).to.match(/^push template {2}short$/m)
    expect(short.stderr).to.include('appsvc push-templates preview --app 1 short')
    expect((await run(['create', '1', '--uid', 'none'])).code).to.equal(64)
    const taken = await run(['create', '1', '--file', file])
    expect([taken.code, taken.stderr]).to.deep.equal([
      75,
      'appsvc: there is a push template "shipped" already: change it, or choose another uid\n',
    ])
  })

  it('list, show and versions print push templates, marks of terminals made visible', async () => {
    const page = (await run(['list', '1', '--limit', '1', '--json'])).json<{ pushTemplates: Json[] }>()
    expect(page.pushTemplates[0]).to.deep.include({ uid: 'shipped', version: 1 }).and.not.have.property('content')
    expect((await run(['list', '1'])).stdout)
      .to.include('Shipped\\x1b')
      .and.not.include('\u001b')
    expect((await run(['show', '1', 'shipped'])).stdout).to.include('"title": "On its way"')
    expect((await run(['versions', '1', 'shipped'])).stdout).to.match(/^ +1 {2}\d{4}-/m)
  })

  it('update makes a version from a file that show wrote, or changes the name', async () => {
    const shown = (await run(['show', '1', 'shipped', '--json'])).json<Json>()
    const update = (body: object) => run(['update', '1', 'shipped', '--file', '-'], { stdin: JSON.stringify(body) })
    expect((await update(shown)).stdout).to.include('is unchanged; its version stays 1')
    expect((await update({ ...shown, ios: null })).stdout).to.include('is now version 2')
    expect((await run(['update', '1', 'shipped', '--name', 'New'])).stdout).to.equal(
      'Push template shipped is renamed to New; its version stays 2.\n',
    )
    expect((await run(['show', '1', 'shipped', '--version', '1'])).stdout).to.match(/^version +1 of 2$/m)
    expect((await run(['update', '1', 'shipped'])).code).to.equal(64)
  })

  it('preview prints the request to each gateway, and fails when one is too large', async () => {
    const shown = await run(['preview', '1', 'other', '--title', 'Own'])
    expect(shown.code).to.equal(0)
    expect(shown.stdout)
      .to.match(/^ios {2}\d+ of 4096 bytes$/m)
      .and.include('"title": "Own"')
    const own = { stdin: JSON.stringify({ content: { data: { x: 'y'.repeat(5000) } } }) }
    const large = await run(['preview', '1', 'other', '--file', '-'], own)
    expect(large.code).to.equal(65)
    expect(large.stdout).to.include('too large')
  })

  it('are named by notify and its rehearsal; push preview says which command reads them', async () => {
    const named = (uid: string) => JSON.stringify({ target: { broadcast: true }, content: { template: uid } })
    const lines = { stdin: `${named('other')}\n${named('gone')}\n` }
    for (const how of [['--dry-run'], []]) {
      const { code, stdout } = await inPlace(['notify', '--app', '1', '--json', ...how], lines)
      expect(code).to.equal(65)
      const [first, second] = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Json)
      expect(first).to.include({ status: 202 })
      expect(second).to.have.nested.property('errors').that.has.all.keys('content.template')
    }
    expect((await inPlace(['notifications', 'show', '1'])).stdout).to.match(/^push template +other \(version 1\)$/m)
    const previewed = await inPlace(['push', 'preview', '-'], { stdin: named('other') })
    expect(previewed.code).to.equal(65)
    expect(previewed.stderr).to.include('content.template').and.include('appsvc push-templates preview')
  })

  it('import creates those of OneSignal, and says what it left out and refused', async () => {
    const texts = { headings: { en: 'Hi {{ name }}' }, contents: { en: 'M' }, ios_sound: 'bell.wav' }
    const loop = { ...texts, contents: { en: '{% for x in y %}{% endfor %}' } }
    const file = JSON.stringify([
      { id: 'a', name: 'A', channel: 'push', content: texts },
      { id: 'b', name: 'B', channel: 'push', content: loop },
      { id: 'a', name: 'A', channel: 'push', content: texts },
    ])
    const ran = await run(['import', '1', '-', '--from', 'onesignal'], { stdin: file })
    expect(ran.code).to.equal(65)
    expect(ran.stdout)
      .to.match(/^a +created +ios_sound$/m)
      .and.match(/^b +refused +-$/m)
      .and.match(/^b: content\.message line 1, column 4: there is no tag/m)
      .and.include('a: there is a push template "a" already')
    expect((await run(['show', '1', 'a', '--json'])).json<Json>()).to.deep.include({
      content: { title: 'Hi {{ user.attributes.name }}', message: 'M' },
      personalize: { missing: 'empty' },
    })
  })

  it('import creates those of Pinpoint', async () => {
    const named = (TemplateName: string, Default: object) => ({
      PushNotificationTemplateResponse: { TemplateName, TemplateType: 'PUSH', Default },
    })
    const file = JSON.stringify([
      named('welcome', { Title: 'Hi {{User.UserId}}', Body: 'M' }),
      named('raw', { Title: 'T' }),
      named('helper', { Title: 'T', Body: '{{#if Attributes.a}}x{{/if}}' }),
    ])
    const ran = await run(['import', '1', '-', '--from', 'pinpoint'], { stdin: file })
    expect(ran.code).to.equal(65)
    expect(ran.stdout)
      .to.match(/^welcome +created +-$/m)
      .and.match(/^raw: Default\.Body is required/m)
      .and.match(/^helper: content\.message line 1, column \d+/m)
    expect((await run(['show', '1', 'welcome', '--json'])).json<Json>()).to.deep.include({
      content: { title: 'Hi {{ user.identifier }}', message: 'M' },
      personalize: { missing: 'skip' },
    })
  })

  it('delete asks, and deletes', async () => {
    expect((await run(['delete', '1', 'short', '--yes'])).stdout).to.equal('Push template short is deleted.\n')
    expect((await run(['show', '1', 'short'])).code).to.equal(66)
  })
})
