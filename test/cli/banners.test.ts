import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { newLink } from '../support/links.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

type Json = Record<string, unknown>

const LABELS = {
  heading: 'Better\u001b in the app',
  body: 'All of it',
  acceptAction: 'Get it',
  declineAction: 'Not now',
}

describe('appsvc banners', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere(['banners', ...argv, '--data-dir', data], options)
  const withFile = (argv: string[], body: unknown) =>
    run([...argv, '--file', '-', '--json'], { stdin: typeof body === 'string' ? body : JSON.stringify(body) })
  after(end)

  before(async () => {
    await runAnywhere(['apps', 'create', 'First', '--data-dir', data])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await program.inTransaction((tx) => tx.links.create(1, [newLink({ slug: 'spring' }), newLink({ slug: 'sum/mer' })]))
    await program.close()
  })

  it('create, show, list, update and delete do what they say', async () => {
    const whole = {
      link: 'spring',
      position: 'top',
      trigger: {
        event: 'k.pageViewed',
        afterSeconds: 3,
        filters: [
          ['path', 'in', ['/shop/*']],
          ['visits', '>=', 2],
        ],
      },
      imageUrl: 'https://example.com/icon.png',
      labels: LABELS,
      colors: {
        fg: '#000',
        bg: '#ffffff',
        declineActionFg: '#11223344',
        declineActionBg: 'rgb(1, 2, 3)',
        acceptActionFg: 'rgba(1, 2, 3, 0.5)',
        acceptActionBg: 'rgb(1 2 3 / 50%)',
        ratingFg: '#abc',
      },
      appRating: { rating: 4.7, ratingCount: 1200 },
      uiActions: { decline: { type: 'remind', delay: { duration: 3, timeUnit: 'days' } } },
    }
    const made = (await withFile(['create', '1'], whole)).json<Json & { uuid: string }>()
    expect(made).to.deep.equal({ uuid: made.uuid, ...whole })
    expect((await run(['show', '1', made.uuid, '--json'])).json()).to.deep.equal(made)
    const shown = await run(['show', 'First', made.uuid])
    expect(shown.stdout).to.include('"ratingCount": 1200').and.not.include('\u001b')
    const listed = await run(['list'])
    expect(listed.stdout).to.include(`${made.uuid}  spring  Better\\x1b in the app  top`)

    const changed = (
      await withFile(['update', '1', made.uuid], { link: 'sum/mer', colors: { fg: '#123' } })
    ).json<Json>()
    expect(changed).to.deep.include({ link: 'sum/mer', labels: LABELS, position: 'top' })
    expect(changed.colors).to.include({ fg: '#123', bg: '#ffffff', ratingFg: '#b26a00' })

    const plain = (await withFile(['create', '1'], { link: 'spring', labels: LABELS })).json<Json>()
    expect(plain).to.deep.include({ position: 'bottom', trigger: { event: 'k.pageViewed' } })
    expect(plain.uiActions).to.deep.equal({ decline: { type: 'decline' } })
    expect((await run(['list', '--json'])).json<{ banners: unknown[] }>().banners).to.have.length(2)
    expect((await run(['delete', '1', made.uuid, '--yes', '--json'])).json()).to.deep.equal({
      uuid: made.uuid,
      deleted: true,
    })
    expect((await run(['show', '1', made.uuid])).code).to.equal(66)
  })

  const wrong: [string, unknown, RegExp[]][] = [
    ['nothing', {}, [/link is required/, /labels is required/]],
    ['no object', [], [/must be an object/]],
    [
      'a link that there is not',
      { link: 'winter', labels: LABELS },
      [/link is not the slug of a link of this app: "winter"/],
    ],
    ['a link that can be none', { link: '../x', labels: LABELS }, [/link is not the slug/]],
    [
      'a field that there is not',
      { link: 'spring', labels: LABELS, colour: {} },
      [/colour is not a field of this object/],
    ],
    [
      'wrong labels and colours',
      { link: 'spring', labels: { heading: 'x', text: 'y' }, colors: { fg: 'url(https://evil.example)', bg: '#12' } },
      [
        /labels\.body is required/,
        /labels\.text is not a field/,
        /colors\.fg must be a colour/,
        /colors\.bg must be a colour/,
      ],
    ],
    [
      'wrong choices',
      { link: 'spring', labels: LABELS, position: 'left', imageUrl: 'javascript:alert(1)', appRating: { rating: 6 } },
      [
        /position must be one of top, bottom/,
        /imageUrl must be an absolute/,
        /appRating\.rating must be at most 5/,
        /appRating\.ratingCount is required/,
      ],
    ],
    [
      'a wrong trigger',
      {
        link: 'spring',
        labels: LABELS,
        trigger: {
          afterSeconds: -1,
          filters: [['path', 'like', 'x'], ['path', 'in', 'x'], ['path', '>', []], ['', '=', 1], 'x'],
        },
      },
      [
        /trigger\.event is required/,
        /trigger\.afterSeconds must be at least 0/,
        /trigger\.filters\[0\] has the operator "like"/,
        /trigger\.filters\[1\] needs a list/,
        /trigger\.filters\[2\] needs a text or a number/,
        /trigger\.filters\[3\] must begin with the name/,
        /trigger\.filters\[4\] must be \[property, operator, value\]/,
      ],
    ],
    [
      'a wrong second button',
      { link: 'spring', labels: LABELS, uiActions: { decline: { type: 'remind' } } },
      [/uiActions\.decline\.delay is required with type remind/],
    ],
    ['no JSON', '{"link":', [/--file is not valid JSON/]],
  ]
  for (const [what, body, sentences] of wrong) {
    it(`names everything that is wrong with ${what}`, async () => {
      const ran = await withFile(['create', '1'], body)
      for (const sentence of sentences) expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(65)
    })
  }

  it('refuses an update of nothing and a banner that there is not', async () => {
    const uuid = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed'
    const nothing = await withFile(['update', '1', uuid], {})
    expect([nothing.code, nothing.stderr]).to.satisfy(
      ([code, said]: [number, string]) => code === 65 && /nothing to change/.test(said),
    )
    const unknown = await withFile(['update', '1', uuid], { position: 'top' })
    expect(unknown.stderr).to.include(`there is no banner "${uuid}"`)
    expect(unknown.code).to.equal(66)
    expect((await run(['delete', '1', uuid])).code).to.equal(66)
  })
})
