import { expect } from 'chai'
import { withAndroids } from '../../support/delivery.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addTemplates, addUser, handOut, holders, inAppBody } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'

interface Estimate {
  audience: number
  recipients: number
  confirmAbove: number | null
  platforms: { platform: string; recipients: number; configured: boolean }[]
  leftOut: { reason: string; count: number }[]
  mayBeSkipped: string[]
  sample: { installId: string; userId: string | null; platform: string }[]
  times: { at: string; recipients: number; zones: string[] }[]
}

const CONTENT = { title: 'Hi', message: 'there' }

onEachDatabase('composing a push', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  let anna: TestPerson
  let ben: TestPerson
  let base: string

  beforeEach(async () => {
    test = await openTestServer({ kind })
    anna = await addPerson(test.program)
    ben = await addPerson(test.program, {
      roles: [{ appId: test.first.id, role: 'marketer' }],
      scopes: ['see', 'campaign'],
    })
    base = `/admin/v1/apps/${test.first.id}`
    await withAndroids(test, 3)
  })
  afterEach(() => test.close())

  const call = async (method: string, path: string, body?: unknown, who = ben) => {
    const answer = await test.call(method, `${base}${path}`, {
      auth: `Bearer ${who.token}`,
      ...(body !== undefined && { body }),
    })
    return answer as { status: number; body: Record<string, unknown> }
  }
  const estimate = async (body: object) => {
    const answer = await call('POST', '/notifications/estimate', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
    return answer.body as unknown as Estimate
  }

  /** Its user does not allow notifications any more. */
  const turnOff = (installId: string) =>
    test.program.inTransaction(({ events }) => {
      const data = { token: `token-${installId.split('-')[1]}`, type: 2, areNotificationsEnabled: false }
      const event = { type: 'k.push.deviceRegistered', uuid: `off-${installId}`, timestamp: test.clock.now(), data }
      return events.ingest(test.first.id, installId, [event])
    })

  it('counts by platform, says who is left out and why, and shows some of them', async () => {
    const { program, first, clock } = test
    await program.inTransaction(async ({ crm, suppressions }) => {
      const install = await crm.ensureInstall(first.id, 'huawei', clock.now())
      await crm.registerToken(first.id, install, { token: 'h', type: 5 }, clock.now())
      await suppressions.put(first.id, 'nobody', null)
    })
    await test.call('PUT', '/messages/v1/restraint', {
      body: { confirmAbove: 2, quietHours: { from: '22:00', to: '07:00' } },
    })
    const found = await estimate({ target: { broadcast: true, excludeInstallIds: ['install-0'] } })
    expect(found).to.deep.include({ audience: 3, confirmAbove: 2, times: [], mayBeSkipped: ['quiet_hours'] })
    expect(found.platforms).to.deep.equal([
      { platform: 'android', recipients: 2, configured: true },
      { platform: 'hcm', recipients: 1, configured: false },
    ])
    expect(found.leftOut).to.deep.include.members([
      { reason: 'excluded', count: 1 },
      { reason: 'no_gateway', count: 1 },
    ])
    expect(found.recipients).to.equal(found.sample.length)
    expect(found.sample.map(({ platform }) => platform)).to.include('android')
  })

  it('counts the people of an in-app message, says who is left out and why, and shows some of them', async () => {
    const { program, first } = test
    for (const name of ['ann', 'bob', 'cleo', 'dan']) await addUser(test, name)
    await addUser(test, 'off', { enabled: false })
    await program.inTransaction(async (tx) => {
      await tx.suppressions.put(first.id, 'cleo', null)
      await tx.purposes.put(first.id, 'news', { name: 'News', description: null, default: true, required: false })
      await tx.purposes.choose(first.id, 'dan', { news: false }, 'server')
    })
    const ask = async (body: object) => {
      const answer = await call('POST', '/in-app-messages/estimate', body)
      expect(answer.status, JSON.stringify(answer.body)).to.equal(200)
      return answer.body
    }
    expect(await ask({ target: { broadcast: true, excludeInstallIds: ['bob-phone'] }, purpose: 'news' })).to.deep.equal(
      {
        audience: 3,
        recipients: 1,
        isComplete: true,
        confirmAbove: null,
        leftOut: [
          { reason: 'excluded', count: 1 },
          { reason: 'not_wanted', count: 1 },
          { reason: 'on_suppression_list', count: 1 },
        ],
        sample: ['ann'],
      },
    )
    expect(await ask({ target: { userIds: ['ann', 'off', 'nobody'], installIds: ['ann-phone'] } })).to.deep.include({
      recipients: 1,
      leftOut: [
        { reason: 'unknown_user', count: 1 },
        { reason: 'unsubscribed_user', count: 1 },
      ],
    })
    const wrong = await call('POST', '/in-app-messages/estimate', { target: { segmentUuid: 'none' } })
    expect(wrong.body).to.have.nested.property('errors.target\\.segmentUuid')
  })

  it('says who is due when each phone’s zone decides, and where the time has passed', async () => {
    const { program, first } = test
    for (const [name, timezone] of [
      ['vienna', 'Europe/Vienna'],
      ['tokyo', 'Asia/Tokyo'],
    ] as const) {
      const id = await addInstall(program, first.id, name, { user: name })
      await program.kernel.db.write((trx) => trx('installs').where({ id }).update({ timezone }))
    }
    const target = { installIds: ['vienna', 'tokyo'] }
    const later = await estimate({
      target,
      schedule: { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' },
    })
    expect(later.times).to.deep.equal([
      { at: '2031-04-30T22:30:00+0000', recipients: 1, zones: ['Asia/Tokyo'] },
      { at: '2031-05-01T05:30:00+0000', recipients: 1, zones: ['Europe/Vienna'] },
    ])
    const gone = await estimate({
      target,
      schedule: { strategy: 'local', sendAt: '2001-05-01 07:30', pastTimes: 'ignore' },
    })
    expect(gone).to.deep.include({ recipients: 0, audience: 2, leftOut: [{ reason: 'time_passed', count: 2 }] })
  })

  itAnswers('shows the request to every gateway', async () => {
    const { status, body } = await call('POST', '/notifications/payloads', { content: CONTENT })
    expect(status, JSON.stringify(body)).to.equal(200)
    const items = body.items as { platform: string; configured: boolean; request: { bytes: number; limit: number } }[]
    expect(items.map(({ platform }) => platform)).to.deep.equal(['ios', 'android', 'web', 'safari', 'hcm'])
    expect(items.filter(({ configured }) => configured).map(({ platform }) => platform)).to.deep.equal(['android'])
    for (const { request } of items) expect(request.bytes).to.be.greaterThan(0).and.below(request.limit)
    await call('POST', '/push-templates', { uid: 'greeting', content: CONTENT })
    const named = { content: { template: 'greeting' } }
    expect((await call('POST', '/notifications/payloads', named)).body).to.deep.equal(body)
    expect((await call('POST', '/notifications/payloads', { content: { template: 'gone' } })).status).to.equal(422)
    expect((await call('POST', '/notifications/payloads', { content: { title: '', message: '' } })).status).to.equal(
      422,
    )
  })

  itAnswers('sends nothing for some seconds, in which it can be called off', async () => {
    const push = { target: { broadcast: true }, content: CONTENT }
    const sent = await call('POST', '/notifications?undoSeconds=10', push)
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    const { id } = sent.body.notification as { id: number }
    const run = (await test.program.kernel.db.read('runs').where({ notification_id: id }).first('due_at')) as {
      due_at: number
    }
    expect(run.due_at).to.equal(test.clock.now() + 10_000)
    expect((await call('DELETE', `/scheduled-notifications/${id}`)).status).to.equal(204)
    expect((await call('GET', `/notifications/${id}`)).body).to.include({ status: 4 })
  })

  itAnswers('is followed while it waits, and stopped once', async () => {
    expect((await call('POST', '/notifications', { target: { installIds: ['x'] }, content: CONTENT })).status).to.equal(
      400,
    )
    const sent = await call('POST', '/notifications', { target: { broadcast: true }, content: CONTENT })
    const path = `/deliveries/${(sent.body.notification as { id: number }).id}`
    const headers = { authorization: `Bearer ${ben.token}` }
    const live = await fetch(`${test.address}${base}${path}/events`, { headers })
    expect(live.status).to.equal(200)
    expect((await call('POST', `${path}/stop`)).status).to.equal(204)
    const told = [...(await live.text()).matchAll(/^data: (.*)$/gm)].map(
      ([, data]) => JSON.parse(data!) as { status: number },
    )
    expect(told.at(-1)!.status).to.equal(4)
    expect((await call('POST', `${path}/stop`)).status).to.equal(400)
    expect((await call('GET', `${path}/trace?userId=a&installId=b`)).body).to.have.nested.property('errors.userId')
    expect((await call('GET', '/overview?zone=Nowhere')).body).to.have.nested.property('errors.zone')
  })

  itAnswers('gives back the body of a send, to write one like it', async () => {
    const push = {
      target: { broadcast: true },
      content: { ...CONTENT, url: 'https://example.com/a', data: { screen: 'x' } },
      ios: { subtitle: 'S', badge: { type: 'setTo', count: 1 }, media: { pictureUrl: 'https://example.com/p.png' } },
      android: { channelId: 'offers' },
      buttons: [{ id: 'b', text: 'B' }],
      reportingMeta: { campaign: 'spring' },
      userMeta: { anna: { seat: 3 }, ben: 'x' },
      ttl: 90,
      rateLimit: 50,
      priority: 'transactional',
    }
    const schedule = { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' }
    for (const [path, body] of [
      ['/notifications', push],
      ['/notifications?undoSeconds=10', push],
      ['/notifications', { ...push, schedule }],
    ] as const) {
      const sent = await call('POST', path, body)
      const { id } = sent.body.notification as { id: number }
      expect((await call('GET', `/notifications/${id}/request`)).body).to.deep.equal(push)
    }
    const sent = await call('POST', '/notifications', { target: { broadcast: true }, content: CONTENT })
    const { id } = sent.body.notification as { id: number }
    const again = (await call('GET', `/notifications/${id}/request`)).body
    expect(again).to.deep.equal({ target: { broadcast: true }, content: CONTENT })
    expect((await call('GET', '/notifications/77/request')).status).to.equal(404)
  })

  itAnswers('says what people would get of an in-app message, before it is sent', async () => {
    await addTemplates(test)
    for (const name of ['ann', 'bob']) await addUser(test, name)
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'ann', { nick: 'Annie' }))
    const saying = {
      target: { broadcast: true },
      template: 'hello',
      personalize: {},
      content: { Name: "{{ user.attributes.nick | default: 'you' }}" },
    }
    const found = await call('POST', '/in-app-messages/estimate', saying)
    expect(found.status, JSON.stringify(found.body)).to.equal(200)
    expect(found.body).to.deep.include({ recipients: 2, warnings: [] })
    expect(found.body.personalization).to.deep.include({ sampled: 2, skipped: 0 })
    expect(found.body).to.have.nested.property('personalization.expressions[0].defaults', 1)
    expect((await call('POST', '/in-app-messages/estimate?sample=1', saying)).body.personalization).to.include({
      sampled: 1,
    })
    const wrong = await call('POST', '/in-app-messages/estimate', { ...saying, content: { Name: '{{ meta.x }}' } })
    expect(wrong.status).to.equal(422)
    expect(JSON.stringify(wrong.body)).to.contain('content.Name')
    expect((await call('POST', '/in-app-messages/estimate', { ...saying, template: 'gone' })).status).to.equal(404)
  })

  itAnswers('an in-app message can be called off before anybody has it', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const made = await call('POST', '/in-app-messages?undoSeconds=10', inAppBody())
    expect(made.status, JSON.stringify(made.body)).to.equal(202)
    const { id } = made.body.message as { id: number }
    test.clock.advance(9_999)
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal([])
    expect((await call('DELETE', `/in-app-messages/${id}`)).status).to.equal(204)
    test.clock.advance(10_000)
    await handOut(test)
    expect(await holders(test, id)).to.deep.equal([])
    const kept = await call('POST', '/in-app-messages?undoSeconds=10', inAppBody())
    test.clock.advance(10_000)
    await handOut(test)
    expect(await holders(test, (kept.body.message as { id: number }).id)).to.deep.equal(['ann'])
    expect((await call('POST', '/in-app-messages?undoSeconds=61', inAppBody())).status).to.equal(422)
    const nobody = inAppBody({ target: { userIds: ['nobody'] } })
    expect((await call('POST', '/in-app-messages', nobody)).status).to.equal(400)
  })

  it('lets people edit a scheduled in-app message, but where a second person approves, not what has a push', async () => {
    await addTemplates(test)
    await addUser(test, 'ann')
    const schedule = { sendAt: '2031-05-01 07:30', strategy: 'utc', pastTimes: 'ignore' }
    const untimed = { ...inAppBody({ labels: ['a'] }), notification: CONTENT, priority: 'transactional' }
    const made = await call('POST', '/in-app-messages', { ...untimed, schedule })
    const path = `/in-app-messages/${String((made.body.message as { id: number }).id)}`
    expect((await call('GET', `${path}/request`)).body).to.deep.equal(untimed)
    expect((await call('GET', '/in-app-messages/77/request')).status).to.equal(404)
    await call('PUT', '/second-person', { required: true }, anna)
    for (const more of [{ notification: CONTENT }, { target: { userIds: ['ann'] } }, { personalize: {} }]) {
      const refused = await call('PATCH', path, { ...more, schedule })
      expect(refused.status, JSON.stringify(more)).to.equal(403)
      expect(refused.body).to.include({ code: 'second_person' })
      expect(refused.body.error).to.contain('take its push out of it')
    }
    expect((await call('PATCH', '/in-app-messages/77', { data: null })).status).to.equal(404)
    const moved = { ...schedule, sendAt: '2031-05-01 08:30' }
    expect((await call('PATCH', path, { schedule: moved, presentedWhen: 'next-open' })).status).to.equal(200)
    expect((await call('PATCH', path, { notification: null, data: { a: 1 } })).body).to.include({ push: null })
    expect((await call('PATCH', path, { inbox: { title: 'In', subtitle: '' } })).status).to.equal(200)
    expect((await call('PATCH', path, { notification: CONTENT })).status).to.equal(403)
    expect((await call('PATCH', path, { schedule: null })).body).to.include({ status: 1 })
    await call('PUT', '/second-person', { required: false }, anna)
    const { entries } = await test.program.audit.list({ limit: 20 })
    const edits = entries.filter(({ action }) => action === 'in-app-messages.update')
    expect(edits).to.have.length(4)
    expect(edits[3]).to.deep.include({ adminId: ben.id, target: path.split('/')[2] })
    expect(edits[3]!.before).to.nested.include({ 'schedule.sendAt': '2031-05-01 07:30' })
    expect(edits[3]!.after).to.nested.include({ 'schedule.sendAt': '2031-05-01 08:30' })
    const viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
    expect((await call('PATCH', path, { schedule: null }, viewer)).status).to.equal(403)
    expect((await call('GET', `${path}/request`, undefined, viewer)).status).to.equal(403)
  })

  itAnswers('sends tests of in-app messages to the people of named devices, past their purposes', async () => {
    await addTemplates(test)
    for (const name of ['ann', 'bob']) await addUser(test, name)
    const device = await call('POST', '/test-devices', { name: 'Phone of Ann', installId: 'ann-phone' })
    const saying = { template: 'hello', personalize: {}, content: { Name: '{{ user.identifier }}' } }
    const sent = await call('POST', '/test-in-app-messages', { devices: [device.body.id], ...saying })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    expect(sent.body.message).to.deep.include({ filters: { installIds: ['ann-phone'] }, priority: 'transactional' })
    await handOut(test)
    expect(await holders(test, (sent.body.message as { id: number }).id)).to.deep.equal(['ann'])
    expect((await call('POST', '/test-in-app-messages', { devices: [77], ...saying })).status).to.equal(404)
    expect((await call('POST', '/test-in-app-messages', { devices: [], ...saying })).status).to.equal(422)
    const nothing = { devices: [device.body.id], ...saying, content: {} }
    expect((await call('POST', '/test-in-app-messages', nothing)).status).to.equal(422)
    const off = { row: 0, installId: 'ann-phone' }
    await test.program.inTransaction((tx) => tx.crm.setInAppEnabled(test.first.id, off, 'ann', false, test.clock.now()))
    expect((await call('POST', '/test-in-app-messages', { devices: [device.body.id], ...saying })).status).to.equal(400)
  })

  itAnswers('sends tests to named devices only, past quiet hours', async () => {
    const added = await call('POST', '/test-devices', { name: 'Phone of Anna', installId: 'install-1' })
    expect(added.status, JSON.stringify(added.body)).to.equal(201)
    expect(added.body).to.include({ name: 'Phone of Anna', platform: 'android', subscribed: true })
    const agent =
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
    const data = { sdk: { id: 10 }, runtime: { version: agent }, device: { name: agent } }
    const tracked = { type: 'k.stats.installTracked', uuid: 'browser', timestamp: test.clock.now(), data }
    await test.program.inTransaction(({ events }) => events.ingest(test.first.id, 'install-1', [tracked]))
    const again = await call('POST', '/test-devices', { name: 'Pixel', installId: 'install-1' })
    expect(again.body).to.include({ deviceModel: agent, deviceName: 'Chrome on Windows' })
    expect(again.body).to.include({ id: added.body.id, name: 'Pixel' })
    expect((await call('POST', '/test-devices', { name: 'x', installId: 'nobody' })).body).to.have.nested.property(
      'errors.installId',
    )
    const sent = await call('POST', '/test-pushes', { devices: [added.body.id], content: CONTENT })
    expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
    expect(sent.body.notification).to.deep.include({
      filters: { installIds: ['install-1'] },
      priority: 'transactional',
      isTest: true,
    })
    const { id } = sent.body.notification as { id: number }
    expect((await call('GET', `/deliveries/${id}`)).body).to.include({ isTest: true })
    expect(((await call('GET', '/deliveries')).body.items as object[])[0]).to.include({ id, isTest: true })
    await call('POST', '/push-templates', { uid: 'tried', content: CONTENT })
    const named = { devices: [added.body.id], content: { template: 'tried' } }
    expect((await call('POST', '/test-pushes', named)).status).to.equal(202)
    expect((await call('POST', '/test-pushes', { devices: [77], content: CONTENT })).status).to.equal(404)
    await turnOff('install-1')
    expect((await call('POST', '/test-pushes', { devices: [added.body.id], content: CONTENT })).status).to.equal(400)
    expect((await call('DELETE', `/test-devices/${String(added.body.id)}`)).status).to.equal(204)
    expect((await call('GET', '/test-devices')).body).to.deep.equal({ items: [] })
  })

  itAnswers('a viewer sees no install of the test devices whole, and sends none', async () => {
    await call('POST', '/test-devices', { name: 'Pixel', installId: 'install-1' })
    const viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
    const { body } = await call('GET', '/test-devices', undefined, viewer)
    expect((body.items as object[])[0]).to.include({ name: 'Pi•••', installId: 'in•••' })
    expect((await call('POST', '/test-pushes', { devices: [1], content: CONTENT }, viewer)).status).to.equal(403)
    expect((await call('POST', '/notifications/estimate', { target: { broadcast: true } }, viewer)).status).to.equal(
      403,
    )
  })

  it('lets people change the time of a scheduled one alone, where a second person approves', async () => {
    const schedule = { sendAt: '2031-05-01 07:30', strategy: 'utc', pastTimes: 'ignore' }
    const { body } = await call('POST', '/notifications', { target: { broadcast: true }, content: CONTENT, schedule })
    const path = `/notifications/${String((body.notification as { id: number }).id)}`
    await call('PUT', '/second-person', { required: true }, anna)
    for (const more of [
      { content: { title: 'New', message: 'M' } },
      { target: { userIds: ['a'] } },
      { purpose: null },
    ]) {
      const refused = await call('PATCH', path, { ...more, schedule })
      expect(refused.status, JSON.stringify(more)).to.equal(403)
      expect(refused.body).to.include({ code: 'second_person' })
      expect(refused.body.error).to.contain('cancel it and ask for approval')
    }
    const moved = await call('PATCH', path, { schedule: { ...schedule, sendAt: '2031-05-01 08:30' }, ttl: 60 })
    expect(moved.status).to.equal(200)
    expect((await call('PATCH', path, { schedule: null })).body).to.include({ status: 1 })
    await call('PUT', '/second-person', { required: false }, anna)
    const { entries } = await test.program.audit.list({ limit: 10 })
    const edits = entries.filter(({ action }) => action === 'notifications.update')
    expect(edits).to.have.length(2)
    expect(edits[1]).to.deep.include({ adminId: ben.id, target: path.split('/')[2] })
    expect(edits[1]!.before).to.nested.include({ 'schedule.sendAt': '2031-05-01 07:30' })
    expect(edits[1]!.after).to.nested.include({ 'schedule.sendAt': '2031-05-01 08:30' })
  })

  it('waits for a second person where the app asks for one', async () => {
    const push = { target: { broadcast: true }, content: CONTENT }
    expect((await call('PUT', '/second-person', { required: true })).status).to.equal(403)
    expect((await call('PUT', '/second-person', { required: true }, anna)).body).to.deep.equal({ required: true })
    const refused = await call('POST', '/notifications', push)
    expect(refused).to.deep.include({ status: 403 })
    expect(refused.body).to.include({ code: 'second_person' })

    const asked = await call('POST', '/approvals', push)
    expect(asked.status, JSON.stringify(asked.body)).to.equal(201)
    const path = `/approvals/${String(asked.body.id)}`
    expect(asked.body).to.deep.include({ state: 'waiting', title: 'Hi', request: push, requestedBy: ben.id })
    expect(await call('GET', path)).to.deep.include({ status: 200, body: asked.body })
    expect((await call('POST', `${path}/approve`, {})).status).to.equal(403)
    const approved = await call('POST', `${path}/approve?undoSeconds=10`, {}, anna)
    expect(approved.status, JSON.stringify(approved.body)).to.equal(200)
    expect(approved.body).to.include({ state: 'approved', request: null })
    expect((await call('GET', `/notifications/${String(approved.body.notificationId)}`)).body).to.include({
      title: 'Hi',
    })
    expect((await call('POST', `${path}/approve`, {}, anna)).status).to.equal(409)
    expect((await call('DELETE', path)).status).to.equal(409)

    const other = await call('POST', '/approvals', { ...push, target: { installIds: ['install-0'] } })
    await turnOff('install-0')
    const unreached = await call('POST', `/approvals/${String(other.body.id)}/approve`, {}, anna)
    expect(unreached.status, JSON.stringify(unreached.body)).to.equal(400)
    expect((await call('DELETE', `/approvals/${String(other.body.id)}`)).body).to.include({ state: 'declined' })
    expect((await call('GET', '/approvals?state=waiting')).body).to.deep.equal({ items: [], next: null })
    expect((await call('GET', '/approvals?limit=1')).body).to.include({ next: String(other.body.id) })
    const actions = (await test.program.audit.list({ limit: 100 })).entries.map(({ action }) => action)
    expect(actions).to.include.members([
      'approvals.create',
      'approvals.approve',
      'approvals.delete',
      'second-person.update',
    ])
  })

  it('keeps a hundred of an app at most, and none longer than a month', async () => {
    const { program, first, clock } = test
    const push = { target: { broadcast: true }, content: CONTENT }
    await program.inTransaction(async (tx) => {
      for (let i = 0; i < 100; i++) await tx.approvals.ask(first.id, push, { id: ben.id, name: 'Ben' })
    })
    expect((await call('POST', '/approvals', push)).status).to.equal(409)
    const [oldest] = (await program.approvals.list(first.id, { limit: 100 })).approvals.slice(-1)
    await call('DELETE', `/approvals/${oldest!.id}`)
    expect((await call('POST', '/approvals', push)).status).to.equal(201)
    clock.advance(31 * 86_400_000)
    expect(await program.inTransaction((tx) => tx.approvals.forget(1000))).to.equal(100)
  })
})
