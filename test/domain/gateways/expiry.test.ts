import { expect } from 'chai'
import { dueNotice, expiryFinding, expiryNotice } from '../../../src/domain/gateways/configure/expiry.ts'
import type { Platform } from '../../../src/domain/gateways/registry.ts'
import { type Log, silentLog } from '../../../src/platform/log/log.ts'
import { warnOfExpiry } from '../../../src/workers/jobs/sweep.ts'
import { addGateway } from '../../support/gateways.ts'
import { onEachDatabase, type TestProgram } from '../../support/program.ts'
import { sharedDatabase } from '../../support/shared-database.ts'

const DAY = 86_400_000
const NOW = Date.UTC(2026, 5, 1, 12)

describe('the end of a credential', () => {
  const terms: [number, number | undefined][] = [
    [31 * DAY, undefined],
    [30 * DAY + 1, undefined],
    [30 * DAY, 30],
    [15 * DAY, 30],
    [14 * DAY, 14],
    [7 * DAY, 7],
    [DAY + 1, 7],
    [DAY, 1],
    [1, 1],
    [0, 0],
    [-DAY, 0],
  ]
  for (const [leftMs, notice] of terms) {
    it(`${leftMs} ms before it, the notice is ${notice}`, () =>
      expect(expiryNotice(NOW + leftMs, NOW)).to.equal(notice))
  }

  const told: [number | null, number, number | undefined][] = [
    [null, 20 * DAY, 30],
    [30, 20 * DAY, undefined],
    [30, 10 * DAY, 14],
    [null, 10 * DAY, 14],
    // The clock went back a little: nothing is said again.
    [7, 8 * DAY, undefined],
    [0, DAY, undefined],
    // It had run ahead: what was said then was wrong.
    [7, 8 * DAY + 1, 14],
    [0, 20 * DAY, 30],
    [0, 31 * DAY, undefined],
    [1, -1, 0],
    [0, -DAY, undefined],
  ]
  for (const [notice, leftMs, due] of told) {
    it(`told of ${notice}, ${leftMs} ms before it, ${due} is due`, () => {
      expect(dueNotice({ notAfter: NOW + leftMs, notice }, NOW)).to.equal(due)
    })
  }

  it('is an error from the last day on', () => {
    const levelOf = (leftMs: number) => expiryFinding('it', NOW + leftMs, NOW, 'renew').level
    expect([40, 20, 2, 1, 0].map((days) => levelOf(days * DAY))).to.deep.equal([
      'ok',
      'warning',
      'warning',
      'error',
      'error',
    ])
  })
})

onEachDatabase('warnings of credentials that end', (kind) => {
  let test: TestProgram
  let lines: [level: string, message: string, fields: Record<string, unknown>][]
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    lines = []
  })
  afterEach(() => test.close())

  const configure = (platform: Platform, notAfter: number | undefined) =>
    addGateway(test, platform, notAfter === undefined ? {} : { notAfter })
  /** Tidies up once; returns what is logged. */
  async function round(): Promise<string[]> {
    lines = []
    const note = (level: string) => (fields: object, message: string) =>
      void lines.push([level, message, fields as Record<string, unknown>])
    const log: Log = { ...silentLog, warn: note('warn'), error: note('error') }
    const { gateways, inTransaction } = test.program
    const program = { gateways, inTransaction, kernel: { ...test.program.kernel, log } }
    await warnOfExpiry({ program, signal: new AbortController().signal })
    return lines.map(([level, message]) => `${level}: ${message}`)
  }

  it('come once for each term, whoever asks again, and are errors at the end', async () => {
    const { program, clock } = test
    const end = clock.now() + 40 * DAY
    await configure('ios', end)
    await configure('hcm', undefined)
    const said: [number, string | undefined][] = [
      [40, undefined],
      [30, 'warn: the ios credential of app 1 expires in 30 days'],
      [29, undefined],
      [14, 'warn: the ios credential of app 1 expires in 14 days'],
      [7, 'warn: the ios credential of app 1 expires in 7 days'],
      [6.5, undefined],
      [1, 'error: the ios credential of app 1 expires within a day'],
      [0, 'error: the ios credential of app 1 expired on'],
      [-5, undefined],
    ]
    for (const [days, sentence] of said) {
      clock.set(end - days * DAY)
      const found = await round()
      expect(found.map((one) => one.split(',')[0]!.replace(/ on \d.*/, ' on'))).to.deep.equal(
        sentence ? [sentence] : [],
      )
      expect(await round()).to.deep.equal([])
    }
    expect(await program.gateways.expiries()).to.deep.equal([
      { appId: test.first.id, platform: 'ios', notAfter: end, notice: 0 },
    ])
  })

  it('name the app and say what to do', async () => {
    await configure('safari', test.clock.now() + 3 * DAY)
    await round()
    expect(lines[0]![2]).to.deep.include({
      app: test.first.id,
      platform: 'safari',
      remedy: `get a new one and set it with appsvc gateways set --app ${test.first.id} safari`,
    })
  })

  it('come at their time although a clock that ran ahead brought them before', async () => {
    const { clock } = test
    const end = clock.now() + 40 * DAY
    await configure('ios', end)
    const said: [number, number][] = [
      [40, 0],
      [-60, 1],
      [40, 0],
      [30, 1],
      [14, 1],
      [7, 1],
      [1, 1],
      [0, 1],
    ]
    for (const [days, count] of said) {
      clock.set(end - days * DAY)
      expect(await round(), `${days} days before`).to.have.length(count)
      expect(await round()).to.deep.equal([])
    }
  })

  it('begin anew with a new credential, and only the first of two who saw it says so', async () => {
    const { program, clock } = test
    await configure('ios', clock.now() + 3 * DAY)
    expect(await round()).to.have.length(1)
    await configure('ios', clock.now() + 365 * DAY)
    expect(await round()).to.deep.equal([])
    await configure('ios', clock.now() + 5 * DAY)
    const [due] = await program.gateways.dueNotices()
    const taken = [
      await program.inTransaction((tx) => tx.gateways.takeNotice(due!)),
      await program.inTransaction((tx) => tx.gateways.takeNotice(due!)),
    ]
    expect(taken).to.deep.equal([true, false])
    // Replaced in between: what is remembered is about the other one.
    await configure('ios', clock.now() + 6 * DAY)
    expect(await program.inTransaction((tx) => tx.gateways.takeNotice(due!))).to.equal(false)
  })
})
