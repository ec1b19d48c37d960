import { expect } from 'chai'
import { fromLinkSettingsForm, linkSettingsForm } from '../../../../src/domain/links/settings/settings.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'
import { hear } from '../../../support/hear.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

const read = (form: object) => fromLinkSettingsForm(parseJson(linkSettingsForm, form))

function errorsOf(form: object): Record<string, string[]> {
  try {
    read(form)
  } catch (error) {
    return (error as { details: { fields: Record<string, string[]> } }).details.fields
  }
  return {}
}

const PRINT = Array.from({ length: 32 }, (_, i) => i.toString(16).padStart(2, '0')).join(':')

describe('the form of link settings', () => {
  const rows: [string, unknown, unknown][] = [
    ['domain', 'Go.Example.COM', 'go.example.com'],
    ['domain', 'müller.example', 'xn--mller-kva.example'],
    ['domain', null, null],
    ['iosTeamId', 'ABCDE12345', 'ABCDE12345'],
    ['iosBundleIds', ['com.a', 'com.b-c', 'com.a'], ['com.a', 'com.b-c']],
    ['iosBundleIds', [], []],
    ['androidPackage', 'com.example.app_2', 'com.example.app_2'],
    ['androidSha256', [PRINT, PRINT.replaceAll(':', '')], [PRINT.toUpperCase()]],
    ['appStoreUrl', 'https://apps.apple.com/de/app/name/id123456789', 'https://apps.apple.com/de/app/name/id123456789'],
    [
      'playStoreUrl',
      'https://play.google.com/store/apps/details?id=com.a.b&hl=de',
      'https://play.google.com/store/apps/details?id=com.a.b&hl=de',
    ],
    ['fingerprintWindow', 3600, 3600],
    ['offersClipboard', false, false],
    ['color', '#0B6157', '#0b6157'],
    ['color', null, null],
    ['offersCode', true, true],
  ]
  for (const [field, given, stored] of rows) {
    it(`takes ${JSON.stringify(given)} for ${field}`, () => {
      expect(read({ [field]: given })[field as 'domain']).to.deep.equal(stored)
    })
  }

  const wrong: [string, unknown, RegExp][] = [
    ['domain', 'https://go.example.com', /without https/],
    ['domain', 'go.example.com/path', /without https/],
    ['domain', 'go.example.com:8443', /without https/],
    ['domain', 'go_x.example.com', /host name/],
    ['domain', '-a.example.com', /host name/],
    ['domain', 'localhost', /with a dot/],
    ['domain', '10.0.0.1', /not an address/],
    ['domain', '0x7f.1', /not an address/],
    ['iosTeamId', 'abcde12345', /10 capital letters/],
    ['iosTeamId', 'ABCDE1234', /10 capital letters/],
    ['iosBundleIds', ['com.a b'], /bundle identifier/],
    ['iosBundleIds', ['ABCDE12345.com.a'], /without the team id/],
    ['androidPackage', 'app', /package name/],
    ['androidPackage', 'com.1a', /package name/],
    ['androidSha256', [Array(20).fill('AB').join(':')], /SHA-1/],
    ['androidSha256', [PRINT.slice(3)], /32 bytes/],
    ['androidSha256', [PRINT.replace('00:', '00-')], /32 bytes/],
    ['appStoreUrl', 'http://apps.apple.com/app/id1', /App Store/],
    ['appStoreUrl', 'https://apps.apple.com.evil.example/app/id1', /App Store/],
    ['appStoreUrl', 'https://apps.apple.com/app/name', /App Store/],
    ['appStoreUrl', 'https://x@apps.apple.com/app/id1', /App Store/],
    ['playStoreUrl', 'https://play.google.com/store/apps/details', /Google Play/],
    ['playStoreUrl', 'https://play.google.com/store/apps/dev?id=1', /Google Play/],
    ['playStoreUrl', 'https://apps.apple.com/app/id1', /Google Play/],
    ['fingerprintWindow', 86_401, /at most 86400/],
    ['fingerprintWindow', -1, /at least 0/],
    ['offersClipboard', 'yes', /true or false/],
    ['offersCode', 1, /true or false/],
    ...['0b6157', '#0b615', '#0b61577', '#0b615g', 'red', '#0b6157;}', ' #0b6157'].map(
      (given): [string, unknown, RegExp] => ['color', given, /six hexadecimal digits/],
    ),
    ['icon', 'https://example.com/icon.png', /data URL/],
    ['icon', 'data:image/svg+xml;base64,PHN2Zy8+', /PNG, JPEG or WebP/],
    ['icon', 'data:image/png;base64,AAAA', /is not the PNG/],
    ['icon', `data:image/png;base64,iVBORw0KGgoA${'A'.repeat(32_768)}`, /at most/],
  ]
  for (const [field, given, message] of wrong) {
    it(`refuses ${JSON.stringify(given).slice(0, 50)} for ${field}`, () => {
      const errors = errorsOf({ [field]: given })
      expect(Object.keys(errors)).to.deep.equal([Array.isArray(given) ? `${field}[0]` : field])
      expect(Object.values(errors)[0]).to.have.length(1)
      expect(Object.values(errors)[0]![0]).to.match(message)
    })
  }
})

onEachDatabase('link settings', (kind) => {
  let test: TestProgram
  let appId: number
  before(async () => {
    const settings = {
      'links.domain': 'lnk.example.com',
      baseUrl: 'https://api.example.com',
      'hosts.push': 'Push.example.com',
    }
    test = await openTestProgram({ kind, settings })
    appId = test.first.id
  })
  after(() => test.close())

  const configure = (form: object, app = appId) =>
    test.program.inTransaction((tx) => tx.links.configure(app, read(form)))
  const refused = async (form: object, app = appId) => {
    try {
      await configure(form, app)
    } catch (error) {
      return (error as { details: { fields: Record<string, string[]> } }).details.fields
    }
    throw new Error('it was taken')
  }

  it('have their defaults until they are set', async () => {
    expect(await test.program.links.site(appId)).to.deep.equal({
      appId,
      appName: 'First',
      appIcon: null,
      settings: {
        subdomain: test.first.linkHostLabel,
        domain: null,
        iosTeamId: null,
        iosBundleIds: [],
        androidPackage: null,
        androidSha256: [],
        appStoreUrl: null,
        playStoreUrl: null,
        fingerprintWindow: 0,
        offersClipboard: true,
        icon: null,
        color: null,
        offersCode: false,
      },
    })
  })

  it('are read without the icon for an address', async () => {
    const { id, linkHostLabel: subdomain } = await test.program.inTransaction((tx) =>
      tx.apps.create({ name: 'Pictured' }),
    )
    const place = () => test.program.links.place(id)
    expect(await place()).to.deep.equal({ appId: id, settings: { subdomain, domain: null, fingerprintWindow: 0 } })
    await configure(
      { icon: 'data:image/png;base64,iVBORw0KGgoA', domain: 'pictured.example.com', fingerprintWindow: 60 },
      id,
    )
    const heard: string[] = []
    const stop = hear(test.program.kernel.db, ({ sql }) => heard.push(sql))
    expect((await place()).settings).to.deep.equal({ subdomain, domain: 'pictured.example.com', fingerprintWindow: 60 })
    stop()
    expect(heard.join())
      .to.include('fingerprint_window')
      .and.not.match(/icon|\*/)
  })

  it('change what is given, keep the rest, and clear with null', async () => {
    await configure({
      domain: 'go.example.com',
      iosTeamId: 'ABCDE12345',
      iosBundleIds: ['com.a'],
      offersClipboard: false,
      icon: null,
    })
    await configure({ iosTeamId: null, fingerprintWindow: 60 })
    const { settings } = await test.program.links.site(appId)
    expect(settings).to.deep.include({
      domain: 'go.example.com',
      iosTeamId: null,
      iosBundleIds: ['com.a'],
      fingerprintWindow: 60,
      offersClipboard: false,
      icon: null,
      subdomain: test.first.linkHostLabel,
    })
  })

  it('decide which app a host is of', async () => {
    await configure({ domain: 'go.example.com' })
    const { links } = test.program
    for (const host of ['go.example.com', 'GO.example.com:443', `${test.first.linkHostLabel}.lnk.example.com`]) {
      expect((await links.siteOfHost(host))?.appId, host).to.equal(appId)
    }
    for (const host of [
      'other.example.com',
      'zzz.lnk.example.com',
      'lnk.example.com',
      `${test.first.linkHostLabel}.localhost`,
      '',
    ]) {
      expect(await links.siteOfHost(host), host).to.equal(undefined)
    }
    expect((await links.siteOfSubdomain(test.first.linkHostLabel))?.appId).to.equal(appId)
    expect(await links.siteOfSubdomain('go.example.com')).to.equal(undefined)
    const site = (await links.siteOfHost('go.example.com'))!
    expect(links.urlOf(site, 'x')).to.equal('https://go.example.com/x')
  })

  it('refuse a domain that leads elsewhere', async () => {
    const { id: other } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await configure({ domain: 'go.example.com' })
    expect(await refused({ domain: 'go.example.com' }, other)).to.deep.equal({
      domain: [`is already the domain of app ${appId} (First)`],
    })
    expect((await refused({ domain: 'api.example.com' })).domain![0]).to.match(/own interfaces/)
    expect((await refused({ domain: 'push.example.com' })).domain![0]).to.match(/own interfaces/)
    expect((await refused({ domain: 'x.lnk.example.com' })).domain![0]).to.match(/below lnk\.example\.com/)
    expect((await refused({ domain: 'lnk.example.com' })).domain![0]).to.match(/below lnk\.example\.com/)
    await configure({ domain: 'go.example.com' })
  })

  it('refuse a store page of another package, whichever of the two is set later', async () => {
    await configure({ androidPackage: 'com.a.b' })
    const page = 'https://play.google.com/store/apps/details?id=com.a.c'
    expect((await refused({ playStoreUrl: page })).playStoreUrl![0]).to.equal(
      'is the page of com.a.c, but the package name is com.a.b',
    )
    await configure({ playStoreUrl: page, androidPackage: 'com.a.c' })
    expect(Object.keys(await refused({ androidPackage: 'com.a.b' }))).to.deep.equal(['playStoreUrl'])
  })
})
