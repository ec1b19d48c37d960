import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Draft = Record<string, unknown>

interface Rules {
  simpleOf(cron: string): object | undefined
  cronOf(rule: object): string
  ruleInWords(rule: object): string
  timeInWords(time: string, timezone: string): string
  ruleOf(schedule: unknown): object | undefined
}
interface Rows {
  REPEAT: readonly object[]
  recurringOf(draft: Draft): object | undefined
}
interface Table {
  valuesOf(rows: readonly object[], body?: object): Draft
  problemsOf(rows: readonly object[], draft: Draft): Record<string, string | undefined>
  namesOf(rows: readonly object[], draft: Draft): Record<string, string>
}
interface Change {
  draftOfSeries(request: object): Draft
  changeOf(before: object, after: object): object
  isShownWhole(series: { kind: string; request: object }): boolean
}

const { simpleOf, cronOf, ruleInWords, timeInWords, ruleOf } = await loadPure<Rules>('pages/series/rule.ts')
const { REPEAT, recurringOf } = await loadPure<Rows>('pages/series/rows.ts')
const { valuesOf, problemsOf, namesOf } = await loadPure<Table>('forms/table.ts')
const { draftOfSeries, changeOf, isShownWhole } = await loadPure<Change>('pages/series/change-of.ts')
const { pushOf } = await loadPure<{ pushOf(draft: Draft): object | undefined }>('pages/push/draft.ts')

const BERLIN = 'Europe/Berlin'

/** Spaces as people type them: dates in words have narrow ones. */
const plain = (text: string) => text.replace(/\s/g, ' ')

describe('the rule of a series in words', () => {
  const WORDS: readonly [cron: string, words: string][] = [
    ['0 9 * * *', 'Every day at 9:00 AM'],
    ['30 7 * * MON-FRI', 'Monday to Friday at 7:30 AM'],
    ['0 9 * * MON', 'Every Monday at 9:00 AM'],
    ['0 9 * * 1,thu', 'Every Monday and Thursday at 9:00 AM'],
    ['0 9 * * 0', 'Every Sunday at 9:00 AM'],
    ['0 9 * * 7', 'Every Sunday at 9:00 AM'],
    ['0 9 * * SAT-MON', 'Every Monday, Saturday, and Sunday at 9:00 AM'],
    ['0 9 * * MON-SUN', 'Every day at 9:00 AM'],
    ['0 18 1 * *', 'On the 1st of each month at 6:00 PM'],
    ['0 18 22 * *', 'On the 22nd of each month at 6:00 PM'],
    ['0 18 13 * *', 'On the 13th of each month at 6:00 PM'],
    ['0 18 L * *', 'On the last day of each month at 6:00 PM'],
    ['0  18  3 *  *', 'On the 3rd of each month at 6:00 PM'],
    ['0 10 * * SAT#1', 'By the rule 0 10 * * SAT#1'],
    ['*/30 8-17 * * *', 'By the rule */30 8-17 * * *'],
    ['0 9 1 * MON', 'By the rule 0 9 1 * MON'],
    ['0 9 32 * *', 'By the rule 0 9 32 * *'],
    ['0 9 1,15 * *', 'By the rule 0 9 1,15 * *'],
    ['0 9 1 6 *', 'By the rule 0 9 1 6 *'],
  ]
  for (const [cron, words] of WORDS) {
    it(`says ${cron} as "${words}"`, () => {
      expect(plain(ruleInWords({ cron, timezone: BERLIN }))).to.equal(`${words} (Europe/Berlin)`)
    })
  }

  it('says the clock of each phone, and its bounds', () => {
    const rule = { cron: '0 9 * * *', timezone: 'local', startsAt: '2026-03-02 09:00', endsAt: null }
    expect(plain(ruleInWords(rule))).to.equal(
      'Every day at 9:00 AM, on each phone’s clock, from Monday, March 2, 2026 at 9:00 AM',
    )
  })

  it('says a time ahead on the clock of the rule', () => {
    expect(plain(timeInWords('2026-11-30T08:00:00+0000', BERLIN))).to.equal('Monday, November 30, 2026 at 9:00 AM')
    expect(plain(timeInWords('2026-11-30 09:00', 'local'))).to.equal('Monday, November 30, 2026 at 9:00 AM')
  })

  it('reads nothing from a schedule that is no rule', () => {
    for (const other of [
      undefined,
      null,
      {},
      { strategy: 'utc', sendAt: '2026-03-02 09:00' },
      { strategy: 'recurring' },
    ])
      expect(ruleOf(other)).to.equal(undefined)
  })

  it('writes a simple rule as it reads it', () => {
    for (const cron of ['5 9 * * *', '30 7 * * MON,WED', '0 18 L * *', '0 18 31 * *'])
      expect(cronOf(simpleOf(cron)!)).to.equal(cron)
  })
})

describe('the form of a rule', () => {
  const SCHEDULES: readonly [name: string, schedule: object][] = [
    ['every day', { cron: '5 9 * * *', timezone: BERLIN }],
    ['days of the week', { cron: '0 9 * * MON,THU', timezone: 'local' }],
    ['the last day of a month', { cron: '0 9 L * *', timezone: 'UTC' }],
    ['a rule of its own', { cron: '0 10 * * SAT#1', timezone: BERLIN }],
    ['bounds', { cron: '0 9 * * *', timezone: BERLIN, startsAt: '2031-01-01 00:00', endsAt: '2031-06-01 09:00' }],
  ]
  for (const [name, parts] of SCHEDULES) {
    it(`sends ${name} as it was read`, () => {
      const schedule = { strategy: 'recurring', ...parts }
      expect(recurringOf(valuesOf(REPEAT, { schedule }))).to.deep.equal(schedule)
    })
  }

  const first = valuesOf(REPEAT)
  const INCOMPLETE: readonly [name: string, changes: Draft, field: string][] = [
    ['no day of the week', { 'repeat.days': [] }, 'repeat.days'],
    ['no time', { 'repeat.every': 'month', 'repeat.time': '' }, 'repeat.time'],
    ['no expression', { 'repeat.every': 'cron', 'repeat.cron': '  ' }, 'repeat.cron'],
  ]
  for (const [name, changes, field] of INCOMPLETE) {
    it(`makes no rule of ${name}, and says so`, () => {
      const draft = { ...first, ...changes }
      expect(recurringOf(draft)).to.equal(undefined)
      const said = Object.entries(problemsOf(REPEAT, draft)).filter(([, words]) => words !== undefined)
      expect(said.map(([at]) => at)).to.deep.equal([field])
    })
  }

  it('is Monday at nine at first, in the zone of whoever writes it', () => {
    expect(recurringOf(first)).to.include({ strategy: 'recurring', cron: '0 9 * * MON' })
  })

  it('has what is said of the expression beside it, or beside the choice', () => {
    expect(namesOf(REPEAT, first)['schedule.cron']).to.equal('repeat.every')
    expect(namesOf(REPEAT, { ...first, 'repeat.every': 'cron' })['schedule.cron']).to.equal('repeat.cron')
  })
})

describe('the change of a series', () => {
  const schedule = { strategy: 'recurring', cron: '0 9 * * MON', timezone: BERLIN }
  const content = { title: 'Bread', message: 'Rye', url: 'https://bakery.example/' }
  const request = { target: { segmentUuid: 'regulars' }, content, ttl: 3600, schedule }

  it('has the keys that differ, and null for those that are gone', () => {
    const draft = draftOfSeries(request)
    const after = { ...draft, 'content.title': 'Rolls', 'repeat.time': '10:30', ttl: null }
    expect(changeOf(pushOf(draft)!, pushOf(after)!)).to.deep.equal({
      content: { ...content, title: 'Rolls' },
      schedule: { ...schedule, cron: '30 10 * * MON' },
      ttl: null,
    })
    expect(changeOf(pushOf(draft)!, pushOf(draft)!)).to.deep.equal({})
  })

  it('keeps members of its rule and its content that no form shows', () => {
    const stored = { ...request, content: { ...content, future: 1 }, schedule: { ...schedule, pastTimes: 'ignore' } }
    const draft = draftOfSeries(stored)
    const after = { ...draft, 'content.title': 'Rolls', 'repeat.time': '10:30' }
    expect(changeOf(pushOf(draft)!, pushOf(after)!)).to.deep.equal({
      content: { ...content, future: 1, title: 'Rolls' },
      schedule: { ...stored.schedule, cron: '30 10 * * MON' },
    })
  })

  it('is of everything where the form of a push shows it whole', () => {
    const isWhole = (parts: object, kind = 'push') => isShownWhole({ kind, request: { ...request, ...parts } })
    expect(isWhole({})).to.equal(true)
    expect(isWhole({ content: { template: 'ready' } })).to.equal(false)
    expect(isWhole({ target: { userIds: ['anna'], segmentUuid: 'regulars' } })).to.equal(false)
    expect(isWhole({}, 'in-app')).to.equal(false)
  })
})
