import { expect } from 'chai'
import { ACRA, KSCRASH, RAVEN } from '../../domain/crashes/reports.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'
import { listenToWrites } from '../../support/statements.ts'

/** The one that KSCrash has in its code; strict parsers take offence at its characters. */
const BOUNDARY = 'uyw$gHGJ[fsR}tt932_shGwqdbanbvVMJje%Y2ewy78'
/** Builds the form as KSCrash does. */
const form = (reports: unknown) =>
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="reports"; filename="reports.json"\r\n` +
  `Content-Type: application/json\r\n\r\n${JSON.stringify(reports)}\r\n--${BOUNDARY}--\r\n`

onEachDatabase('crash reports of devices', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  let appId: number
  let apiKey: string
  beforeEach(async () => {
    test = await openTestServer({
      kind,
      settings: {
        'limits.crashBody': '4096',
        'limits.deviceBody': '16384',
        'crashes.keep': '3',
        'crashes.keepBytes': '9000',
      },
    })
    ;({ id: appId, apiKey } = test.first)
  })
  afterEach(() => test.close())

  const acra = (body: unknown, { install = 'I1', key = apiKey, auth = 'device', headers = {} } = {}) =>
    test.call('POST', `/v1/track/${key}/acra/${install}`, { auth, body, headers })
  const kscrash = (reports: unknown, { install = 'A-B', prefix = '', key = apiKey } = {}) =>
    test.call('POST', `${prefix}/v1/track/${key}/kscrash/${install}`, {
      auth: 'none',
      body: form(reports),
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'user-agent': 'KSCrashReporter' },
    })
  const list = () => test.program.crashes.list(appId, {}, undefined, 100)

  it('of Android are taken once, as they are, and make the install known', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await acra(ACRA, { headers: { 'content-type': 'application/octet-stream' } })
      expect([answer.status, answer.body]).to.deep.equal([204, undefined])
      expect(answer.headers.get('access-control-allow-origin')).to.equal('*')
    }
    const [crash, ...more] = await list()
    expect(more).to.deep.equal([])
    expect(crash).to.include({ installId: 'I1', source: 'acra', reportId: ACRA.REPORT_ID, device: 'google Pixel 5' })
    expect((await test.program.crashes.get(appId, crash!.id)).report).to.deep.equal(ACRA)
    expect(await test.program.crm.showInstall(appId, 'I1')).to.include({ userIdentifier: 'I1' })
  })

  it('are found by their fault, their platform and the time at which they came', async () => {
    const other = {
      ...ACRA,
      REPORT_ID: 'other',
      STACK_TRACE: 'java.lang.Error: no\n\tat com.example.shop.Map.find(Map.kt:7)',
    }
    await acra(ACRA)
    test.clock.advance(1000)
    await acra(other)
    await kscrash([KSCRASH])
    const found = async (filter: Parameters<typeof test.program.crashes.list>[1]) =>
      (await test.program.crashes.list(appId, filter, undefined, 100)).map(({ reportId }) => reportId)
    const all = await list()
    const { fingerprint, receivedAt } = all.find(({ reportId }) => reportId === 'other')!
    expect(await found({})).to.deep.equal([KSCRASH.report.id, 'other', ACRA.REPORT_ID])
    expect(await found({ fingerprint })).to.deep.equal(['other'])
    expect(await found({ platform: all[0]!.platform })).to.deep.equal([KSCRASH.report.id])
    expect(await found({ since: receivedAt })).to.deep.equal([KSCRASH.report.id, 'other'])
    expect(await found({ since: receivedAt + 1 })).to.deep.equal([])
  })

  itAnswers('of iOS are taken from the form without keys, and make no install', async () => {
    const second = { ...KSCRASH, report: { ...KSCRASH.report, id: 'second' } }
    expect((await kscrash([KSCRASH, second], { prefix: '/events' })).status).to.equal(204)
    expect((await kscrash([second])).status).to.equal(204)
    expect((await list()).map((one) => one.reportId)).to.deep.equal(['second', KSCRASH.report.id])
    expect(await test.program.crm.listInstalls(appId, 0, 10)).to.deep.equal([])
  })

  it('that come as events are kept apart, and no longer in the event', async () => {
    const data = { format: 'raven', report: RAVEN }
    const events = [
      { type: 'k.crash.loggedException', uuid: 'u1', timestamp: 1, data },
      {
        type: 'k.crash.loggedException',
        uuid: 'u2',
        timestamp: 2,
        data: { format: 'flutter', report: { message: 'bad' } },
      },
      {
        type: 'k.crash.loggedException',
        uuid: 'u3',
        timestamp: 3,
        data: { format: 'raven', report: { text: 'x'.repeat(5000) } },
      },
      { type: 'k.crash.loggedException', uuid: 'u4', timestamp: 4, data: null },
    ]
    const answer = await test.call('POST', '/v1/app-installs/I1/events', { auth: 'device', body: events })
    expect([answer.status, answer.body]).to.deep.equal([202, {}])
    expect((await list()).map((one) => [one.platform, one.reportId])).to.deep.equal([
      ['flutter', 'u2'],
      ['react-native', RAVEN.event_id],
    ])
    const stored = await test.program.events.after(appId, 0, 10)
    expect(stored.map((one) => one.data && Object.keys(one.data))).to.deep.equal([
      ['format'],
      ['format'],
      ['format', 'report'],
      null,
    ])
  })

  it('are kept up to a number and up to so many bytes of each kind, the newest', async () => {
    await acra(ACRA)
    for (const id of ['1', '2', '3', '4', '5']) await kscrash([{ report: { id } }], { install: id })
    expect((await list()).map((one) => one.reportId)).to.deep.equal(['5', '4', '3', ACRA.REPORT_ID])
    for (const id of ['6', '7', '8']) await kscrash([{ report: { id }, text: 'x'.repeat(4000) }], { install: id })
    expect((await list()).map((one) => one.reportId)).to.deep.equal(['8', '7', ACRA.REPORT_ID])
  })

  it('that come in one upload are kept as if they came one by one, in as few statements as one', async () => {
    let statements = 0
    // On SQLite events themselves are looked up and stored one by one.
    const isOfOneEvent = (sql: string) => /^(SELECT 1 AS known FROM|INSERT INTO) events\b/.test(sql)
    listenToWrites(test.program, (sql) => void (statements += kind === 'sqlite' && isOfOneEvent(sql) ? 0 : 1))
    let uuids = 0
    const upload = async (reports: unknown[]) => {
      const events = reports.map((report) => ({
        type: 'k.crash.loggedException',
        uuid: `c${uuids++}`,
        timestamp: 1,
        data: { format: 'raven', report },
      }))
      statements = 0
      expect((await test.call('POST', '/v1/app-installs/I1/events', { auth: 'device', body: events })).status).to.equal(
        202,
      )
      return statements
    }
    const kept = async () => (await list()).map((one) => one.reportId)
    await upload([{ event_id: 'first' }])
    // On PostgreSQL the first look for known events reads the partitions too.
    await upload([{ event_id: 'second' }])
    const forOne = await upload([{ event_id: 'a' }])
    const many = Array.from({ length: 20 }, (_, i) => ({ event_id: `r${i}` }))
    // The last ones were sent before: they take no room from those that were not.
    expect(await upload([...many, { event_id: 'a' }, { event_id: 'r19', again: true }])).to.equal(forOne)
    expect(await kept()).to.deep.equal(['r19', 'r18', 'r17'])
    await upload([{ event_id: 'a' }, ...['l1', 'l2', 'l3'].map((id) => ({ event_id: id, text: 'x'.repeat(4000) }))])
    expect(await kept()).to.deep.equal(['l3', 'l2'])
    await upload([{ event_id: 'l2' }, { event_id: 'l3' }])
    expect(await kept()).to.deep.equal(['l3', 'l2'])
    const stored = await test.program.events.after(appId, 0, 100)
    expect(stored).to.have.length(31)
    for (const { data } of stored) expect(data).to.deep.equal({ format: 'raven' })
  })

  itAnswers('that are not what they should be are kept all the same', async () => {
    for (const body of ['', '{"half":', 'text', '[]', 'null']) expect((await acra(body)).status, body).to.equal(204)
    expect((await kscrash('not an array')).status).to.equal(204)
    expect((await kscrash([])).status).to.equal(204)
    const answer = await test.call('POST', `/v1/track/${apiKey}/kscrash/x`, {
      auth: 'none',
      body: '',
      headers: { 'content-type': 'text/plain' },
    })
    expect(answer.status).to.equal(204)
  })

  itAnswers('that are too large are refused, or left out of a form', async () => {
    expect((await acra('x'.repeat(4097))).status).to.equal(413)
    expect((await acra('\u0001'.repeat(1000))).status).to.equal(413)
    expect((await kscrash([{ text: 'x'.repeat(4096) }, { report: { id: 'small' } }])).status).to.equal(204)
    expect((await list()).map((one) => one.reportId)).to.deep.equal(['small'])
    expect((await kscrash([{ text: 'x'.repeat(17_000) }])).status).to.equal(413)
  })

  itAnswers('need the right keys, and an install id that can be stored', async () => {
    expect((await acra(ACRA, { auth: 'none' })).status).to.equal(401)
    expect((await acra(ACRA, { auth: 'server' })).status).to.equal(401)
    expect((await acra(ACRA, { key: 'another' })).status).to.equal(404)
    expect((await kscrash([KSCRASH], { key: 'another' })).status).to.equal(404)
    expect((await kscrash([KSCRASH], { install: 'a%00b' })).status).to.equal(422)
    expect(await list()).to.deep.equal([])
  })

  itAnswers('of one install are not taken without end', async () => {
    const statuses = []
    for (let i = 0; i < 21; i++) statuses.push((await kscrash([], { install: 'loop' })).status)
    expect(statuses).to.deep.equal([...Array.from({ length: 20 }, () => 204), 429])
    expect((await kscrash([], { install: 'other' })).status).to.equal(204)
    // Whatever is remembered costs memory: what is too long for an id is not.
    const long = []
    for (let i = 0; i < 21; i++) long.push((await kscrash([], { install: 'x'.repeat(8000) })).status)
    expect(new Set(long)).to.deep.equal(new Set([422]))
    test.clock.advance(180_000)
    expect((await kscrash([], { install: 'loop' })).status).to.equal(204)
  })

  it('can be counted by fault, and are forgotten after their time', async () => {
    for (const [install, id] of [
      ['I1', 'a'],
      ['I2', 'b'],
    ] as const) {
      await acra({ ...ACRA, REPORT_ID: id }, { install })
    }
    await kscrash([KSCRASH])
    const groups = await test.program.crashes.groups(appId, {}, 10)
    expect(groups.map((one) => [one.exception, one.reports, one.installs])).to.deep.equal([
      ['NSRangeException', 1, 1],
      ['java.lang.IllegalStateException', 2, 2],
    ])
    const only = { platform: 'android', fingerprint: groups[1]!.fingerprint, since: test.clock.now() } as const
    expect(await test.program.crashes.list(appId, only, undefined, 10)).to.have.length(2)
    expect(await test.program.crashes.list(appId, { since: test.clock.now() + 1 }, undefined, 10)).to.deep.equal([])
    test.clock.advance(90 * 86_400_000 + 1)
    expect(await test.program.inTransaction((tx) => tx.crashes.forget(90, 2))).to.equal(2)
    expect(await test.program.inTransaction((tx) => tx.crashes.forget(90, 2))).to.equal(1)
    expect(await list()).to.deep.equal([])
  })
})

describe('the upload of debug symbols', () => {
  it('is answered so that the build goes on, and nothing is kept', async () => {
    const test = await openTestServer()
    try {
      const upload = (auth: 'server' | 'device') => {
        const body = new FormData()
        body.append('dsyms', new Blob([Buffer.alloc(2_000_000)]), 'upload.zip')
        const { apiKey, serverKey, secretKey } = test.first
        const keys = Buffer.from(`${apiKey}:${auth === 'server' ? serverKey : secretKey}`).toString('base64')
        return fetch(`${test.address}/dsyms`, { method: 'PUT', body, headers: { authorization: `Basic ${keys}` } })
      }
      expect((await upload('server')).status).to.equal(204)
      expect((await upload('device')).status).to.equal(401)
    } finally {
      await test.close()
    }
  })
})
