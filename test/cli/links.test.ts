import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { newLink } from '../support/links.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('appsvc links', () => {
  const { dir, end } = temporaryDirectory()
  const run = (argv: string[], options?: RunOptions) =>
    runAnywhere(['links', ...argv, '--data-dir', join(dir, 'data')], options)
  const file = (name: string, text: string) => {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, name), text)
    return join(dir, name)
  }
  after(end)

  let host: string
  before(async () => {
    const made = await runAnywhere(['apps', 'create', 'First', '--data-dir', join(dir, 'data'), '--json'])
    host = made.json<{ linkHost: string }>().linkHost
  })

  it('create makes one by flags, with everything that a link can have', async () => {
    const argv = ['create', '1', '--fallback', 'https://example.com/f', '--desktop', 'https://example.com/d']
    argv.push('--slug', 'offer', '--data', '{"screen": "offer"}', '--title', 'T\u001b', '--description', 'D')
    argv.push('--meta', '{"campaign": 1}', '--expires', '2099-01-01T00:00:00+01:00', '--lookups', '3', '--json')
    expect((await run(argv)).json()).to.deep.equal([{ id: 1, url: `http://${host}/offer` }])
    const shown = (await run(['show', '1', 'offer', '--json'])).json()
    expect(shown).to.deep.include({
      id: 1,
      url: `http://${host}/offer`,
      slug: 'offer',
      state: 'active',
      linkData: { screen: 'offer' },
      content: { title: 'T\u001b', description: 'D' },
      desktopWebFallbackUrl: 'https://example.com/d',
      mobileWebFallbackUrl: 'https://example.com/f',
      reportingMeta: { campaign: 1 },
      expiresAt: '2098-12-31T23:00:00+0000',
      lookupLimit: 3,
      lookups: 0,
      clicks: 0,
    })
    for (const ref of ['1', `http://${host}/offer`]) {
      expect((await run(['show', 'First', ref, '--json'])).json()).to.deep.equal(shown)
    }
    const text = (await run(['show', '1', 'offer'])).stdout
    expect(text).to.include('0 of 3').and.include('"campaign":1').and.not.include('\u001b')
  })

  it('create makes many from a file or standard input, all or none', async () => {
    const many = JSON.stringify([newLink({ slug: 'm1' }), newLink({ slug: 'm2' })])
    const made = await run(['create', '1', '--file', file('many.json', many)])
    expect(made.stdout).to.match(/ID +LINK\n +\d+ +http:.*\/m1\n +\d+ +http:.*\/m2\n/)
    const again = await run(['create', '1', '--file', '-'], {
      stdin: JSON.stringify([newLink({ slug: 'm3' }), newLink({ slug: 'm1' })]),
    })
    expect(again.code).to.equal(65)
    expect(again.stderr).to.match(/\[1\]\.slug is taken/)
    expect((await run(['show', '1', 'm3'])).code).to.equal(66)
    const one = await run(['create', '1', '--file', '-', '--json'], {
      stdin: JSON.stringify(newLink({ slug: 'alone' })),
    })
    expect(one.json<{ url: string }[]>().map(({ url }) => url)).to.deep.equal([`http://${host}/alone`])
  })

  it('list shows pages with counts', async () => {
    const listed = await run(['list', '--limit', '1'])
    expect(listed.stdout).to.match(
      /ID +LINK +STATE +CLICKS +APP OPENS +LIMIT +EXPIRES\n +1 +http:.*\/offer +active +0 +0 +3 +2098-12-31 23:00:00Z\n/,
    )
    expect(listed.stderr).to.include('--after 1')
    const page = (await run(['list', '1', '--after', '1', '--json'])).json<{
      deepLinks: { slug: string }[]
      next: null
    }>()
    expect(page.deepLinks.map(({ slug }) => slug)).to.deep.equal(['m1', 'm2', 'alone'])
    expect(page.next).to.equal(null)
  })

  it('settings show, change, keep and clear', async () => {
    const set = await run(
      ['settings', '1', '--ios-team', 'ABCDE12345', '--ios-bundle', 'com.a', '--ios-bundle', 'com.b'].concat(
        ['--android-package', 'com.a', '--android-sha256', 'ab'.repeat(32), '--domain', 'Go.Example.com'],
        [
          '--app-store-url',
          'https://apps.apple.com/app/id1',
          '--fingerprint-window',
          '10m',
          '--no-clipboard',
          '--color',
          '#0B6157',
          '--code',
          '--json',
        ],
      ),
    )
    const all = {
      appId: 1,
      links: 'https://go.example.com',
      subdomain: host.split('.')[0],
      domain: 'go.example.com',
      iosTeamId: 'ABCDE12345',
      iosBundleIds: ['com.a', 'com.b'],
      androidPackage: 'com.a',
      androidSha256: [Array(32).fill('AB').join(':')],
      appStoreUrl: 'https://apps.apple.com/app/id1',
      playStoreUrl: null,
      fingerprintWindow: 600,
      offersClipboard: false,
      icon: null,
      color: '#0b6157',
      offersCode: true,
    }
    expect(set.json()).to.deep.equal(all)
    expect((await run(['settings', '--json'])).json()).to.deep.equal(all)
    const off = await run([
      'settings',
      '1',
      '--domain',
      'off',
      '--ios-bundle',
      'off',
      '--fingerprint-window',
      'off',
      '--clipboard',
      '--json',
    ])
    expect(off.json()).to.deep.equal({
      ...all,
      links: `http://${host}`,
      domain: null,
      iosBundleIds: [],
      fingerprintWindow: 0,
      offersClipboard: true,
      icon: null,
    })
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg==', 'base64')
    const withIcon = await run(['settings', '1', '--icon', '-', '--json'], { stdin: png })
    expect(withIcon.json<{ icon: string }>().icon).to.equal(`data:image/png;base64,${png.toString('base64')}`)
    const noIcon = await run(['settings', '1', '--icon', '-'], { stdin: '<svg/>' })
    expect(noIcon.code).to.equal(65)
    expect(noIcon.stderr).to.include('--icon: - is no PNG, JPEG or WebP image')
    expect((await run(['settings', '1', '--icon', 'off', '--json'])).json()).to.include({ icon: null })
    const text = (await run(['settings', '1'])).stdout
    expect(text)
      .to.match(/iOS bundles +none\n/)
      .and.match(/fingerprint window +off\n/)
      .and.include(`http://${host}/…`)
  })

  it('settings name the wrong flags, all at once, and change nothing', async () => {
    const ran = await run([
      'settings',
      '1',
      '--ios-team',
      'x',
      '--android-sha256',
      'aa',
      '--android-sha256',
      'bb',
      '--domain',
      'https://x',
      '--app-store-url',
      'http://x',
    ])
    expect(ran.code).to.equal(65)
    for (const flag of ['--ios-team', '--android-sha256', '--domain', '--app-store-url']) {
      expect(ran.stderr).to.include(`${flag} must be`)
    }
    const other = await run([
      'settings',
      '1',
      '--play-store-url',
      'https://play.google.com/store/apps/details?id=com.z',
    ])
    expect(other.stderr).to.include('--play-store-url is the page of com.z')
    expect((await run(['settings', '--json'])).json()).to.deep.include({ iosTeamId: 'ABCDE12345', playStoreUrl: null })
  })

  it('qr writes a file of the kind that its name says, or SVG to standard output', async () => {
    const svg = await run(['qr', '1', 'offer'])
    expect(svg.stdout).to.match(/^<svg /)
    const png = join(dir, 'offer.png')
    expect((await run(['qr', '1', 'offer', '-o', png, '--json'])).json()).to.deep.equal({
      id: 1,
      url: `http://${host}/offer`,
      file: png,
      format: 'png',
    })
    expect(readFileSync(png).subarray(1, 4).toString()).to.equal('PNG')
    expect((await run(['qr', '1', 'offer', '--format', 'png'], { tty: true })).stderr).to.include('--output')
  })

  it('import takes links over, says which rows it refused, and can be repeated', async () => {
    const csv = file(
      'fdl.csv',
      'Short link,Deep link (link)\nhttps://go.example.com/Old,https://example.com/a\nhttps://go.example.com/,https://example.com/b\nhttps://x.page.link/Old,https://example.com/c\n',
    )
    const first = await run(['import', '1', csv, '--from', 'firebase'])
    expect(first.code).to.equal(65)
    expect(first.stdout).to.equal(
      '1 link was created, 0 were already present, 1 row was refused.\n1 row left behind.\n',
    )
    expect(first.stderr).to.include('line 3: Short link is a short link without a path')
    expect(first.stderr).to.include(
      '1 link: x.page.link: this domain belongs to Firebase, so its links cannot be moved',
    )
    const again = await run(['import', '1', '-', '--from', 'firebase', '--json'], { stdin: readFileSync(csv) })
    expect(again.json()).to.deep.include({ created: 0, existing: 1, refused: 1 })
    expect((await run(['show', '1', 'Old', '--json'])).json()).to.deep.include({
      linkData: { link: 'https://example.com/a' },
    })
    const branch = JSON.stringify({ url: 'https://go.example.com/B', data: { a: 1 } })
    const fine = await run(['import', '1', '-', '--from', 'branch', '--fallback', 'https://example.com'], {
      stdin: branch,
    })
    expect(fine.code).to.equal(0)
  })

  it('check says that a domain is of no app', async () => {
    const ran = await run(['check', 'go.example.com', '--json'])
    expect(ran.code).to.equal(78)
    expect(ran.json<{ findings: { remedy: string }[] }>().findings[0]!.remedy).to.equal(
      'appsvc links settings --app APP --domain go.example.com',
    )
    expect((await run(['check', 'go.example.com'])).stdout).to.match(/^error +no app has the domain/)
  })

  const refused: [string, string[], string, number, RegExp][] = [
    ['no fallback', ['create', '1', '--slug', 'x'], '', 65, /: --fallback is required$/m],
    [
      'an address that is none, for both places',
      ['create', '1', '--fallback', 'x', '--data', '{}'],
      '',
      65,
      /failed: --fallback must be an absolute http or https URL$/m,
    ],
    [
      'an address that is none, for one place',
      ['create', '1', '--fallback', 'https://e.com', '--mobile', 'x'],
      '',
      65,
      /failed: --mobile must be an absolute/,
    ],
    [
      'a change to no address',
      ['update', '1', 'offer', '--desktop', ''],
      '',
      65,
      /failed: --desktop must not be empty/,
    ],
    ['a wrong slug', ['create', '1', '--fallback', 'https://e.com', '--slug', 'a b'], '', 65, /slug may contain only/],
    [
      'data that is no JSON',
      ['create', '1', '--fallback', 'https://e.com', '--data', '{'],
      '',
      65,
      /--data is not valid JSON/,
    ],
    ['a file beside flags', ['create', '1', '--file', '-', '--slug', 'x'], '[]', 64, /--file/],
    ['no such file', ['create', '1', '--file', 'nowhere.json'], '', 66, /there is no file nowhere\.json/],
    ['a link that there is not', ['show', '1', 'nothing'], '', 66, /there is no deep link "nothing"/],
    ['an id that there is not', ['show', '1', '999'], '', 66, /there is no deep link 999/],
    ['a code to JSON', ['qr', '1', 'offer'], '', 64, /--json needs --output/],
    ['a code into nowhere', ['qr', '1', 'offer', '-o', '/nowhere/x.svg'], '', 69, /--output: .*there is no directory/],
    [
      'an import of no file',
      ['import', '1', 'nowhere.csv', '--from', 'firebase'],
      '',
      66,
      /there is no file nowhere\.csv/,
    ],
    ['an empty import', ['import', '1', '-', '--from', 'branch'], '', 65, /the file is empty/],
    [
      'a fallback that is none',
      ['import', '1', '-', '--from', 'branch', '--fallback', 'x'],
      '',
      64,
      /--fallback must be an absolute/,
    ],
    ['a domain with a scheme', ['check', 'https://go.example.com'], '', 64, /without https/],
    [
      'a window that is none',
      ['settings', '1', '--fingerprint-window', 'long'],
      '',
      64,
      /--fingerprint-window must be a duration/,
    ],
  ]
  for (const [what, argv, stdin, exit, sentence] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run([...argv, '--json'], { stdin })
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
    })
  }
})
