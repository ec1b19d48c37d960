import { expect } from 'chai'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

const PATH = '/messages/v1/segments'
const ANDROID_OR_NONE = { not: { field: 'os', op: 'equals', value: 'iOS' } }

onSqliteDaily('the segment interface', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  after(() => test.close())

  const routes: [string, string, object?][] = [
    ['POST', PATH, { name: 'x', filter: ANDROID_OR_NONE }],
    ['GET', PATH],
    ['GET', `${PATH}/1`],
    ['GET', `${PATH}/1/preview`],
    ['POST', `${PATH}/1/count`, {}],
    ['PUT', `${PATH}/1`, {}],
    ['DELETE', `${PATH}/1`],
  ]
  for (const [method, path, body] of routes) {
    it(`asks for the server key on ${method} ${path}`, async () => {
      for (const auth of ['none', 'device', 'Basic !'] as const) {
        expect((await test.call(method, path, { auth, ...(body && { body }) })).status, auth).to.equal(401)
      }
    })
  }

  it('makes, shows, previews, changes, lists and deletes a segment, by id and by uuid', async () => {
    await addInstall(test.program, test.first.id, 'phone', { user: 'anna' })
    const made = await test.call('POST', PATH, { body: { name: 'Others', filter: ANDROID_OR_NONE } })
    expect(made.status).to.equal(201)
    const segment = made.body as { id: number; uuid: string }
    expect(segment).to.deep.equal({
      id: segment.id,
      appId: test.first.id,
      uuid: segment.uuid,
      name: 'Others',
      filter: ANDROID_OR_NONE,
      size: null,
      createdAt: '2026-03-01 12:00:00',
      updatedAt: '2026-03-01 12:00:00',
    })
    expect(segment.uuid).to.match(/^[0-9a-f-]{36}$/)
    for (const key of [segment.id, segment.uuid]) {
      expect((await test.call('GET', `${PATH}/${key}`)).body).to.deep.equal(segment)
      expect((await test.call('GET', `${PATH}/${key}/preview`)).body).to.deep.equal({
        total: 1,
        platforms: { android: 1 },
        first: [{ installId: 'phone', userId: 'anna', platform: 'android' }],
      })
    }
    const changed = await test.call('PUT', `${PATH}/${segment.uuid}`, { body: { name: 'Rest' } })
    expect(changed.status).to.equal(200)
    expect(changed.body).to.deep.include({ id: segment.id, name: 'Rest', filter: ANDROID_OR_NONE })
    expect((await test.call('GET', `${PATH}?limit=1`)).body).to.deep.equal({ segments: [changed.body], next: null })
    expect((await test.call('DELETE', `${PATH}/${segment.id}`)).status).to.equal(204)
    for (const [method, more] of [
      ['GET', ''],
      ['GET', '/preview'],
      ['DELETE', ''],
    ] as const) {
      expect((await test.call(method, `${PATH}/${segment.id}${more}`)).status).to.equal(404)
    }
    expect((await test.call('PUT', `${PATH}/${segment.id}`, { body: {} })).status).to.equal(404)
  })

  it('keeps the number that was counted until the filter changes', async () => {
    await addInstall(test.program, test.first.id, 'counted', { user: 'carla' })
    const { body } = await test.call('POST', PATH, { body: { name: 'Others', filter: ANDROID_OR_NONE } })
    const at = `${PATH}/${(body as { id: number }).id}`
    const shown = async () => ((await test.call('GET', at)).body as { size: object | null }).size
    const total = ((await test.call('GET', `${at}/preview`)).body as { total: number }).total
    const size = { total, isEstimate: false, countedAt: '2026-03-01T12:00:00+0000' }
    for (const sent of [{}, { isWhole: true }]) {
      const counted = await test.call('POST', `${at}/count`, { body: sent })
      expect(counted.status).to.equal(200)
      expect(counted.body).to.deep.include({ size })
      expect(await shown()).to.deep.equal(size)
    }
    await test.call('PUT', at, { body: { name: 'Rest', filter: ANDROID_OR_NONE } })
    expect(await shown()).to.deep.equal(size)
    await test.call('PUT', at, { body: { filter: { field: 'os', op: 'equals', value: 'iOS' } } })
    expect(await shown()).to.equal(null)
    expect((await test.call('POST', `${PATH}/999999/count`, { body: {} })).status).to.equal(404)
  })

  const wrong: [string, unknown, string[]][] = [
    ['nothing', {}, ['name', 'filter']],
    ['null', { name: null, filter: null }, ['name', 'filter']],
    ['an empty name and no filter', { name: '', filter: {} }, ['name', 'filter']],
    [
      'a filter that is wrong in two places',
      {
        name: 'x',
        filter: {
          and: [
            { field: 'os', op: 'is', value: 'iOS' },
            { field: 'lastActive', op: 'withinDays', value: 'x' },
          ],
        },
      },
      ['filter.and[0].op', 'filter.and[1].value'],
    ],
    [
      'a channel that there is not',
      { name: 'x', filter: { field: 'channel', op: 'equals', value: 'x' } },
      ['filter.value'],
    ],
  ]
  for (const [what, body, keys] of wrong) {
    it(`answers 422 to ${what} and names every key`, async () => {
      const answer = await test.call('POST', PATH, { body })
      expect(answer.status).to.equal(422)
      expect(answer.body).to.have.property('errors').that.has.all.keys(keys)
    })
  }

  it('answers 404 to a segment that there is not, however it is named', async () => {
    for (const key of ['77', 'no-such-uuid', '0', '99999999999999999999', '%00']) {
      expect((await test.call('GET', `${PATH}/${key}`)).status, key).to.equal(404)
    }
  })
})
