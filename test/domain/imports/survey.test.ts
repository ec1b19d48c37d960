import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { Here, StandingInstall } from '../../../src/domain/crm/adoption/types.ts'
import { createConsentTally, type TallyParts, tallyExport } from '../../../src/domain/imports/consent-tally.ts'
import { runImport } from '../../../src/domain/imports/run.ts'
import type { ImportsService } from '../../../src/domain/imports/service.ts'
import { csv } from '../../../src/domain/imports/sources/csv.ts'
import { surveyExport } from '../../../src/domain/imports/survey.ts'
import {
  type Candidate,
  type Converted,
  type ImportProgress,
  noCounts,
  type Ready,
  type Row,
  type Source,
} from '../../../src/domain/imports/types.ts'

const NOBODY: Candidate = {
  key: null,
  user: null,
  platform: null,
  token: null,
  environment: null,
  topic: null,
  reachable: true,
  enabled: true,
  optedOut: false,
  isSaid: true,
  attributes: {},
  channels: [],
  words: {
    os: null,
    osVersion: null,
    appVersion: null,
    deviceModel: null,
    country: null,
    timezone: null,
    locale: null,
  },
  createdAt: null,
  lastActive: null,
}

/** A source whose rows say what they become. */
const SOURCE: Source = {
  ...csv,
  columns: { become: 'what it is' },
  others: (column) => `${column}?`,
  convert: (row: Row) => row.become as Converted,
}
const found = (...some: Partial<Candidate>[]): Converted => ({ found: some.map((one) => ({ ...NOBODY, ...one })) })
const readingOf = (rows: readonly object[]) => ({
  files: [{ name: 'x.json', open: async () => Readable.from([Buffer.from(textOf(rows))]) }],
  source: SOURCE,
  options: { map: new Map<string, string>(), tagChannels: [], numbers: false, sandbox: false },
  rules: { source: 'csv' as const, maxAttributes: undefined, refusalOfEndpoint: () => undefined },
})
const textOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

describe('a survey of an export', () => {
  const become = (...all: Converted[]) => all.map((one) => ({ become: one }))

  it('counts what the rows hold, the most frequent first', async () => {
    const rows = [
      ...become(
        found({ key: 'i', user: 'anna', platform: 'ios', token: 'a1'.repeat(32), environment: 'sandbox' }),
        found({
          key: 'j',
          platform: 'android',
          token: 'token-of-fcm',
          channels: ['b', 'c'],
          attributes: { x: 1, y: 2 },
        }),
        found({ key: 'k', user: 'ben', platform: 'android', enabled: false, token: 'token-off', optedOut: true }),
        found({ key: 'l', platform: 'android', reachable: false, channels: ['c'], attributes: { y: 3 } }),
        found({ user: 'cleo' }),
        { left: 'faxes' },
        { left: 'email addresses' },
        { left: 'email addresses' },
        { problem: 'has no id' },
        { problem: 'is broken' },
        { problem: 'is broken' },
      ),
      { become: { left: 'faxes' }, other: 1 },
      { become: { left: 'faxes' } },
    ]
    const told: number[] = []
    const survey = await surveyExport(readingOf(rows), { onRows: (many) => void told.push(many) })
    expect(told).to.deep.equal([13])
    const text = textOf(rows)
    expect(survey).to.deep.include({
      rows: 13,
      bytes: Buffer.byteLength(text),
      digest: createHash('sha256').update(text).digest('hex'),
      withUser: 3,
      usersOnly: 1,
      sandbox: 1,
      optedOut: 1,
      isSaid: true,
      refused: 3,
      erased: 0,
      consent: undefined,
      installs: [
        { platform: 'android', total: 3, unreachable: 1, disabled: 1 },
        { platform: 'ios', total: 1, unreachable: 0, disabled: 0 },
      ],
      channels: [
        { name: 'c', count: 2 },
        { name: 'b', count: 1 },
      ],
      attributes: [
        { name: 'y', count: 2 },
        { name: 'x', count: 1 },
      ],
      left: [
        { name: 'faxes', count: 3 },
        { name: 'email addresses', count: 2 },
      ],
      reasons: [
        { name: 'is broken', count: 2 },
        { name: 'has no id', count: 1 },
      ],
      columns: [
        { column: 'become', becomes: 'what it is' },
        { column: 'other', becomes: 'other?' },
      ],
      refusedRows: [
        { file: 0, line: 9, problem: 'has no id' },
        { file: 0, line: 10, problem: 'is broken' },
        { file: 0, line: 11, problem: 'is broken' },
      ],
    })
    expect(survey.samples).to.have.length(5)
    expect(survey.samples[1]).to.deep.equal({
      installId: survey.samples[1]!.installId,
      user: null,
      platform: 'android',
      token: 'token-…-fcm',
      attributes: 2,
      channels: 2,
    })
  })

  it('holds few rows at once where they are large: packed, thousands of them are a small file', async () => {
    const rows = become(...Array.from({ length: 12 }, () => found({ key: 'i', platform: 'android', token: 't' }))).map(
      (row) => ({
        ...row,
        more: 'x'.repeat(1_000_000),
      }),
    )
    const held: number[] = []
    const sizes = async (some: readonly { ready: readonly Ready[] }[]) => {
      held.push(some.length)
      return { rows: some, erased: new Set<number>() }
    }
    expect(await surveyExport(readingOf(rows), { withoutErased: sizes })).to.include({ rows: 12 })
    expect(Math.max(...held)).to.be.at.most(10)

    held.length = 0
    const nobody: typeof sizes = async (some) => ({ ...(await sizes(some)), rows: [] })
    const standing: TallyParts['standing'] = () => Promise.reject(new Error('nobody is left'))
    await tallyExport(readingOf(rows), 12, { standing, assumes: false, withoutErased: nobody })
    expect([Math.max(...held) <= 10, held.reduce((sum, one) => sum + one)]).to.deep.equal([true, 12])

    held.length = 0
    const begun = { appId: 1, id: 1, place: 0, errorsSize: 0, counts: noCounts() } as unknown as ImportProgress
    const imports = {
      async store(_app: number, some: readonly object[]) {
        held.push(some.length)
        return { counts: {}, problems: new Map<number, string>() }
      },
      async advance() {},
      async finish() {},
    } as unknown as ImportsService
    const run = await runImport(begun, {
      reading: readingOf(rows),
      storing: { channels: new Map(), suppressOptedOut: false },
      inTransaction: (work) => work(imports),
      refuse: async () => 0,
    })
    expect([Math.max(...held) <= 10, run.progress.place]).to.deep.equal([true, 12])
  })

  it('says of a column what --map says of it', async () => {
    const reading = readingOf(become({ left: 'x' }))
    const mapped = { ...reading, options: { ...reading.options, map: new Map([['become', 'userId']]) } }
    expect((await surveyExport(mapped)).columns).to.deep.equal([{ column: 'become', becomes: 'become?' }])
  })

  it('shows five devices, and of the rows that are refused or erased twenty', async () => {
    const many = <T>(count: number, one: T) => Array<T>(count).fill(one)
    const rows = [
      ...many(21, { become: { problem: 'is broken' } }),
      ...many(22, { become: found({ user: 'anna' }) }),
      ...many(3, { become: found({ user: 'ben' }) }),
    ]
    const survey = await surveyExport(readingOf(rows), {
      withoutErased: async (all) => ({
        rows: all.map(({ ready }) => ({ ready: ready.filter(({ identifier }) => identifier !== 'anna') })),
        erased: new Set(all.flatMap(({ ready }, i) => (ready[0]?.identifier === 'anna' ? [i] : []))),
      }),
    })
    expect([survey.rows, survey.refused, survey.erased, survey.withUser]).to.deep.equal([46, 21, 22, 3])
    expect([survey.refusedRows.length, survey.erasedRows.length, survey.samples.length]).to.deep.equal([20, 20, 3])
    expect(survey.erasedRows[0]).to.deep.equal({ file: 0, line: 22 })
    const alike = await surveyExport(readingOf(many(6, { become: found({ user: 'ben' }) })))
    expect(alike.samples).to.have.length(5)
    // A user without a device says nothing of pushes.
    expect(alike.isSaid).to.equal(false)
  })

  it('counts names beyond ten thousand together, and shows three hundred columns', async () => {
    const attributes = Object.fromEntries(Array.from({ length: 10_002 }, (_, i) => [`a${i}`, 1]))
    const wide = Object.fromEntries(Array.from({ length: 301 }, (_, i) => [`c${i}`, 1]))
    const survey = await surveyExport(
      readingOf([
        { become: found({ user: 'anna', attributes }), ...wide },
        { become: found({ user: 'ben', attributes: { a0: 1, b0: 1 } }) },
      ]),
    )
    expect(survey.attributes).to.have.length(10_001)
    expect(survey.attributes.slice(0, 2)).to.have.deep.members([
      { name: 'a0', count: 2 },
      { name: '…', count: 3 },
    ])
    expect(survey.columns).to.have.length(300)
  })
})

describe('what becomes of consent', () => {
  const device = (installId: string | null, token: string | null, more: Partial<Ready> = {}): Ready =>
    ({
      installId,
      token: token === null ? null : { token },
      enabled: true,
      isSaid: true,
      ...more,
    }) as Ready
  const off = { enabled: false, optedOut: true }
  const here = (installs: readonly Partial<StandingInstall>[]) => async (): Promise<Here> => {
    const standing = installs.map((one, row) => ({
      row,
      installId: `here ${row}`,
      enabled: true,
      createdAt: 0,
      ...one,
    }))
    return {
      byId: new Map(standing.map((one) => [one.installId, one as StandingInstall])),
      byToken: new Map(standing.flatMap((one) => (one.token ? [[one.token, [one as StandingInstall]]] : []))),
    }
  }
  const FORESEEN = { foresees: true, keeps: false, assumes: false }

  const NONE = { subscribed: 0, optedOut: 0, optedOutByThisImport: 0, unknown: 0, unreachable: 0 }
  const rows: [what: string, devices: Ready[], parts: Partial<TallyParts>, counts: object][] = [
    ['a new device that may be sent to', [device('a', 't')], {}, { subscribed: 1 }],
    ['a new device without a token', [device('a', null)], {}, { unreachable: 1 }],
    ['a new device that opted out', [device('a', 't', off)], {}, { optedOut: 1, optedOutByThisImport: 1 }],
    ['a user without a device', [device(null, null)], {}, {}],
    ['a device of which nobody says', [device('a', 't', { isSaid: false })], {}, { unknown: 1 }],
    ['that, when the operator says so', [device('a', 't', { isSaid: false })], { assumes: true }, { subscribed: 1 }],
    ['a device on two rows', [device('a', 't'), device('a', null)], {}, { subscribed: 1 }],
    ['a token on two rows', [device('a', 't'), device('b', 't')], {}, { subscribed: 1 }],
    ['two devices', [device('a', 't'), device('b', 'u')], {}, { subscribed: 2 }],
    [
      'one that a later row takes out',
      [device('a', 't'), device('a', 't', off), device('a', 't', off)],
      {},
      { optedOut: 1, optedOutByThisImport: 1 },
    ],
    [
      'one that is here and off',
      [device('x', 't')],
      { standing: here([{ installId: 'x', token: 't', enabled: false }]) },
      { optedOut: 1 },
    ],
    [
      'one that is here and on, and opted out there',
      [device('x', 't', off)],
      { standing: here([{ installId: 'x', token: 't' }]) },
      { optedOut: 1, optedOutByThisImport: 1 },
    ],
    [
      'that, when nothing here may change',
      [device('x', 't', off)],
      { standing: here([{ installId: 'x', token: 't' }]), keeps: true },
      { subscribed: 1 },
    ],
    [
      'a new one that opted out, when nothing here may change',
      [device('a', 't', off)],
      { keeps: true },
      { optedOut: 1, optedOutByThisImport: 1 },
    ],
    [
      'a phone that came by itself with the token, which counts',
      [device('a', 't')],
      { standing: here([{ installId: 'phone', token: 't', enabled: false }]) },
      { optedOut: 1 },
    ],
    [
      'one that is here without a token',
      [device('x', null)],
      { standing: here([{ installId: 'x', token: null }]) },
      { unreachable: 1 },
    ],
    ['one that was refused, afterwards', [device('a', 't')], { foresees: false }, {}],
    [
      'one that was stored, afterwards',
      [device('x', 't', off)],
      { foresees: false, standing: here([{ installId: 'x', token: 't' }]) },
      { subscribed: 1 },
    ],
  ]
  for (const [what, devices, parts, counts] of rows) {
    it(`is told of ${what}`, async () => {
      const tally = createConsentTally({ standing: here([]), ...FORESEEN, ...parts })
      for (const one of devices) await tally.add([{ ready: [one] }])
      expect(tally.counts()).to.deep.equal({ ...NONE, ...counts })
      const together = createConsentTally({ standing: here([]), ...FORESEEN, ...parts })
      await together.add([{ ready: devices }])
      expect(together.counts(), 'in one row').to.deep.equal({ ...NONE, ...counts })
    })
  }

  it('is told of thousands, and of those that are refused because nobody says', async () => {
    const tally = createConsentTally({ standing: here([]), ...FORESEEN })
    await tally.add([
      { ready: Array.from({ length: 3000 }, (_, i) => device(`d${i}`, `t${i}`, i % 3 === 0 ? off : {})) },
    ])
    tally.addRefused(5)
    tally.addRefused(2)
    expect(tally.counts()).to.deep.equal({
      ...NONE,
      subscribed: 2000,
      optedOut: 1000,
      optedOutByThisImport: 1000,
      unknown: 7,
    })
  })

  it('is told of as many rows as were imported', async () => {
    const phone = (key: string) => found({ key, platform: 'android', token: `token-of-${key}` })
    const export3 = readingOf([phone('a'), phone('b'), phone('c')].map((become) => ({ become })))
    const standing: TallyParts['standing'] = async (ids, tokens) =>
      here(ids.map((installId, i) => ({ row: i, installId, token: tokens[i]! })))()
    expect(await tallyExport(export3, 2, { standing, assumes: false })).to.include({ subscribed: 2 })
    const erased = { standing, assumes: false, withoutErased: async () => ({ rows: [] }) }
    expect(await tallyExport(export3, 3, erased)).to.include({ subscribed: 0 })
  })
})
