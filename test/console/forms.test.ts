import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Values = Record<string, unknown>
type Row = object
/** Options of a row; src/console/forms/table.ts explains each. */
type Ways = Record<string, unknown>
type Kind = (at: string, label: string, ways?: Ways) => Row

interface RowKinds
  extends Record<'text' | 'area' | 'number' | 'switch' | 'toggle' | 'json' | 'lines' | 'list' | 'ticks', Kind> {
  own(at: string, first: unknown, ways?: Ways): Row
  more(label: string, rows: readonly Row[]): Row
  halves(...rows: Row[]): Row
  where(when: (values: Values) => boolean, ...rows: Row[]): Row
}
interface Table {
  valuesOf(rows: readonly Row[], body?: object): Values
  bodyOf(rows: readonly Row[], values: Values): Values
  namesOf(rows: readonly Row[], values: Values): Record<string, string>
  problemsOf(rows: readonly Row[], values: Values): Record<string, string | undefined>
  bodyOfChange(rows: readonly Row[], values: Values, stored: object): Values
  flagsOf(rows: readonly Row[], values: Values, isChange?: boolean): string[]
  withSamples(rows: readonly Row[], values: Values): Values
  isFilled(rows: readonly Row[], values: Values): boolean
  boundTo(
    rows: readonly Row[],
    part: object,
    change: (part: object, place: string) => void,
    errors?: Record<string, string>,
  ): {
    values: { value: Values }
    field(name: string): { value: unknown; error: string | undefined; onChange(value: unknown): void }
  }
}

const row = await loadPure<RowKinds>('forms/rows.ts')
const { valuesOf, bodyOf, bodyOfChange, namesOf, problemsOf, flagsOf, withSamples, isFilled, boundTo } =
  await loadPure<Table>('forms/table.ts')

/** The member `a` of a body, and its flags when it is made and when it is changed. */
const SENT: [says: string, kind: Row, value: unknown, body: Values, made: string[], changed: string[]][] = [
  [
    'a text without the blanks at its ends',
    row.text('a', 'A', { flag: 'a' }),
    ' x ',
    { a: 'x' },
    ['--a', 'x'],
    ['--a', 'x'],
  ],
  ['a text as it was typed', row.text('a', 'A', { isAsTyped: true }), ' x ', { a: ' x ' }, [], []],
  ['an empty text that is not optional', row.text('a', 'A', { flag: 'a' }), ' ', { a: '' }, [], []],
  [
    'no optional text that is empty',
    row.text('a', 'A', { isOptional: true, flag: 'a', off: '' }),
    '',
    {},
    [],
    ['--a', ''],
  ],
  ['null', row.text('a', 'A', { empty: 'null', flag: 'a', off: '--no-a' }), '', { a: null }, [], ['--no-a']],
  [
    'zero, which is a number',
    row.number('a', 'A', { isOptional: true, flag: 'a' }),
    0,
    { a: 0 },
    ['--a', '0'],
    ['--a', '0'],
  ],
  ['no number', row.number('a', 'A', { isOptional: true, flag: 'a', off: 'off' }), null, {}, [], ['--a', 'off']],
  ['what is off', row.toggle('a', 'A', { flag: 'a' }), false, { a: false }, [], ['--no-a']],
  ['what is on', row.toggle('a', 'A', { flag: 'a', empty: 'absent' }), true, { a: true }, ['--a'], ['--a']],
  ['nothing of what is off', row.toggle('a', 'A', { empty: 'absent' }), false, {}, [], []],
  [
    'a list, one a line',
    row.lines('a', 'A', { flag: 'a' }),
    'x\n y,x\n',
    { a: ['x', 'y'] },
    ['--a', 'x', '--a', 'y'],
    ['--a', 'x', '--a', 'y'],
  ],
  [
    'a list with commas',
    row.list('a', 'A', { flag: 'a', say: (all: string[]) => all.join('+') }),
    'x, y',
    { a: ['x', 'y'] },
    ['--a', 'x+y'],
    ['--a', 'x+y'],
  ],
  ['an object without members', row.json('a', 'A'), {}, { a: {} }, [], []],
  ['no object', row.json('a', 'A', { empty: 'absent' }), {}, {}, [], []],
  ['another value than is written', row.number('a', 'A', { to: (value: number) => value * 60 }), 2, { a: 120 }, [], []],
  ['at another place', row.text('a', 'A', { path: 'b.c' }), 'x', { b: { c: 'x' } }, [], []],
  ['nowhere', row.text('a', 'A', { path: '' }), 'x', {}, [], []],
]

describe('a form that is a table', () => {
  for (const [says, field, value, body, made, changed] of SENT) {
    it(`sends ${says}: ${JSON.stringify(value)} as ${JSON.stringify(body)}`, () => {
      expect(bodyOf([field], { a: value })).to.deep.equal(body)
      expect(flagsOf([field], { a: value })).to.deep.equal(made)
      expect(flagsOf([field], { a: value }, true)).to.deep.equal(changed)
    })
  }

  it('holds what the interface gave, and of a new thing what its rows say', () => {
    const rows = [
      row.text('name', 'Name'),
      row.halves(row.text('label', 'Label', { path: 'labels.one', first: 'OK' }), row.number('count', 'Count')),
      row.more('More', [
        row.lines('ids', 'Ids'),
        row.toggle('isOn', 'On'),
        row.json('meta', 'Meta'),
        row.ticks('all', 'All'),
      ]),
      row.text('minutes', 'Minutes', { from: (seconds: number) => String(seconds / 60) }),
    ]
    const empty = { name: '', label: 'OK', count: null, ids: '', isOn: false, meta: {}, all: [], minutes: '' }
    expect(valuesOf(rows)).to.deep.equal(empty)
    const body = { name: 'x', labels: { one: '' }, count: 0, ids: ['a', 'b'], isOn: true, meta: null, minutes: 120 }
    expect(valuesOf(rows, body)).to.deep.equal({
      ...empty,
      name: 'x',
      label: '',
      count: 0,
      ids: 'a\nb',
      isOn: true,
      minutes: '2',
    })
  })

  it('neither sends nor checks nor marks a field that is not there', () => {
    const rows = [
      row.text('kind', 'Kind'),
      row.where(
        ({ kind }) => kind === 'at',
        row.text('time', 'Time', { path: 'schedule.at', need: 'Choose a time.', flag: 'at', sample: 'TIME' }),
      ),
      row.text('hour', 'Hour', { path: 'schedule.at', when: ({ kind }: Values) => kind === 'local' }),
    ]
    const values = { kind: 'local', time: '', hour: '7' }
    expect(bodyOf(rows, values)).to.deep.equal({ kind: 'local', schedule: { at: '7' } })
    expect(problemsOf(rows, values)['time']).to.equal(undefined)
    expect(namesOf(rows, values)['schedule.at']).to.equal('hour')
    expect(withSamples(rows, values)).to.deep.equal(values)
    const other = { ...values, kind: 'at' }
    expect(problemsOf(rows, other)).to.include({ time: 'Choose a time.' })
    expect(namesOf(rows, other)['schedule.at']).to.equal('time')
    expect(flagsOf(rows, withSamples(rows, other))).to.deep.equal(['--at', 'TIME'])
  })

  const WRONG: [says: string, field: Row, value: unknown, problem: string | undefined][] = [
    ['blanks where something is needed', row.text('a', 'A', { need: 'Write it.' }), ' ', 'Write it.'],
    ['a list of nothing', row.lines('a', 'A', { need: 'Write one.' }), ' ,\n', 'Write one.'],
    ['no choice', row.ticks('a', 'A', { need: 'Choose one.' }), [], 'Choose one.'],
    ['no number', row.number('a', 'A', { need: 'Say how many.' }), null, 'Say how many.'],
    ['zero', row.number('a', 'A', { need: 'Say how many.' }), 0, undefined],
    ['a list in place of an object', row.json('a', 'A'), [1], 'Write an object: {"name": "value"}.'],
    ['null in place of an object', row.json('a', 'A'), null, 'Write an object: {"name": "value"}.'],
    ['null where null is sent', row.json('a', 'A', { empty: 'null' }), null, undefined],
    ['what a check of its own says', row.text('a', 'A', { check: (text: string) => `Not ${text}.` }), 'x', 'Not x.'],
  ]
  for (const [says, field, value, problem] of WRONG) {
    it(`says of ${says}: ${problem ?? 'nothing'}`, () => {
      expect(problemsOf([field], { a: value })).to.deep.equal({ a: problem })
    })
  }

  it('shows errors of the interface beside the field, also of its other places', () => {
    const rows = [row.number('badge', 'Badge', { path: 'ios.badge.count', also: ['ios'] }), row.text('name', 'Name')]
    expect(namesOf(rows, {})).to.deep.equal({ 'ios.badge.count': 'badge', ios: 'badge', name: 'name' })
  })

  it('never shows a secret, whether a sample stands for it or none', () => {
    const rows = [
      row.text('key', 'Key', { isSecret: true, sample: '…', flag: 'key' }),
      row.text('other', 'Other', { isSecret: true, isOptional: true }),
    ]
    expect(withSamples(rows, { key: 'hush', other: 'hush' })).to.deep.equal({ key: '…', other: '' })
    expect(flagsOf(rows, withSamples(rows, { key: '', other: '' }))).to.deep.equal(['--key', '…'])
  })

  it('unfolds a part that holds something else than a new form', () => {
    const rows = [row.more('More', [row.text('a', 'A', { first: 'x' }), row.json('b', 'B')])]
    expect(isFilled(rows, { a: 'x', b: {} })).to.equal(false)
    expect(isFilled(rows, { a: 'x', b: { c: 1 } })).to.equal(true)
    expect(isFilled(rows, { a: '', b: {} })).to.equal(true)
  })

  it('changes a part of a document at the place of the field, and leaves no empty object behind', () => {
    const rows = [
      row.text('alt', 'Description', { isAsTyped: true, empty: 'sent' }),
      row.number('size', 'Size', { path: 'style.size', isOptional: true }),
    ]
    const seen: [object, string][] = []
    const part = { type: 'image', style: { size: 8 } }
    const bound = boundTo(rows, part, (...one) => seen.push(one), { 'style.size': 'Too small.' })
    expect(bound.values.value).to.deep.equal({ alt: '', size: 8 })
    expect(bound.field('size').error).to.equal('Too small.')
    bound.field('alt').onChange('A ')
    bound.field('size').onChange(9)
    bound.field('size').onChange(null)
    expect(seen).to.deep.equal([
      [{ ...part, alt: 'A ' }, 'alt'],
      [{ type: 'image', style: { size: 9 } }, 'style.size'],
      [{ type: 'image' }, 'style.size'],
    ])
  })
})

describe('the form of something that is stored', () => {
  const rows = [
    row.text('name', 'Name'),
    row.text('labels.heading', 'Heading', { isOptional: true }),
    row.number('days', 'Days', { path: 'delay', to: (days: number) => ({ days }), from: () => 1 }),
  ]
  const stored = { id: 7, name: 'A', labels: { heading: 'H', future: 1 }, delay: { hours: 20 } }

  it('gives its own members, whole: with what no field shows, and as they were where nobody changed them', () => {
    const values = { ...valuesOf(rows, stored), name: 'B', 'labels.heading': 'I' }
    expect(bodyOfChange(rows, values, stored)).to.deep.equal({
      name: 'B',
      labels: { heading: 'I', future: 1 },
      delay: { hours: 20 },
    })
    expect(bodyOfChange(rows, { ...values, days: 3 }, stored)['delay']).to.deep.equal({ days: 3, hours: 20 })
  })
})
