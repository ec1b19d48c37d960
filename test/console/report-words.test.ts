import { expect } from 'chai'
import { writeRecord } from '../../src/platform/text/csv-text.ts'
import { loadPure } from './support/pure.ts'

const COUNTS = { audience: 12, accepted: 10, delivered: 4, opened: 1, failed: 2 }

describe('a report in words', () => {
  it('says whether more opened it than usual', async () => {
    const { usualInWords } = await loadPure<{ usualInWords(report: object, now: number): string | undefined }>(
      'pages/delivery/usual.ts',
    )
    const at = { createdAt: '2026-02-01T12:00:00+0000', dueInstants: [{ at: '2026-03-01T12:00:00+0000' }] }
    const say = (openedShare: number, counts: object = COUNTS, now = '2026-03-02T12:00:00Z') =>
      usualInWords({ usual: { sends: 5, accepted: 1200, openedShare }, counts, ...at }, Date.parse(now))
    expect(say(0.082)).to.equal(
      'Opened by 10%, above the usual: usually 8.2% of 1,200 accepted, the median of the 5 sends like it before.',
    )
    expect(say(0.2)).to.include('below the usual')
    // Who has not opened it within a day may still do so.
    expect(say(0.2, COUNTS, '2026-03-02T11:59:00Z')).to.include('Opened by 10% so far: usually 20%')
    expect(say(0.1)).to.include('Opened by 10%, as usual:')
    expect(say(0.1, { ...COUNTS, accepted: 0 })).to.equal(undefined)
    expect(usualInWords({ usual: null, counts: COUNTS, ...at }, 0)).to.equal(undefined)
  })

  it('is exported as CSV, in which no text is a formula', async () => {
    const { csvOf } = await loadPure<{ csvOf(report: object): string }>('pages/delivery/csv.ts')
    const platforms = [{ platform: 'android', ...COUNTS }]
    const reasons = [{ outcome: 'failed', reason: 'a "b"', count: 2 }]
    const text = csvOf({
      title: '=1+1',
      counts: COUNTS,
      platforms,
      reasons,
      languages: [{ language: 'de', accepted: 3, opened: 1 }],
    })
    expect(text.split('\r\n')).to.deep.equal([
      'part,name,recipients,accepted,confirmed,opened,not reached',
      "all,'=1+1,12,10,4,1,2",
      'platform,Android,12,10,4,1,2',
      'language,de,,3,,1,',
      'reason: failed,"a ""b""",2,,,,',
      '',
    ])
  })

  it('has the cells that the server would write', async () => {
    const { csvOf } = await loadPure<{ csvOf(report: object): string }>('pages/delivery/csv.ts')
    const titles = [
      '=1',
      '+1',
      '-1',
      '@a',
      ' =1',
      '\t=1',
      '\n=1',
      "'=1",
      "''@a",
      '＝1',
      '＋1',
      '－1',
      '＠a',
      '\u00a0=1',
      'a=1',
      ' a',
      'a ',
      "'a",
      '',
    ]
    for (const title of titles) {
      const [, line] = csvOf({ title, counts: COUNTS, platforms: [], reasons: [] }).split(/\r\n(?=all|$)/)
      expect(`${line}\r\n`).to.equal(writeRecord(['all', title, 12, 10, 4, 1, 2]))
    }
  })
})
