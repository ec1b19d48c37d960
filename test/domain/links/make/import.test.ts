import { Readable } from 'node:stream'
import { expect } from 'chai'
import { type ImportReport, importLinks } from '../../../../src/domain/links/make/import.ts'
import { convertRow, type Row, type Service } from '../../../../src/domain/links/make/import-formats.ts'
import type { NewLink } from '../../../../src/domain/links/types.ts'
import { onEachDatabase, openTestApp, type TestApp } from '../../../support/app.ts'

const FIREBASE_HEAD =
  '"Short link","Deep link (link)","Android package name (apn)","Android fallback link (afl)","iOS fallback link (ifl)","Desktop fallback link (ofl)","Social title (st)","Social description (sd)","UTM source (utm_source)","Archived?","Link name","Creation timestamp"'

function linkOf(service: Service, row: Row, fallback?: string): NewLink {
  const converted = convertRow(service, row, { fallback })
  if ('problem' in converted) throw new Error(converted.problem)
  return converted.link
}

function problemOf(service: Service, row: Row): string {
  const converted = convertRow(service, row)
  return 'problem' in converted ? converted.problem : ''
}

describe('a row of Firebase', () => {
  it('becomes a link with its path, its addresses and its texts', () => {
    expect(
      linkOf('firebase', {
        'Short link': 'https://example.page.link/AbCd',
        'Deep link (link)': 'https://example.com/a?b=1',
        'iOS fallback link (ifl)': 'https://example.com/ios',
        'Android fallback link (afl)': 'https://example.com/android',
        'Desktop fallback link (ofl)': 'https://example.com/desktop',
        'Social title (st)': 'Title',
        'Social description (sd)': 'Text',
        'UTM source (utm_source)': 'mail',
        'UTM campaign (utm_campaign)': '',
        'Link name': 'Spring',
        'Archived?': 'false',
      }),
    ).to.deep.equal({
      slug: 'AbCd',
      linkData: { link: 'https://example.com/a?b=1', utm_source: 'mail' },
      content: { title: 'Title', description: 'Text' },
      desktopWebFallbackUrl: 'https://example.com/desktop',
      mobileWebFallbackUrl: 'https://example.com/ios',
      reportingMeta: { name: 'Spring', utm_source: 'mail' },
    })
  })

  it('sends people to the deep link when it has no other addresses', () => {
    const link = linkOf('firebase', { short_link: 'https://go.example.com/promo/x', link: 'https://example.com/a' })
    expect(link).to.deep.include({
      slug: 'promo/x',
      desktopWebFallbackUrl: 'https://example.com/a',
      mobileWebFallbackUrl: 'https://example.com/a',
      reportingMeta: undefined,
    })
  })

  it('is read from a long link too', () => {
    const long =
      'https://x.page.link/?link=https%3A%2F%2Fexample.com%2Fa&apn=com.x&ofl=https%3A%2F%2Fexample.com%2Fd&utm_source=ad'
    expect(linkOf('firebase', { shortLink: 'https://x.page.link/q', longLink: long })).to.deep.include({
      slug: 'q',
      linkData: { link: 'https://example.com/a', utm_source: 'ad' },
      desktopWebFallbackUrl: 'https://example.com/d',
      mobileWebFallbackUrl: 'https://example.com/a',
    })
  })

  it('needs a short path and an address', () => {
    expect(problemOf('firebase', { link: 'https://example.com' })).to.match(/no Short link/)
    expect(problemOf('firebase', { 'Short link': 'https://x.page.link/', link: 'https://e.com' })).to.match(
      /without a path/,
    )
    expect(problemOf('firebase', { 'Short link': 'https://x.page.link/a' })).to.match(/--fallback/)
    expect(
      linkOf('firebase', { 'Short link': 'https://x.page.link/a' }, 'https://e.com').desktopWebFallbackUrl,
    ).to.equal('https://e.com')
  })
})

describe('a row of Branch', () => {
  const data = {
    $desktop_url: 'https://example.com/d',
    $ios_url: 'https://example.com/i',
    $og_title: 'Title',
    $og_description: 'Text',
    $deeplink_path: 'offer/1',
    product: 7,
  }

  it('gives the whole dictionary to the app', () => {
    expect(
      linkOf('branch', { url: 'https://x.app.link/AbC', channel: 'mail', tags: ['a'], campaign: '', data }),
    ).to.deep.equal({
      slug: 'AbC',
      linkData: data,
      content: { title: 'Title', description: 'Text' },
      desktopWebFallbackUrl: 'https://example.com/d',
      mobileWebFallbackUrl: 'https://example.com/i',
      reportingMeta: { channel: 'mail', tags: ['a'] },
    })
  })

  it('may have the dictionary as text, or as columns', () => {
    const fromText = linkOf('branch', { url: 'https://x.app.link/AbC', data: JSON.stringify(data) })
    expect(fromText.linkData).to.deep.equal(data)
    const columns = {
      url: 'https://x.app.link/AbC',
      '~channel': 'mail',
      $fallback_url: 'https://e.com',
      'data.product': '7',
      empty: '',
    }
    expect(linkOf('branch', columns)).to.deep.equal({
      slug: 'AbC',
      linkData: { $fallback_url: 'https://e.com', product: '7' },
      content: { title: undefined, description: undefined },
      desktopWebFallbackUrl: 'https://e.com',
      mobileWebFallbackUrl: 'https://e.com',
      reportingMeta: { channel: 'mail' },
    })
  })

  it('may have an alias for its path', () => {
    expect(linkOf('branch', { alias: 'sommer', data }).slug).to.equal('sommer')
    expect(problemOf('branch', { data })).to.match(/no url/)
    expect(problemOf('branch', { alias: 'x', data: 'no json' })).to.match(/--fallback/)
  })
})

onEachDatabase('an import of links', (kind) => {
  let test: TestApp
  before(async () => {
    test = await openTestApp({ kind })
  })
  after(() => test.close())

  const importText = (text: string | Buffer[], service: Service = 'firebase'): Promise<ImportReport> =>
    importLinks(
      Readable.from(Array.isArray(text) ? text : [Buffer.from(text)]),
      service,
      {},
      {
        adopt: (links) => test.app.inTransaction((tx) => tx.links.adopt(test.first.id, links)),
      },
    )
  const csv = (...rows: string[]) => [FIREBASE_HEAD, ...rows].join('\r\n')

  it('makes what is new, keeps what is there, refuses what cannot be, and doubles nothing when it runs again', async () => {
    const text = `\uFEFF${csv(
      'https://x.page.link/One,https://example.com/1,,,,,"A ""title"", with comma",,,,,',
      'https://x.page.link/one,https://example.com/2,,,,,,,,,,',
      'https://x.page.link/One,https://example.com/other,,,,,,,,,,',
      'https://x.page.link/_taps,https://example.com/3,,,,,,,,,,',
      'https://x.page.link/bad,ftp://example.com/4,,,,,,,,,,',
      ',https://example.com/5,,,,,,,,,,',
    )}`
    const first = await importText(text)
    expect(first).to.deep.equal({
      created: 2,
      existing: 1,
      refused: 3,
      refusedRows: [
        { line: 5, problem: 'slug must not begin with the reserved _taps' },
        {
          line: 6,
          problem:
            'desktopWebFallbackUrl must be an absolute http or https URL; mobileWebFallbackUrl must be an absolute http or https URL',
        },
        { line: 7, problem: 'has no Short link' },
      ],
    })
    const again = await importText(text)
    expect([again.created, again.existing, again.refused]).to.deep.equal([0, 3, 3])
    const link = (await test.app.links.find(test.first.id, 'One'))!
    expect(link.content).to.deep.equal({ title: 'A "title", with comma' })
    expect(link.linkData).to.deep.equal({ link: 'https://example.com/1' })
    expect((await test.app.links.find(test.first.id, 'one'))!.linkData).to.deep.equal({ link: 'https://example.com/2' })
  })

  it('reads a thousand rows in pieces that end anywhere', async () => {
    const rows = Array.from({ length: 1200 }, (_, i) => `https://x.page.link/n${i},https://example.com/ä${i},,,,,,,,,,`)
    const bytes = Buffer.from(csv(...rows))
    const pieces = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, i) =>
      bytes.subarray(i * 997, (i + 1) * 997),
    )
    expect(await importText(pieces)).to.deep.include({ created: 1200, existing: 0, refused: 0 })
    expect((await test.app.links.find(test.first.id, 'n1199'))!.desktopWebFallbackUrl).to.equal(
      'https://example.com/ä1199',
    )
  })

  it('reads a JSON list and JSON lines', async () => {
    const row = (slug: string) => ({
      url: `https://x.app.link/${slug}`,
      data: { $fallback_url: 'https://example.com' },
    })
    expect(await importText(JSON.stringify([row('j1'), 5, row('j2')]), 'branch')).to.deep.equal({
      created: 2,
      existing: 0,
      refused: 1,
      refusedRows: [{ line: 2, problem: 'is not an object' }],
    })
    const lines = `${JSON.stringify(row('j2'))}\n\n{"broken\n${JSON.stringify(row('j3'))}\n`
    expect(await importText(lines, 'branch')).to.deep.equal({
      created: 1,
      existing: 1,
      refused: 1,
      refusedRows: [{ line: 3, problem: 'is not valid JSON' }],
    })
  })

  it('reads a table whose lines end in a lone CR', async () => {
    const links: NewLink[] = []
    const text =
      'short_link,link\rhttps://x.page.link/a,https://example.com/a\rhttps://x.page.link/b,https://example.com/b\r'
    const report = await importLinks(
      Readable.from([Buffer.from(text.slice(0, 70)), Buffer.from(text.slice(70))]),
      'firebase',
      {},
      { adopt: async (batch) => links.push(...batch) },
    )
    expect(report).to.deep.equal({ created: 2, existing: 0, refused: 0, refusedRows: [] })
    expect(links.map(({ slug }) => slug)).to.deep.equal(['a', 'b'])
  })

  it('passes over lines that are no CSV', async () => {
    const text = csv(
      'https://x.page.link/before,https://example.com/1,,,,,,,,,,',
      'https://x.page.link/x,a"b,,,,,,,,,,',
      'https://x.page.link/after,https://example.com/1',
      '"https://x.page.link/open,https://example.com/1',
    )
    const report = await importText(text)
    expect(report).to.deep.include({ created: 2, existing: 0, refused: 2 })
    expect(report.refusedRows.map(({ line }) => line)).to.deep.equal([3, 5])
    for (const { problem } of report.refusedRows) expect(problem).to.match(/cannot be read as CSV/)
  })

  for (const begin of [FIREBASE_HEAD, '{}']) {
    it(`says that reading failed in the middle, after ${begin.slice(0, 5)}…`, async () => {
      const input = Readable.from(
        (async function* () {
          yield Buffer.from(begin)
          throw new Error('the disk is gone')
        })(),
      )
      let message = ''
      try {
        await importLinks(input, 'firebase', {}, { adopt: () => Promise.resolve(0) })
      } catch (error) {
        message = (error as Error).message
      }
      expect(message).to.equal('the disk is gone')
    })
  }

  it('refuses what is no table, and takes a list of nothing', async () => {
    const read = (text: string) =>
      importLinks(Readable.from([Buffer.from(text)]), 'firebase', {}, { adopt: async (links) => links.length })
    for (const text of ['not json', 'Short link,Link\n', ' ', '\u0001\u0002']) {
      expect(await read(text).catch((error: Error) => error.message), text).to.match(/has no rows/)
    }
    expect(await read('[]')).to.include({ created: 0, existing: 0, refused: 0 })
  })

  it('refuses an empty file and broken JSON', async () => {
    for (const text of ['', '[{"url": 1,']) {
      let code = ''
      try {
        await importText(text === '' ? [] : text)
      } catch (error) {
        code = (error as { code: string }).code
      }
      expect(code).to.equal('bad_request')
    }
  })

  it('stores no event for links that people have already', async () => {
    const events = await test.app.events.after(test.first.id, 0, 10)
    expect(events).to.deep.equal([])
  })
})
