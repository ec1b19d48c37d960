import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import { ACRA, KSCRASH } from '../domain/crashes/reports.ts'
import { run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('appsvc crashes and checkins', () => {
  const { dir, end } = temporaryDirectory()
  const dataDir = join(dir, 'data')
  const run = (...argv: string[]) => runAnywhere([...argv, '--data-dir', dataDir])
  after(end)

  before(async () => {
    await run('apps', 'create', 'First')
    const { config } = await loadConfig({ environment: {}, flags: { dataDir } })
    const program = openProgram({ config, log: silentLog })
    try {
      await program.inTransaction(async ({ crashes, checkins }) => {
        const hostile = { ...ACRA, REPORT_ID: 'second', PHONE_MODEL: 'Pixel\u001b]0;x\u0007' }
        await crashes.accept(1, { installId: 'I1', source: 'acra', reports: [ACRA, hostile] })
        await crashes.accept(1, { installId: 'I2\u202e', source: 'kscrash', reports: [KSCRASH] })
        await checkins.checkIn(1, 'anna', {
          location: 'cafe\u001b[2J',
          partySize: 2,
          timezone: null,
          deviceKey: 'k',
          contacts: [{ lastName: 'Kelly', firstName: 'Anna', emailAddress: 'a@b.c', smsNumber: null, meta: null }],
        })
      })
    } finally {
      await program.close()
    }
  })

  it('lists reports, newest first, in pages', async () => {
    const listed = await run('crashes', 'list')
    expect(listed.stdout)
      .to.match(/3 +2026-03-01 07:30:05Z +ios +3\.1\.4 +15\.4 +iPhone13,2 +NSRangeException +Shop \+0x1000\n 2 /)
      .and.include('Pixel\\x1b]0;x')
      .and.not.include('\u001b')
    const page = await run('crashes', 'list', 'First', '--limit', '2')
    expect(page.stderr).to.include('--after 2')
    const last = (await run('crashes', 'list', '1', '--after', '2', '--json')).json<{ crashes: object[]; next: null }>()
    expect(last.next).to.equal(null)
    expect(last.crashes).to.have.length(1)
    expect(last.crashes[0]).to.include({ id: 1, reportId: ACRA.REPORT_ID, installId: 'I1' })
  })

  it('lists those of a platform, of the last days, and of a fault', async () => {
    const ids = async (...argv: string[]) =>
      (await run('crashes', 'list', ...argv, '--json'))
        .json<{ crashes: { id: number }[] }>()
        .crashes.map(({ id }) => id)
    expect(await ids('--platform', 'ios', '--since', '1d')).to.deep.equal([3])
    const { groups } = (await run('crashes', 'list', '--groups', '--json')).json<{
      groups: { fingerprint: string }[]
    }>()
    expect(await ids('--fault', groups[1]!.fingerprint)).to.deep.equal([2, 1])
    const shown = await run('crashes', 'list', '--groups')
    expect(shown.stdout).to.match(new RegExp(`${groups[1]!.fingerprint} +2 +1 .* 2 +android +java\\.lang`))
  })

  it('shows a report with its stack, and with --json whole', async () => {
    const shown = await run('crashes', 'show', '1')
    expect(shown.stdout)
      .to.match(/exception +java\.lang\.IllegalStateException\n/)
      .and.match(/\n {2}at com\.example\.shop\.Cart\.pay\(Cart\.kt:71\)\n/)
    expect((await run('crashes', 'show', '3', '--app', 'First')).stdout)
      .to.include('I2\\u202e')
      .and.not.include('\u202e')
    expect((await run('crashes', 'show', '1', '--json')).json().report).to.deep.equal(ACRA)
  })

  it('lists who checked in where', async () => {
    expect((await run('checkins', 'list')).stdout).to.match(/1 +cafe\\x1b\[2J +anna +2 .* - +Anna Kelly\n/)
    const { checkins } = (await run('checkins', 'list', '1', '--json')).json<{ checkins: object[] }>()
    expect(checkins[0]).to.deep.include({ id: 1, userIdentifier: 'anna', partySize: 2 })
  })

  for (const [what, argv, exit, sentence] of [
    ['a report that there is not', ['crashes', 'show', '99'], 66, /there is no crash report 99/],
    ['an id that is none', ['crashes', 'show', 'x'], 66, /there is no crash report "x"/],
    ['an unknown platform', ['crashes', 'list', '--platform', 'palm'], 64, /android/],
    ['a time that is none', ['crashes', 'list', '--since', 'yesterday'], 64, /--since must be a duration such as/],
    ['groups in pages', ['crashes', 'list', '--groups', '--after', '1'], 64, /--after|--groups/],
  ] as [string, string[], number, RegExp][]) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run(...argv)
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
    })
  }
})
