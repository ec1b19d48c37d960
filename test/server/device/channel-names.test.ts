import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { itOfShape, onEachDatabase } from '../../support/program.ts'

type Seen = { uuid: string; name: string | null; subscribed: boolean }

const TRICK = { uuid: 'trick', name: 'verify your account at evil.example', showInPortal: true, meta: { a: 1 } }

onEachDatabase('the name that a device gives to a channel', (kind) => {
  const itAnswers = itOfShape(kind)
  let test: TestServer
  beforeEach(async () => {
    test = await openTestServer({ kind })
    await test.call('POST', '/messages/channels', { body: { uuid: 'news', name: 'News' } })
  })
  afterEach(() => test.close())

  const device = (method: string, path: string, body?: unknown) =>
    test.call(method, path, { auth: 'device', ...(body !== undefined && { body }) })
  const server = (method: string, path: string, body?: unknown) =>
    test.call(method, path, { ...(body !== undefined && { body }) })
  const seenBy = async (who: string): Promise<string[]> => {
    const path = who.startsWith('user') ? `/crm/v1/users/${who}/channels` : `/push/v1/app-installs/${who}/channels`
    return ((await device('GET', path)).body as Seen[]).map(({ uuid, name }) => `${uuid}: ${name}`)
  }
  const restrain = (deviceChannels: unknown) => server('PUT', '/messages/v1/restraint', { deviceChannels })
  const idOf = async (uuid: string) => {
    const { channels } = (await server('GET', '/messages/channels')).body as {
      channels: { id: number; uuid: string }[]
    }
    return channels.find((one) => one.uuid === uuid)!.id
  }
  const NAMED = `trick: ${TRICK.name}`

  for (const [host, field, maker, other] of [
    ['push', 'installId', 'install-1', 'install-2'],
    ['crm', 'userIdentifier', 'user-1', 'user-2'],
  ] as const) {
    itAnswers(`is shown to who is subscribed and to nobody else, made on the ${host} host`, async () => {
      const made = await device('POST', `/${host}/v1/channels`, { ...TRICK, [field]: maker })
      expect([made.status, made.body]).to.deep.equal([
        201,
        { uuid: 'trick', name: TRICK.name, subscribed: true, meta: { a: 1 } },
      ])
      expect(await seenBy(maker)).to.deep.equal(['news: News', NAMED])
      expect(await seenBy(other)).to.deep.equal(['news: News'])
    })
  }

  it('is not even shown to its maker once nobody is subscribed, and is answered to whoever makes it again', async () => {
    expect((await device('POST', '/push/v1/channels', TRICK)).body).to.include({ name: TRICK.name, subscribed: false })
    expect(await seenBy('install-1')).to.deep.equal(['news: News'])
    const again = await device('POST', '/push/v1/channels', { ...TRICK, name: 'Other', installId: 'install-1' })
    expect([again.status, (again.body as Seen).name]).to.deep.equal([201, TRICK.name])
    expect(await seenBy('install-1')).to.deep.equal(['news: News', NAMED])
  })

  it('is public when the app says so, and private again when it says so no more', async () => {
    await device('POST', '/push/v1/channels', TRICK)
    expect((await restrain('public')).body).to.include({ deviceChannels: 'public' })
    expect(await seenBy('install-2')).to.deep.equal(['news: News', NAMED])
    expect((await restrain(null)).body).to.include({ deviceChannels: 'private' })
    expect(await seenBy('install-2')).to.deep.equal(['news: News'])
    expect((await restrain('all')).body).to.have.nested.property('errors.deviceChannels')
  })

  it('is public when a server gives the channel a name, and only then', async () => {
    await device('POST', '/push/v1/channels', TRICK)
    const path = `/messages/channels/${await idOf('trick')}`
    expect((await server('GET', path)).body).to.include({ name: TRICK.name, madeByDevice: true })
    await server('PUT', path, { meta: { a: 2 } })
    expect(await seenBy('install-2')).to.deep.equal(['news: News'])
    expect((await server('PUT', path, { name: 'Run club' })).body).not.to.have.property('madeByDevice')
    expect(await seenBy('install-2')).to.deep.equal(['news: News', 'trick: Run club'])
  })

  itAnswers('changes nothing of a channel that is there, and no device can change or delete one', async () => {
    const before = (await server('GET', '/messages/channels')).body
    for (const path of ['/push/v1/channels', '/crm/v1/channels']) {
      const answer = await device('POST', path, { ...TRICK, uuid: 'news', installId: 'install-1' })
      expect([answer.status, (answer.body as Seen).name]).to.deep.equal([201, 'News'])
    }
    const id = await idOf('news')
    for (const method of ['PUT', 'DELETE']) {
      expect((await device(method, `/push/channels/${id}`, { name: 'Evil' })).status).to.equal(401)
      expect((await device(method, `/push/v1/channels/${id}`, { name: 'Evil' })).status).to.equal(404)
    }
    expect((await server('GET', '/messages/channels')).body).to.deep.equal(before)
    expect(await seenBy('install-2')).to.deep.equal(['news: News'])
  })
})
