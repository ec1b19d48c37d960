import { expect } from 'chai'
import { DESCRIBED, definitionsCheck } from '../../src/doctor/checks/definitions.ts'
import { examine } from '../../src/doctor/examine.ts'
import { subjectOf } from '../../src/doctor/subject.ts'
import { eventJson } from '../../src/domain/followers/event-json.ts'
import { createFollowing } from '../../src/domain/followers/follow.ts'
import { STATUS } from '../../src/domain/notifications/types.ts'
import { createSender } from '../../src/domain/webhooks/send/sender.ts'
import { tablesOfDefinitions } from '../../src/platform/db/table.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { Areas } from '../../src/program.ts'
import { fanOutDue } from '../../src/workers/jobs/fan-out.ts'
import { handOut } from '../../src/workers/jobs/in-app.ts'
import { createWake, type JobContext } from '../../src/workers/jobs/job.ts'
import { withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { onEachDatabase } from '../support/program.ts'

/** Values in the place of a definition: no JSON, of another kind, of another shape. */
const BROKEN = ['{"field":1e400', 'null', '5', '[]', '{}', '{"kind":"everything"}', '"text"']

describe('the definitions that the doctor knows', () => {
  it('are those of every table', () => {
    expect(Object.keys(DESCRIBED)).to.have.members(tablesOfDefinitions().map(({ table }) => table))
  })
})

onEachDatabase('a stored definition that cannot be read', (kind) => {
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind })
    await withAndroids(test, 2)
  })
  afterEach(() => test.close())

  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await test.call(method, path, body === undefined ? {} : { body })
    return { status: answer.status, body: answer.body as Record<string, unknown> }
  }
  const plant = (table: string, where: object, columns: Record<string, string>) =>
    test.program.kernel.db.write((sql) => sql(table).where(where).update(columns))
  const named = async () => {
    const { findings } = await examine(await subjectOf(test.program), [definitionsCheck], { offline: true })
    return findings
  }

  /** Runs a loop of the workers until nothing is due; returns what it logged as errors. */
  async function runLoop(
    job: (context: JobContext) => Promise<void>,
    until: () => Promise<boolean>,
  ): Promise<unknown[]> {
    const logged: unknown[] = []
    const log = {
      ...silentLog,
      error: (...of: unknown[]) => void logged.push(of),
      warn: (...of: unknown[]) => void logged.push(of),
    }
    const kernel = new Proxy(test.program.kernel, {
      get: (target, name) => (name === 'log' ? log : (Reflect.get(target, name, target) as unknown)),
    })
    const program = new Proxy(test.program, {
      get: (target, name) => (name === 'kernel' ? kernel : (Reflect.get(target, name, target) as unknown)),
    })
    const stop = new AbortController()
    const wake = createWake()
    const done = job({
      program,
      owner: 'test',
      signal: stop.signal,
      wake,
      tick() {},
    })
    try {
      while (!(await until())) await new Promise((resolve) => setImmediate(resolve))
    } finally {
      stop.abort()
      wake.ring()
      await done
    }
    return logged
  }

  it('of a metric keeps no other metric from counting, and can be stored again or deleted', async () => {
    const { program, first } = test
    for (const name of ['a', 'b', 'c'])
      await call('PUT', `/messages/v1/metrics/${name}`, { event: 'seen', where: WHERE })
    for (const broken of BROKEN) {
      await plant('metrics', { name: 'b' }, { filter: broken })
      await program.inTransaction((tx) =>
        tx.serverEvents.take(first.id, [
          { userId: 'anna', type: 'seen', uuid: `e ${broken}`, timestamp: test.clock.now(), data: { x: 1 } },
        ]),
      )
      await follow()
      const list = await call('GET', '/messages/v1/metrics')
      expect(list.status, broken).to.equal(200)
      const [finding] = await named()
      expect(finding!.level, broken).to.equal('error')
      expect(finding!.what).to.match(/metric \d+ "b" of app \d+ \(filter\)/)
      expect(finding!.remedy).to.include('appsvc metrics')
    }
    const rows = await program.kernel.db
      .read('metric_days')
      .join('metrics', 'metrics.id', 'metric_days.metric_id')
      .select('name', 'count')
    expect(rows.map(({ name, count }) => `${name} ${count}`).sort()).to.deep.equal([
      `a ${BROKEN.length}`,
      `c ${BROKEN.length}`,
    ])
    expect((await call('PUT', '/messages/v1/metrics/b', { event: 'seen' })).status).to.be.oneOf([200, 201])
    expect((await named())[0]!.level).to.equal('ok')
    await plant('metrics', { name: 'b' }, { filter: '{', value_path: '..' })
    expect((await call('DELETE', '/messages/v1/metrics/b')).status).to.equal(204)
  })

  async function follow(): Promise<void> {
    const { program, clock } = test
    const parts = {
      read: program,
      inTransaction: <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work),
      clock,
      log: silentLog,
      owner: 'test',
    }
    for (const follower of await program.metrics.follows<Areas>()) {
      const following = createFollowing<Areas>(parts, follower)
      while ((await following.turn(new AbortController().signal)) === 'more');
      await following.close()
    }
    clock.advance(1)
  }

  it('of a send that waits ends it with the reason, and the others go out', async () => {
    const send = async (more: object = {}): Promise<number> => {
      const body = { target: { broadcast: true }, content: CONTENT, ...more }
      const { body: answer } = await call('POST', '/messages/v2/notifications', body)
      return (answer.notification as { id: number }).id
    }
    const { body: segment } = await call('POST', '/messages/v1/segments', { name: 'S', filter: FILTER })
    const rows: [columns: Record<string, string>, reason: RegExp][] = [
      ...BROKEN.map((broken): [Record<string, string>, RegExp] => [
        { target: broken },
        /the target of notification \d+ cannot be read/,
      ]),
      [{ schedule: '{"strategy":"soon"}' }, /the schedule of notification \d+ cannot be read/],
      [{ content: '{' }, /the content of notification \d+ cannot be read/],
    ]
    const broken: [id: number, reason: RegExp][] = []
    for (const [columns, reason] of rows) {
      const id = await send()
      await plant('notifications', { id }, columns)
      broken.push([id, reason])
    }
    broken.push([await send({ target: { segmentUuid: segment.uuid } }), /the filter of segment \d+ cannot be read/])
    await plant('segments', { id: segment.id as number }, { filter: '{"op":"soon"}' })
    const right = await send()
    const openRuns = async () => (await test.program.kernel.db.read('runs').where({ state: 'due' })).length === 0
    const logged = await runLoop(fanOutDue, openRuns)
    for (const [id, reason] of broken) {
      const row = await test.program.kernel.db.read('notifications').where({ id }).first('status', 'status_reason')
      expect([row.status, row.status_reason], `${id}`).to.satisfy(
        ([status, why]: [number, string]) => status === STATUS.failed && reason.test(why),
        JSON.stringify(row),
      )
    }
    expect(await test.program.kernel.db.read('pages').where({ notification_id: right })).to.have.length(1)
    expect(logged.length).to.be.at.most(broken.length)
    expect((await call('GET', '/messages/v2/notifications')).status).to.be.oneOf([200, 404])
  })

  it('of an in-app message that waits ends it with the reason, and the others reach their users', async () => {
    const send = async (): Promise<number> => {
      const body = {
        target: { broadcast: true },
        template: 't',
        content: { Title: 'T', Text: 'x', Link: 'https://example.com' },
        presentedWhen: 'never',
      }
      const { body: answer } = await call('POST', '/messages/v1/in-app-messages', body)
      expect(answer, JSON.stringify(answer)).to.have.property('message').that.is.an('object')
      return (answer.message as { id: number }).id
    }
    await call('POST', '/messages/v1/templates', { uid: 't', starter: 'announcement' })
    const broken: number[] = []
    for (const text of BROKEN) {
      const id = await send()
      await plant('in_app_messages', { id }, { target: text })
      broken.push(id)
    }
    const cursor = await send()
    await plant('in_app_messages', { id: cursor }, { cursor: '{' })
    broken.push(cursor)
    await send()
    const isOver = async () =>
      (await test.program.kernel.db.read('in_app_messages').whereNotNull('next_at')).length === 0
    const logged = await runLoop(handOut, isOver)
    const rows = await test.program.kernel.db
      .read('in_app_messages')
      .whereIn('id', broken)
      .select('status', 'status_reason')
    for (const { status_reason: reason } of rows) expect(reason).to.match(/cannot be read/)
    expect(logged.length).to.be.at.most(broken.length)
  })

  it('of a geofence contains nobody, and phones that move are placed into the others', async () => {
    const circle = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { radius: 1000 } }
    const ids: number[] = []
    for (const name of ['a', 'b']) {
      const { body } = await call('POST', '/messages/v1/geofences', {
        name,
        isEnabled: true,
        tags: [],
        boundsGeoJson: circle,
      })
      ids.push(body.id as number)
    }
    for (const [i, bounds] of BROKEN.entries()) {
      await plant('geofences', { id: ids[0]! }, { bounds, tags: '{', digest: `d${i}` })
      await test.program.inTransaction((tx) =>
        tx.events.ingest(test.first.id, 'install-0', [
          { type: 'k.engage.locationUpdated', uuid: `l${i}`, timestamp: test.clock.now(), data: { lat: 2, lng: 1 } },
        ]),
      )
      test.clock.advance(1000)
    }
    const inside = await test.program.kernel.db.read('geofence_presence').select('geofence_id')
    expect(inside.map((row) => row.geofence_id)).to.deep.equal([ids[1]])
    expect((await call('GET', '/messages/v1/geofences')).status).to.equal(200)
    expect((await named())[0]!.what).to.match(/geofence \d+ "a" of app \d+ \(bounds, tags\)/)
    expect((await call('DELETE', `/messages/v1/geofences/${ids[0]}`)).status).to.equal(204)
  })

  it('of a webhook gets no events, and the others get theirs', async () => {
    const { program, clock, first } = test
    const ids: number[] = []
    for (const path of ['a', 'b', 'c']) {
      const { body } = await call('POST', '/messages/v1/webhooks', {
        url: `https://example.com/${path}`,
        types: ['seen'],
      })
      ids.push(body.id as number)
    }
    await plant('webhooks', { id: ids[0]! }, { types: '{' })
    await plant('webhooks', { id: ids[1]! }, { sealed: 'x' })
    await plant('webhook_cursors', { webhook_id: ids[2]! }, { batch: '{"id":5}' })
    await program.inTransaction((tx) =>
      tx.serverEvents.take(first.id, [{ userId: 'anna', type: 'seen', uuid: 'e', timestamp: clock.now() }]),
    )
    const sent: string[] = []
    let failures = 0
    const sender = createSender<Areas>({
      read: program,
      inTransaction: <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work),
      send: async (request: { url: unknown }) => {
        sent.push(String(request.url))
        return { status: 200, headers: {}, body: '' } as never
      },
      present: eventJson,
      clock,
      log: silentLog,
      random: () => 0.5,
      owner: 'test',
      allowPrivate: false,
      ca: undefined,
    } as never)
    for (let i = 0; i < 5; i++) {
      await sender.look(new AbortController().signal, () => failures++)
      await sender.settled()
    }
    expect(sent.filter((url) => url.includes('/c'))).to.have.length(1)
    expect(sent.filter((url) => !url.includes('/c'))).to.deep.equal([])
    expect(failures, 'failures that are told').to.equal(1)
    expect((await call('GET', '/messages/v1/webhooks')).status).to.equal(200)
    expect((await call('DELETE', `/messages/v1/webhooks/${ids[0]}`)).status).to.equal(204)
  })

  it('of any other kind leaves the list of its kind as it is, and is named', async () => {
    const { first } = test
    const made: [table: string, columns: string[], list: string, make: () => Promise<unknown>][] = [
      [
        'segments',
        ['filter'],
        '/messages/v1/segments',
        () => call('POST', '/messages/v1/segments', { name: 'S', filter: FILTER }),
      ],
      [
        'push_template_versions',
        ['body'],
        '/messages/v1/push-templates',
        () => call('POST', '/messages/v1/push-templates', { uid: 't', content: { title: 'T', message: 'M' } }),
      ],
      [
        'template_versions',
        ['content', 'tags', 'sample'],
        '/messages/v1/templates',
        () => call('POST', '/messages/v1/templates', { uid: 't', starter: 'announcement' }),
      ],
      [
        'channels',
        ['meta'],
        '/messages/channels',
        () => call('POST', '/messages/channels', { uuid: 'c', meta: { a: 1 } }),
      ],
      [
        'deep_links',
        ['link_data', 'reporting_meta'],
        '',
        () =>
          call('POST', '/links/v1/deep-links', [
            {
              linkData: { a: 1 },
              content: { title: 'x' },
              desktopWebFallbackUrl: 'https://example.com',
              mobileWebFallbackUrl: 'https://example.com',
              reportingMeta: { a: 1 },
            },
          ]),
      ],
      ['gateway_configs', ['facts'], `/push/v1/apps/${first.id}`, async () => {}],
      [
        'link_settings',
        ['ios_bundle_ids', 'android_sha256'],
        '/links/v1/link-settings',
        () => call('PUT', '/links/v1/link-settings', { subdomain: 'abc' }),
      ],
    ]
    for (const [table, columns, list, make] of made) {
      await make()
      for (const broken of ['{', 'null', '5']) {
        await plant(table, {}, Object.fromEntries(columns.map((column) => [column, broken])))
        if (list !== '') expect((await call('GET', list)).status, `${list} with ${broken}`).to.equal(200)
        const words = (await named()).map(({ what }) => what).join('\n')
        expect(words, `${table} with ${broken}`).to.include(`(${columns.join(', ')})`)
      }
    }
  })

  it('of another kind of row stops nobody else', async () => {
    const { program, first } = test
    await call('PUT', '/crm/v1/users/anna/attributes', { city: 'Wien' })
    await call('PUT', '/crm/v1/users/bea/attributes', { city: 'Graz' })
    const later = {
      schedule: { strategy: 'timezone', timezone: 'Europe/Vienna', sendAt: '2027-01-01 08:00', pastTimes: 'ignore' },
    }
    const sent = { target: { broadcast: true }, content: { title: 'T', message: 'M' } }
    const waits = await call('POST', '/messages/v2/notifications', { ...sent, ...later })
    expect(waits.status, JSON.stringify(waits.body)).to.be.below(300)
    await program.inTransaction((tx) =>
      tx.events.recordAll(
        first.id,
        [{ type: 'a' }, { type: 'b' }].map((event) => ({ ...event, data: { x: 1 } })),
      ),
    )
    for (const broken of ['{', '[1', '{"a":1']) {
      await plant('users', { identifier: 'anna' }, { attributes: broken })
      await plant('events', { type: 'a' }, { data: broken })
      const { events } = await program.eventLog.read({ appId: first.id, limit: 100 })
      const read = events.filter(({ type }) => ['a', 'b'].includes(type)).map(({ type, data }) => [type, data])
      expect(read, broken).to.deep.equal([
        ['a', null],
        ['b', { x: 1 }],
      ])
      const suggested = await program.segmentSuggestions.of(first.id)
      expect(JSON.stringify(suggested), broken).to.include('Graz')
      const patching = program.inTransaction((tx) => tx.crm.patchAttributes(first.id, 'anna', { a: 1 }))
      expect(
        await patching.then(
          () => '',
          (error: Error) => error.message,
        ),
      ).to.match(/^the attributes of this user cannot be read/)
      await plant('notifications', {}, { schedule: broken })
      expect(await program.inTransaction((tx) => tx.replanPushes(0, 10)), broken).to.deep.include({ last: undefined })
    }
    expect((await call('PUT', '/crm/v1/users/anna/attributes', { city: 'Linz' })).status).to.equal(200)
  })
})

const WHERE = { field: 'data.x', op: 'equals', value: 1 }
const FILTER = { field: 'timezone', op: 'equals', value: 'UTC' }
const CONTENT = { title: 'T', message: 'M' }
