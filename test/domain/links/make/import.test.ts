import { Readable } from 'node:stream'
import { expect } from 'chai'
import { type ImportReport, importLinks, noSeenLinks } from '../../../../src/domain/links/make/import.ts'
import {
  type ConvertedLink,
  convertRow,
  type Row,
  type Service,
} from '../../../../src/domain/links/make/import-formats.ts'
import type { NewLink } from '../../../../src/domain/links/types.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../../support/program.ts'

const FIREBASE_HEAD =
  '"Short link","Deep link (link)","Android package name (apn)","Android fallback link (afl)","iOS fallback link (ifl)","Desktop fallback link (ofl)","Social title (st)","Social description (sd)","UTM source (utm_source)","Archived?","Link name","Creation timestamp"'

function linkOf(service: Service, row: Row, fallback?: string): NewLink {
  const converted = convertRow(service, row, { fallback })
  if (!('link' in converted)) throw new Error(JSON.stringify(converted))
  return converted.link
}

function problemOf(service: Service, row: Row): string {
  const converted = convertRow(service, row)
  return 'problem' in converted ? converted.problem : 'left' in converted ? `left: ${converted.left}` : ''
}

describe('a row of Firebase', () => {
  it('becomes a link with its path, its addresses and its texts', () => {
    expect(
      linkOf('firebase', {
        'Short link': 'https://go.example.com/AbCd',
        'Deep link (link)': 'https://example.com/a?b=1',
        'iOS fallback link (ifl)': 'https://example.com/phones',
        'Android fallback link (afl)': 'https://example.com/phones',
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
      mobileWebFallbackUrl: 'https://example.com/phones',
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
      'https://go.example.com/?link=https%3A%2F%2Fexample.com%2Fa&apn=com.x&ofl=https%3A%2F%2Fexample.com%2Fd&utm_source=ad'
    expect(linkOf('firebase', { shortLink: 'https://go.example.com/q', longLink: long })).to.deep.include({
      slug: 'q',
      linkData: { link: 'https://example.com/a', utm_source: 'ad' },
      desktopWebFallbackUrl: 'https://example.com/d',
      mobileWebFallbackUrl: 'https://example.com/a',
    })
  })

  it('needs a short path and an address', () => {
    expect(problemOf('firebase', { link: 'https://example.com' })).to.match(/no Short link/)
    expect(problemOf('firebase', { 'Short link': 'https://go.example.com/', link: 'https://e.com' })).to.match(
      /without a path/,
    )
    expect(problemOf('firebase', { 'Short link': 'https://go.example.com/a' })).to.match(/--fallback/)
    expect(
      linkOf('firebase', { 'Short link': 'https://go.example.com/a' }, 'https://e.com').desktopWebFallbackUrl,
    ).to.equal('https://e.com')
  })
})

describe('a row with an address that cannot be moved', () => {
  const hosts: [service: Service, url: string, owner: string][] = [
    ['firebase', 'https://example.page.link/a', 'example.page.link: this domain belongs to Firebase'],
    ['firebase', 'HTTPS://Example.Page.Link/a', 'example.page.link: this domain belongs to Firebase'],
    ['firebase', 'example.page.link/a', 'example.page.link: this domain belongs to Firebase'],
    ['firebase', 'https://x1y2.app.goo.gl/a', 'x1y2.app.goo.gl: this domain belongs to Firebase'],
    ['branch', 'https://example.app.link/a', 'example.app.link: this domain belongs to Branch'],
    ['branch', 'https://example-alternate.app.link/a', 'example-alternate.app.link: this domain belongs to Branch'],
    ['branch', 'https://example.test-app.link/a', 'example.test-app.link: this domain belongs to Branch'],
    ['branch', 'https://bnc.lt/m/a', 'bnc.lt: this domain belongs to Branch'],
  ]
  for (const [service, url, owner] of hosts) {
    it(`is left behind: ${url}`, () => {
      expect(
        problemOf(service, { url, 'Short link': url, link: url, data: { $fallback_url: 'https://e.com' } }),
      ).to.equal(`left: ${owner}, so its links cannot be moved`)
    })
  }

  it('is not taken for one that ends alike', () => {
    expect(linkOf('firebase', { short_link: 'https://mypage.link/a', link: 'https://e.com' }).slug).to.equal('a')
  })
})

describe('the fallback of one platform', () => {
  const link = 'https://example.com/link'
  const rows: [what: string, service: Service, row: Row, mobile: string, remark?: string][] = [
    ['for iOS alone', 'firebase', { ifl: 'https://e.com/i', link }, link, 'ifl'],
    ['for Android alone', 'firebase', { afl: 'https://e.com/a', link }, link, 'afl'],
    ['that differs', 'firebase', { ifl: 'https://e.com/i', afl: 'https://e.com/a', link }, link, 'ifl'],
    ['that is one for both', 'firebase', { ifl: 'https://e.com/b', afl: 'https://e.com/b', link }, 'https://e.com/b'],
    ['of desktops', 'firebase', { ofl: 'https://e.com/d', link }, link],
    ['for iOS alone', 'branch', { $ios_url: 'https://e.com/i', $canonical_url: link }, link, '$ios_url'],
    ['of desktops', 'branch', { $desktop_url: 'https://e.com/d', $fallback_url: link }, link],
    [
      'that is one for both',
      'branch',
      { $ios_url: 'https://e.com/b', $android_url: 'https://e.com/b', $fallback_url: link },
      'https://e.com/b',
    ],
  ]
  for (const [what, service, row, mobile, remark] of rows) {
    it(`${what} is not used for another: ${service}`, () => {
      const converted = convertRow(service, {
        url: 'https://go.example.com/x',
        short_link: 'https://go.example.com/x',
        ...row,
      })
      expect(converted).to.have.nested.property('link.mobileWebFallbackUrl', mobile)
      const remarks = (converted as ConvertedLink).remarks
      if (remark === undefined) expect(remarks).to.deep.equal([])
      else expect(remarks[0]).to.equal(`${remark} left out: it is for one platform, and phones have one address here`)
    })
  }

  const alone: [service: Service, row: Row, problem: string][] = [
    [
      'firebase',
      { short_link: 'https://go.example.com/x', ifl: 'https://e.com/i', ofl: 'https://e.com/d' },
      '(ifl is for one platform alone)',
    ],
    [
      'branch',
      { url: 'https://go.example.com/x', $desktop_url: 'https://e.com/d' },
      '($desktop_url is for one platform alone)',
    ],
    [
      'branch',
      { url: 'https://go.example.com/x', $ios_url: 'https://e.com/i', $android_url: 'https://e.com/a' },
      '($ios_url, $android_url are for one platform alone)',
    ],
  ]
  for (const [service, row, problem] of alone) {
    it(`alone is not enough: ${Object.keys(row).join(', ')}`, () => {
      expect(problemOf(service, row)).to.equal(
        `has no URL for people without the app ${problem}: give one for all such links with --fallback`,
      )
    })
  }
})

describe('a row of Branch', () => {
  const data = {
    $desktop_url: 'https://example.com/d',
    $ios_url: 'https://example.com/i',
    $fallback_url: 'https://example.com/all',
    $og_title: 'Title',
    $og_description: 'Text',
    $deeplink_path: 'offer/1',
    product: 7,
  }

  it('gives the whole dictionary to the app', () => {
    expect(
      linkOf('branch', { url: 'https://go.example.com/AbC', channel: 'mail', tags: ['a'], campaign: '', data }),
    ).to.deep.equal({
      slug: 'AbC',
      linkData: data,
      content: { title: 'Title', description: 'Text' },
      desktopWebFallbackUrl: 'https://example.com/d',
      mobileWebFallbackUrl: 'https://example.com/all',
      reportingMeta: { channel: 'mail', tags: ['a'] },
    })
  })

  it('may have the dictionary as text, or as columns', () => {
    const fromText = linkOf('branch', { url: 'https://go.example.com/AbC', data: JSON.stringify(data) })
    expect(fromText.linkData).to.deep.equal(data)
    const columns = {
      url: 'https://go.example.com/AbC',
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
    expect(problemOf('branch', { Alias: '', data })).to.equal('has no Alias')
  })
})

onEachDatabase('an import of links', (kind) => {
  let test: TestProgram
  before(async () => {
    test = await openTestProgram({ kind })
  })
  after(() => test.close())

  const importText = (text: string | Buffer[], service: Service = 'firebase'): Promise<ImportReport> =>
    importLinks(
      Readable.from(Array.isArray(text) ? text : [Buffer.from(text)]),
      service,
      {},
      {
        adopt: (links) => test.program.inTransaction((tx) => tx.links.adopt(test.first.id, links)),
        findEach: (slugs) => test.program.links.findEach(test.first.id, slugs),
      },
    )
  const csv = (...rows: string[]) => [FIREBASE_HEAD, ...rows].join('\r\n')

  it('makes what is new, keeps what is there, refuses what cannot be, and doubles nothing when it runs again', async () => {
    const text = `\uFEFF${csv(
      'https://example.page.link/never,https://example.com/0,,,,,,,,,,',
      'https://go.example.com/One,https://example.com/1,,,,,"A ""title"", with comma",,,,,',
      'https://go.example.com/one,https://example.com/2,,,,,,,,,,',
      'https://go.example.com/One,https://example.com/1,,,,,,,,,,',
      'https://go.example.com/One,https://example.com/other,,,,,,,,,,',
      'https://go.example.com/_taps,https://example.com/3,,,,,,,,,,',
      'https://go.example.com/bad,ftp://example.com/4,,,,,,,,,,',
      ',https://example.com/5,,,,,,,,,,',
    )}`
    const first = await importText(text)
    expect(first).to.deep.equal({
      created: 2,
      existing: 1,
      left: 1,
      refused: 4,
      remarks: [{ what: 'example.page.link: this domain belongs to Firebase, so its links cannot be moved', count: 1 }],
      refusedRows: [
        { line: 6, problem: 'has the path One, as line 3 has, and leads elsewhere: delete one of the two lines' },
        { line: 7, problem: 'Short link must not begin with the reserved _taps' },
        { line: 8, problem: 'Deep link (link) must be an absolute http or https URL' },
        { line: 9, problem: 'has no Short link' },
      ],
    })
    const again = await importText(text)
    expect([again.created, again.existing, again.left, again.refused]).to.deep.equal([0, 3, 1, 4])
    const link = (await test.program.links.find(test.first.id, 'One'))!
    expect(link.content).to.deep.equal({ title: 'A "title", with comma' })
    expect(link.linkData).to.deep.equal({ link: 'https://example.com/1' })
    expect((await test.program.links.find(test.first.id, 'one'))!.linkData).to.deep.equal({
      link: 'https://example.com/2',
    })
  })

  it('reads a thousand rows in pieces that end anywhere', async () => {
    const rows = Array.from(
      { length: 1200 },
      (_, i) => `https://go.example.com/n${i},https://example.com/ä${i},,,,,,,,,,`,
    )
    const bytes = Buffer.from(csv(...rows))
    const pieces = Array.from({ length: Math.ceil(bytes.length / 997) }, (_, i) =>
      bytes.subarray(i * 997, (i + 1) * 997),
    )
    expect(await importText(pieces)).to.deep.include({ created: 1200, existing: 0, refused: 0 })
    expect((await test.program.links.find(test.first.id, 'n1199'))!.desktopWebFallbackUrl).to.equal(
      'https://example.com/ä1199',
    )
  })

  it('reads a JSON list and JSON lines', async () => {
    const row = (slug: string) => ({
      url: `https://go.example.com/${slug}`,
      data: { $fallback_url: 'https://example.com' },
    })
    expect(await importText(JSON.stringify([row('j1'), 5, row('j2')]), 'branch')).to.deep.equal({
      created: 2,
      existing: 0,
      left: 0,
      refused: 1,
      remarks: [],
      refusedRows: [{ line: 2, problem: 'is not an object' }],
    })
    const lines = `${JSON.stringify(row('j2'))}\n\n{"broken\n${JSON.stringify(row('j3'))}\n`
    expect(await importText(lines, 'branch')).to.deep.equal({
      created: 1,
      existing: 1,
      left: 0,
      refused: 1,
      remarks: [],
      refusedRows: [{ line: 3, problem: 'is not valid JSON' }],
    })
    expect((await importText(lines.replaceAll('\n', '\r'), 'branch')).refusedRows).to.deep.equal([
      { line: 1, problem: 'contains a carriage return: lines end with LF or CRLF' },
    ])
  })

  it('reads a table whose lines end in a lone CR', async () => {
    const links: NewLink[] = []
    const text =
      'short_link,link\rhttps://go.example.com/a,https://example.com/a\rhttps://go.example.com/b,https://example.com/b\r'
    const report = await importLinks(
      Readable.from([Buffer.from(text.slice(0, 70)), Buffer.from(text.slice(70))]),
      'firebase',
      {},
      { adopt: async (batch) => links.push(...batch) },
    )
    expect(report).to.deep.include({ created: 2, existing: 0, refused: 0, refusedRows: [] })
    expect(links.map(({ slug }) => slug)).to.deep.equal(['a', 'b'])
  })

  it('passes over lines that are no CSV', async () => {
    const text = csv(
      'https://go.example.com/before,https://example.com/1,,,,,,,,,,',
      'https://go.example.com/x,a"b,,,,,,,,,,',
      'https://go.example.com/after,https://example.com/1',
      '"https://go.example.com/open,https://example.com/1',
    )
    const report = await importText(text)
    expect(report).to.deep.include({ created: 1, existing: 0, refused: 3 })
    expect(report.refusedRows.map(({ line }) => line)).to.deep.equal([3, 4, 5])
    for (const { problem } of report.refusedRows) expect(problem).to.match(/cannot be read as CSV/)
  })

  const files: [what: string, text: Buffer, message: RegExp][] = [
    ['in UTF-16', Buffer.from('\ufeffshort_link,link\n', 'utf16le'), /is UTF-16, not UTF-8/],
    ['in Latin-1', Buffer.from('short_link,link\nhttps://go.example.com/ä,x\n', 'latin1'), /line 2 is not UTF-8/],
    ['of JSON lines in Latin-1', Buffer.from('{"url":"a"}\n{"url":"ä"}', 'latin1'), /line 2 is not UTF-8/],
    ['of a JSON list in Latin-1', Buffer.from('[{"url":"ä"}]', 'latin1'), /is not UTF-8/],
    ['with semicolons', Buffer.from('short_link;link\nx;y\n'), /separated by semicolons/],
    ['with tabs', Buffer.from('short_link\tlink\nx\ty\n'), /separated by tabs/],
    ['with a column twice', Buffer.from('link,short_link,link\nx,y,z\n'), /has "link" twice/],
  ]
  for (const [what, text, message] of files) {
    it(`refuses a file ${what}`, async () => {
      const error = await importText([text]).catch((thrown: Error) => thrown)
      expect(error).to.have.property('message').that.matches(message)
    })
  }

  it('two domains with one path are not one link', async () => {
    const row = (host: string, to: string) => `https://${host}/twice,https://example.com/${to},,,,,,,,,,`
    for (const to of ['a', 'b']) {
      const report = await importText(csv(row('a.example.com', 'a'), row('b.example.com', to)))
      expect(report.refusedRows).to.deep.equal([
        {
          line: 3,
          problem:
            'has the path twice, as line 2 has on a.example.com: an app has each path once, so import the links of b.example.com into another app',
        },
      ])
    }
    const archived = await importText(csv(`${row('a.example.com', 'a').slice(0, -2)}true,,`))
    expect(archived).to.deep.include({ created: 0, existing: 1, refused: 0 })
    expect(archived.remarks[0]!.what).to.match(/^archived there and on here/)
    const later = await importText(csv(row('b.example.com', 'b')))
    expect(later).to.deep.include({ created: 0, existing: 0, refused: 1 })
    expect(later.refusedRows[0]!.problem).to.equal(
      'has the path twice, and the app has a link there that leads elsewhere: it stays',
    )
    // From another file of the same run.
    const seen = noSeenLinks()
    const read = (host: string) =>
      importLinks(
        Readable.from([Buffer.from(csv(row(host, 'x').replace('twice', 'files')))]),
        'firebase',
        {},
        { adopt: async (links) => links.length, seen },
      )
    expect(await read('a.example.com')).to.deep.include({ created: 1, refused: 0 })
    expect(await read('b.example.com')).to.deep.include({ created: 0, refused: 1 })
    expect(seen.domains()).to.deep.equal({ count: 2, first: ['a.example.com', 'b.example.com'] })
    seen.close()
  })

  it('tells the same of a path twice when few paths fit into memory', async () => {
    const row = (line: number) =>
      `https://${line % 7 === 0 ? 'b' : 'a'}.example.com/p${line % 50},https://example.com/${line % 25},,,,,,,,,,`
    const text = csv(...Array.from({ length: 150 }, (_, line) => row(line)))
    const read = async (kept?: number) => {
      const seen = noSeenLinks(kept)
      const adopt = async (links: readonly NewLink[]) => links.length
      const report = await importLinks(Readable.from([Buffer.from(text)]), 'firebase', {}, { adopt, seen })
      return { ...report, domains: seen.domains(), end: seen.close() }
    }
    const whole = await read()
    expect(await read(3)).to.deep.equal(whole)
    expect(whole).to.deep.include({ created: 50, existing: 70, refused: 30 })
    expect(whole.domains).to.deep.equal({ count: 2, first: ['b.example.com', 'a.example.com'] })
    expect(whole.refusedRows.at(-1)!.problem).to.match(/^has the path p49, as line 51 has on b.example.com/)
  })

  it('what was archived is switched off here too, and counted', async () => {
    const report = await importText(
      csv(
        'https://go.example.com/old,https://example.com/1,,,,,,,,TRUE,,',
        'https://go.example.com/new,https://example.com/1,,,,,,,,false,,',
        'https://go.example.com/odd,https://example.com/1,,,,,,,,perhaps,,',
      ),
    )
    expect(report).to.deep.include({
      created: 2,
      remarks: [{ what: 'archived: switched off here too', count: 1 }],
      refusedRows: [{ line: 4, problem: 'Archived? is neither true nor false: perhaps' }],
    })
    expect((await test.program.links.find(test.first.id, 'old'))!.isEnabled).to.equal(false)
    expect((await test.program.links.find(test.first.id, 'new'))!.isEnabled).to.equal(true)
    expect(
      linkOf('branch', {
        url: 'https://go.example.com/b',
        archived: true,
        data: { $fallback_url: 'https://e.com', deleted: true },
      }),
    ).to.include({ isEnabled: false })
    expect(
      linkOf('branch', { url: 'https://go.example.com/b', data: { $fallback_url: 'https://e.com', deleted: true } }),
    ).to.not.have.property('isEnabled')
    const states: [Record<string, unknown>, boolean][] = [
      [{ archived: 'false', deleted: 'true' }, false],
      [{ archived: false, is_deleted: 1 }, false],
      [{ enabled: 'no' }, false],
      [{ Enabled: 'disabled' }, false],
      [{ status: 'ARCHIVED' }, false],
      [{ status: 'active', archived: 'n', enabled: 'yes' }, true],
      [{ status: 'of another kind' }, true],
    ]
    for (const [row, isOn] of states) {
      const link = linkOf('branch', {
        url: 'https://go.example.com/b',
        data: { $fallback_url: 'https://e.com' },
        ...row,
      })
      expect((link as { isEnabled?: boolean }).isEnabled ?? true, JSON.stringify(row)).to.equal(isOn)
    }
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

  it('stores few rows at once where they are large', async () => {
    const rows = Array.from(
      { length: 20 },
      (_, i) => `https://go.example.com/l${i},https://example.com,${'x'.repeat(900_000)}\n`,
    )
    const sizes: number[] = []
    const report = await importLinks(
      Readable.from([Buffer.from('short_link,link,notes\n'), ...rows.map((row) => Buffer.from(row))]),
      'firebase',
      {},
      {
        async adopt({ length }) {
          sizes.push(length)
          return length
        },
      },
    )
    expect([report.created, Math.max(...sizes)]).to.deep.equal([20, 10])
  })

  it('closes the file when it stops early', async () => {
    for (const text of [`${FIREBASE_HEAD}\n`, '{"url":1}\n', 'not json']) {
      const input = Readable.from(
        (async function* () {
          for (let i = 0; i < 1000; i++) yield Buffer.from(i === 0 ? text : 'x'.repeat(100_000))
        })(),
      )
      await importLinks(input, 'firebase', {}, { adopt: () => Promise.resolve(0) }).catch(() => {})
      expect(input.destroyed, text).to.equal(true)
    }
  })

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
    const events = await test.program.events.after(test.first.id, 0, 10)
    expect(events).to.deep.equal([])
  })
})
