import { expect } from 'chai'
import { compile } from '../../../src/domain/personalization/compile.ts'

interface Case {
  timezone?: string | null
  language?: string | null
}

function dateOf(value: unknown, format: string, { timezone = 'Europe/Berlin', language = 'en' }: Case = {}): string {
  const { template, problems } = compile(`{{ meta | date: '${format}' | default: '-' }}`)
  if (template === undefined) throw new Error(problems[0]!.message)
  return template.render({ meta: value, now: 0, timezone, language }).text
}

const AT = '2026-03-05T07:04:09Z'

describe('the filter date', () => {
  it('has the directives of strftime', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['%Y-%m-%d %H:%M:%S', '2026-03-05 08:04:09'],
      ['%F %T %R %D', '2026-03-05 08:04:09 08:04 03/05/26'],
      ['%-d.%-m.%y %e|%_m|%0e', '5.3.26  5| 3|05'],
      ['%A %a %^a %B %b %h', 'Thursday Thu THU March Mar Mar'],
      ['%I %l %-I %p %P %k', '08  8 8 AM am  8'],
      ['%j %-j %u %w', '064 64 4 4'],
      ['%z %Z %s', '+0100 Europe/Berlin 1772694249'],
      ['100%% %%F é', '100% %F é'],
      ['plain', 'plain'],
    ]
    for (const [format, text] of rows) expect(dateOf(AT, format), format).to.equal(text)
    for (const [at, text] of [
      ['2026-03-01T00:00:00Z', '12 AM 7'],
      ['2026-03-01T12:00:00Z', '12 PM 7'],
    ] as const) {
      expect(dateOf(at, '%I %p %u', { timezone: 'UTC' }), at).to.equal(text)
    }
  })

  it('shows an instant in the zone, also around a clock change', () => {
    const at = (instant: string, timezone: string | null) => dateOf(instant, '%F %R %z', { timezone })
    expect(at('2026-03-29T00:59:00Z', 'Europe/Berlin')).to.equal('2026-03-29 01:59 +0100')
    expect(at('2026-03-29T01:00:00Z', 'Europe/Berlin')).to.equal('2026-03-29 03:00 +0200')
    expect(at('2026-12-31T23:00:00Z', 'Asia/Kathmandu')).to.equal('2027-01-01 04:45 +0545')
    expect(at('2026-01-01T02:00:00+02:00', 'America/St_Johns')).to.equal('2025-12-31 20:30 -0330')
    for (const unknown of [null, '', 'Mars/Base', '+02:00', 'CEST2']) {
      expect(at(AT, unknown), String(unknown)).to.equal('2026-03-05 07:04 +0000')
    }
  })

  it('shows the last second that databases have, which stands for never', () => {
    for (const end of ['9999-12-31T23:59:59Z', '9999-12-31 23:59:59.999', '9999-12-31']) {
      expect(dateOf(end, '%F', { timezone: 'America/Lima' }), end).to.equal('9999-12-31')
    }
    expect(dateOf('1971-07-13T05:39:28Z', '%z', { timezone: 'Africa/Monrovia' })).to.equal('-0044')
  })

  it('leaves a day or a time without an offset what it is', () => {
    for (const timezone of ['Pacific/Auckland', 'America/Los_Angeles']) {
      expect(dateOf('2026-12-24', '%d.%m. %R', { timezone })).to.equal('24.12. 00:00')
      expect(dateOf('2026-12-24 18:30', '%d.%m. %R', { timezone })).to.equal('24.12. 18:30')
      expect(dateOf('2026-12-24T18:30:15.5', '%d.%m. %T', { timezone })).to.equal('24.12. 18:30:15')
    }
  })

  it('reads numbers as seconds, and large ones as milliseconds', () => {
    for (const value of [1772694249, '1772694249', 1772694249000, '1772694249000', 1772694249.7]) {
      expect(dateOf(value, '%F %T'), String(value)).to.equal('2026-03-05 08:04:09')
    }
    expect(dateOf(0, '%F %T', { timezone: null })).to.equal('1970-01-01 00:00:00')
  })

  it('gives nothing for what is no date', () => {
    for (const value of [
      undefined,
      null,
      '',
      'soon',
      '2026-02-30',
      '2026-13-01',
      '12:00',
      true,
      [],
      {},
      Number.NaN,
      1e300,
      -1e300,
      '9'.repeat(39),
      `${AT}${' '.repeat(1000)}`,
      '20260305',
    ]) {
      expect(dateOf(value, '%F'), JSON.stringify(value)).to.equal('-')
    }
  })

  it('has the names of days and months in the language, as they stand beside a day', () => {
    const at = (language: string | null) => dateOf('2026-11-29T12:00:00Z', '%A, %-d. %B', { language })
    expect(at('de')).to.equal('Sonntag, 29. November')
    expect(at('fr')).to.equal('dimanche, 29. novembre')
    expect(at('ru')).to.equal('воскресенье, 29. ноября')
    expect(at('ja')).to.equal('日曜日, 29. 11月')
    for (const unknown of [null, '', 'x', 'not a tag', 'zz-ZZ', '__proto__']) {
      expect(at(unknown), String(unknown)).to.equal('Sunday, 29. November')
    }
  })

  it('shows now', () => {
    const { template } = compile("{{ now | date: '%R' }}")
    expect(template?.render({ now: Date.parse(AT), timezone: 'Asia/Tokyo' }).text).to.equal('16:04')
  })
})
