import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { alert, closing, heading } from '../support/templates.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

type Json = Record<string, unknown>

describe('appsvc templates', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere(['templates', ...argv, '--data-dir', data], options)
  const withFile = (argv: string[], body: unknown) =>
    run([...argv, '--file', '-', '--json'], { stdin: typeof body === 'string' ? body : JSON.stringify(body) })
  after(end)

  const whole = {
    uid: 'from-file',
    name: 'From a file\u001b',
    content: alert([heading('{{Title}}'), heading('{{Price}}'), closing()]),
    tags: [
      { title: 'Title', type: 'text', required: true },
      { title: 'Price', type: 'number', required: false, default: 5 },
    ],
    sample: { Title: 'Sample' },
  }
  const headings = (document: unknown) =>
    (document as ReturnType<typeof alert>).frame.nodes.map((node) => (node as { text: string }).text)

  before(async () => {
    await runAnywhere(['apps', 'create', 'First', '--data-dir', data])
    expect((await withFile(['create', '1'], whole)).code).to.equal(0)
  })

  it('create takes a file, whose uid and name flags replace', async () => {
    const file = join(dir, 'note.json')
    writeFileSync(file, JSON.stringify(whole))
    const made = (
      await run(['create', 'First', '--uid', 'other', '--name', 'Mine', '--file', file, '--json'])
    ).json<Json>()
    expect(made).to.deep.include({ ...whole, uid: 'other', name: 'Mine', version: 1 })
    const people = await run(['create', '1', '--uid', 'third', '--file', file])
    expect(people.stdout).to.match(/^template {2}third$/m)
    expect(people.stderr).to.include('appsvc templates preview --app 1 third')
  })

  it('create starts from each of the starters, which preview with their sample values', async () => {
    const { starters } = (await run(['starters', '--json'])).json<{ starters: { starter: string }[] }>()
    expect(starters.map(({ starter }) => starter)).to.deep.equal([
      'welcome',
      'announcement',
      'promotion',
      'permission',
      'rating',
    ])
    for (const { starter } of starters) {
      expect((await run(['create', '1', '--uid', starter, '--starter', starter])).code, starter).to.equal(0)
      const shown = (await run(['preview', '1', starter, '--json'])).json<Json>()
      expect(shown).to.have.all.keys('version', 'content')
    }
    expect((await run(['starters'])).stdout).to.match(/^promotion .* Product, Picture, Price, Link$/m)
  })

  it('list and show print templates, marks of terminals made visible', async () => {
    const page = (await run(['list', '1', '--limit', '1', '--json'])).json<{ templates: Json[]; next: number }>()
    expect(page.templates).to.have.length(1)
    expect(page.templates[0]).to.deep.include({ uid: 'from-file', version: 1 }).and.not.have.property('content')
    const listed = await run(['list', '1'])
    expect(listed.stdout).to.include('From a file\\x1b').and.not.include('\u001b')
    expect((await run(['list', '1', '--after', String(page.next)])).stdout).to.not.include('from-file')
    const shown = await run(['show', '1', 'from-file'])
    expect(shown.stdout)
      .to.match(/^Title +text +yes +- +Sample$/m)
      .and.match(/^Price +number +no +5 +-$/m)
      .and.include('"type": "alert"')
  })

  it('update makes a version from a file that show wrote, or changes the name', async () => {
    const shown = (await run(['show', '1', 'from-file', '--json'])).json<Json>()
    const changed = (
      await withFile(['update', '1', 'from-file'], { ...shown, content: alert([heading('{{Title}}!')]) })
    ).json<Json>()
    expect(changed).to.deep.include({ version: 2, name: whole.name })
    expect((await run(['update', '1', 'from-file', '--name', 'New'])).stdout).to.equal(
      'Template from-file is renamed to New; its version stays 2.\n',
    )
    const again = { stdin: JSON.stringify({ sample: { Title: 'Sample' } }) }
    const twice = await run(['update', '1', 'from-file', '--file', '-'], again)
    expect(twice.stdout).to.equal('Template from-file (New) is unchanged; its version stays 2.\n')
    expect((await run(['show', '1', 'from-file', '--version', '1', '--json'])).json<Json>()).to.deep.include({
      uid: 'from-file',
      version: 1,
      content: whole.content,
    })
    expect((await run(['show', '1', 'from-file', '--version', '1'])).stdout).to.match(/^version +1 of 2$/m)
    expect((await run(['versions', '1', 'from-file', '--json'])).json<{ versions: Json[] }>().versions).to.have.length(
      2,
    )
    expect((await run(['versions', '1', 'from-file'])).stdout).to.match(/^ +2 {2}\d{4}-/m)
  })

  it('preview takes values from a file and from flags, which win', async () => {
    await withFile(['create', '1', '--uid', 'values'], whole)
    const preview = async (argv: string[], stdin = '') =>
      headings((await run(['preview', '1', 'values', ...argv, '--json'], { stdin })).json<Json>().content)
    expect(await preview([])).to.deep.equal(['Sample', '5', 'OK'])
    expect(await preview(['--set', 'Title=a=b', '--set', 'Price=12.50'])).to.deep.equal(['a=b', '12.50', 'OK'])
    expect(await preview(['--content', '-', '--set', 'Title=flag'], '{"Title": "file", "Price": 7}')).to.deep.equal([
      'flag',
      '7',
      'OK',
    ])
    const people = await run(['preview', '1', 'values', '--set', 'Title=\u001b[2J'])
    expect(people.stdout).to.include('\\u001b[2J').and.not.include('\u001b')
    expect(headings(JSON.parse(people.stdout))).to.deep.equal(['\u001b[2J', '5', 'OK'])
  })

  it('preview draws the message into a page that stands alone', async () => {
    const page = join(dir, 'page.html')
    const drawn = await run(['preview', '1', 'from-file', '--set', 'Title=</script><b>', '--html', page, '--json'])
    expect(drawn.json<Json>()).to.deep.include({ file: page })
    expect(readFileSync(page, 'utf8'))
      .to.match(/^<!doctype html>/i)
      .and.not.include('</script><b>')
    expect((await run(['preview', '1', 'from-file', '--html', page])).stdout).to.include(`${page} shows version`)
    const nowhere = await run(['preview', '1', 'from-file', '--html', join(dir, 'none', 'page.html')])
    expect(nowhere.stderr).to.match(/--html: .*there is no directory/)
    expect(nowhere.code).to.equal(69)
  })

  it('delete asks, and says what is gone', async () => {
    await withFile(['create', '1', '--uid', 'gone'], whole)
    expect((await run(['delete', '1', 'gone'])).code).to.equal(64)
    expect((await run(['delete', '1', 'gone', '--yes', '--json'])).json()).to.deep.equal({ uid: 'gone', deleted: true })
    expect((await run(['show', '1', 'gone'])).code).to.equal(66)
  })

  const file = join(dir, 'none.json')
  const refused: [string, string[], number, RegExp, string?][] = [
    ['neither file nor starter', ['create', '1', '--uid', 'x'], 64, /give either --file FILE or --starter NAME/],
    [
      'both file and starter',
      ['create', '1', '--file', file, '--starter', 'welcome'],
      64,
      /give either --file FILE or --starter NAME/,
    ],
    ['a file that there is not', ['create', '1', '--file', file], 66, /--file: there is no file/],
    ['no JSON', ['create', '1', '--file', '-'], 65, /--file is not valid JSON/, '{'],
    ['a list', ['create', '1', '--file', '-'], 65, /must be an object/, '[]'],
    ['an unknown starter', ['create', '1', '--starter', 'hello'], 65, /starter must be one of welcome, announcement/],
    ['a wrong uid', ['create', '1', '--uid', 'a b', '--starter', 'welcome'], 65, /uid must be 1 to 255/],
    ['a taken uid', ['create', '1', '--uid', 'from-file', '--starter', 'welcome'], 65, /uid is the uid of another/],
    [
      'a wrong document',
      ['create', '1', '--file', '-'],
      65,
      /content\.frame\.nodes\[0\]\.text uses an undeclared tag: \{\{X\}\}/,
      JSON.stringify({ content: alert([heading('{{X}}')]) }),
    ],
    ['nothing to change', ['update', '1', 'from-file'], 64, /nothing to change/],
    ['nothing in the file', ['update', '1', 'from-file', '--file', '-'], 65, /names nothing to change/, '{}'],
    [
      'a file of another template',
      ['update', '1', 'from-file', '--file', '-'],
      65,
      /keeps its uid/,
      '{"uid": "x", "name": "x"}',
    ],
    ['an unknown template', ['preview', '1', 'nobody'], 66, /there is no template "nobody"/],
    ['an unknown version', ['show', '1', 'from-file', '--version', '99'], 66, /has no version 99/],
    ['a value without a name', ['preview', '1', 'from-file', '--set', 'x'], 64, /write TITLE=VALUE/],
    [
      'a value of the wrong type',
      ['preview', '1', 'from-file', '--set', 'Price=x'],
      65,
      /content\.Price must be a number/,
    ],
    ['an unknown tag', ['preview', '1', 'from-file', '--set', '__proto__=x'], 65, /content\.__proto__ is not a tag/],
    [
      'values that are no object',
      ['preview', '1', 'from-file', '--content', '-'],
      65,
      /--content must be an object/,
      '[]',
    ],
  ]
  for (const [what, argv, exit, sentence, stdin] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run(argv, stdin === undefined ? {} : { stdin })
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
    })
  }
})
