import { expect } from 'chai'
import { understand } from '../../../src/domain/profiles/search/search-text.ts'
import { routes } from '../../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { makeProfileWorld, type ProfileWorld } from '../../support/profile-world.ts'

interface Found {
  items: { id: number; identifier: string }[]
  next: string | null
  total: number | null
}
interface Told {
  items: {
    kind: string
    type: string | null
    state: string | null
    about: { id: number } | null
    data: unknown
    installId: string | null
  }[]
  next: string | null
}
interface Reason {
  wasReached: boolean
  says: string
  remedy: string | null
  installs: { state: string; installId: string }[]
}

/** Personal values in the world of users. */
const PERSONAL = ['alice', 'bob@', 'carol@', 'bob-phone', 'carol-phone', 'token-', 'gold', 'Miller', 'asked by letter']

describe('users for people', () => {
  let test: TestServer
  let world: ProfileWorld
  let owner: TestPerson
  let viewer: TestPerson

  before(async () => {
    test = await openTestServer()
    world = await makeProfileWorld(test)
    owner = await addPerson(test.program)
    viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
  })
  after(() => test.close())

  async function read<T>(path: string, who = owner, status = 200): Promise<T> {
    const answer = await test.call('GET', `/admin/v1/apps/${test.first.id}${path}`, { auth: `Bearer ${who.token}` })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
    return answer.body as T
  }
  const find = async (q: string, who = owner) =>
    (await read<Found>(`/profiles?q=${encodeURIComponent(q)}`, who)).items.map(({ identifier }) => identifier)

  it('are listed, the newest first, and counted', async () => {
    const { items, next, total } = await read<Found>('/profiles?limit=2')
    expect(total).to.equal(3)
    expect(items.map(({ id }) => id)).to.deep.equal([world.carol, world.bob])
    const rest = await read<Found>(`/profiles?limit=2&after=${next}`)
    expect(rest.items.map(({ id }) => id)).to.deep.equal([world.alice])
    expect(rest.next).to.equal(null)
  })

  it('are counted, sorted and exported; a cursor that is none is refused, and one of another order harms nothing', async () => {
    const count = (q: string, who = owner) => read<object>(`/profiles/count?q=${encodeURIComponent(q)}`, who)
    expect(await count('plan != gold')).to.deep.equal({ count: 2, next: null })
    expect(await count('alice@example.com', viewer)).to.deep.equal({ count: 1, next: null })
    expect(await count('alice', viewer)).to.deep.equal({ count: 0, next: null })
    const sorted = await read<Found>('/profiles?sort=identifier&limit=1')
    expect(sorted.items.map(({ id }) => id)).to.deep.equal([world.alice])
    await read('/profiles?sort=identifier', viewer, 403)
    await read('/profiles?sort=-lastActive', viewer)
    for (const after of ['x', '-1', 'in:', '1e3', '%00', '1-']) await read(`/profiles?after=${after}`, owner, 422)
    for (const after of ['in:5', '17-5', '5']) {
      for (const sort of ['created', 'identifier', '-lastActive']) await read(`/profiles?after=${after}&sort=${sort}`)
    }
    await read('/profiles/export', viewer, 403)
  })

  it('are saved as CSV, which a program for tables does not run', async () => {
    const { program } = test
    const other = (await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    const add = (appId: number, id: string, attributes: object) =>
      program.inTransaction((tx) => tx.crm.putAttributes(appId, id, attributes as Record<string, unknown>))
    await add(other, '=cmd', { note: '=1+1', known: 'x', tags: ['a'] })
    const session = await addPerson(program)
    const address = `${test.address}/admin/v1/apps/${other}/profiles/export?q=`
    const answer = await fetch(address, { headers: { cookie: session.cookie } })
    expect(answer.status).to.equal(200)
    const lines = (await answer.text()).split('\r\n')
    expect(lines[0]).to.equal(
      'user_id,known,created,first_active,last_active,installs,subscribed,note,tags,other_attributes',
    )
    expect(lines[1]).to.match(/^'=cmd,true,.*,0,0,'=1\+1,"\[""a""\]","\{""known"":""x""\}"$/)
    expect(lines).to.have.length(3)
    expect((await program.audit.list({ limit: 1 })).entries[0]).to.include({ action: 'profiles.export', appId: other })
    const { total } = await read<Found>('/profiles')
    expect(total).to.equal(3)
  })

  for (const { typed, finds } of [
    { typed: 'alice@example.com', finds: ['alice@example.com'] },
    { typed: 'Ali', finds: ['alice@example.com'] },
    { typed: 'alice-tablet', finds: ['alice@example.com'] },
    { typed: 'plan = gold', finds: ['alice@example.com'] },
    { typed: 'visits >= 12', finds: ['alice@example.com'] },
    { typed: 'address.city ~ erl', finds: ['alice@example.com'] },
    { typed: 'plan != gold', finds: ['bob@example.com', 'carol@example.com'] },
    { typed: 'nobody', finds: [] },
    { typed: '%', finds: [] },
  ]) {
    it(`are found by ${JSON.stringify(typed)}`, async () => {
      expect(await find(typed)).to.deep.equal(finds)
    })
  }

  it('are suggested while somebody types, with attributes that they have', async () => {
    type Offers = { items: { kind: string; text?: string; identifier?: string; id?: number }[] }
    const offers = async (q: string, who = owner) =>
      (await read<Offers>(`/profiles/suggestions?q=${encodeURIComponent(q)}`, who)).items
    expect(await offers('bob')).to.deep.include({ kind: 'user', id: world.bob, identifier: 'bob@example.com' })
    expect((await offers('pl')).map(({ text }) => text)).to.deep.equal(['plan = '])
    expect((await offers('plan = g')).map(({ text }) => text)).to.deep.equal(['plan = gold'])
    expect((await offers('alice-phone'))[0]).to.include({ kind: 'install', id: world.alice })
    expect(await offers('bob', viewer)).to.deep.equal([])
    await read(`/profiles/suggestions?q=${'x'.repeat(10_000)}`, owner, 422)
  })

  it('are shown whole, with the state of each push token', async () => {
    type Shown = {
      installs: { installId: string; push: { state: string } }[]
      channels: { uuid: string }[]
      suppression: unknown
    }
    const alice = await read<Shown>(`/profiles/${world.alice}`)
    expect(alice.installs.map(({ installId, push }) => [installId, push.state])).to.have.deep.members([
      ['alice-phone', 'ready'],
      ['alice-tablet', 'none'],
    ])
    expect(alice.channels.map(({ uuid }) => uuid)).to.deep.equal(['news'])
    expect((await read<Shown>(`/profiles/${world.bob}`)).installs[0]!.push.state).to.equal('off')
    expect((await read<Shown>(`/profiles/${world.carol}`)).suppression).to.include({ reason: 'asked by letter' })
    await read('/profiles/999999', owner, 404)
    await read('/profiles/x', owner, 404)
    expect(JSON.stringify(alice)).to.not.include('token-alice')
  })

  it('have a timeline of sends, opens and events, page by page', async () => {
    const all: Told['items'] = []
    let next: string | null = ''
    for (let pages = 0; next !== null && pages < 20; pages++) {
      const page: Told = await read<Told>(`/profiles/${world.alice}/timeline?limit=3${next && `&after=${next}`}`)
      all.push(...page.items)
      next = page.next
    }
    expect(next).to.equal(null)
    const sends = all.filter(({ kind }) => kind === 'send')
    expect(sends.map(({ about, state }) => [about!.id, state])).to.deep.equal([
      [world.toNews, 'accepted'],
      [world.toAll, 'opened'],
    ])
    expect(all.filter(({ kind }) => kind === 'open')).to.have.length(1)
    expect(all.filter(({ kind }) => kind === 'session')).to.have.length(2)
    const whole = await read<Told>(`/profiles/${world.alice}/timeline?limit=100`)
    expect(whole.items).to.have.length(all.length)
    const opens = await read<Told>(`/profiles/${world.alice}/timeline?kind=open`)
    expect(opens.items.map(({ type }) => type)).to.deep.equal(['k.push.opened'])
    await read(`/profiles/${world.alice}/timeline?after=bm9uZQ`, owner, 422)
  })

  it('learn why they did not get something, in words with a remedy', async () => {
    const why = (id: number, notification: number) => read<Reason>(`/profiles/${id}/notifications/${notification}`)
    const alice = await why(world.alice, world.toAll)
    expect(alice.wasReached).to.equal(true)
    expect(alice.installs.map(({ installId, state }) => [installId, state])).to.have.deep.members([
      ['alice-phone', 'opened'],
      ['alice-tablet', 'no_token'],
    ])
    const bob = await why(world.bob, world.toAll)
    expect(bob).to.include({ wasReached: false })
    expect(bob.says).to.include('turned off on this device')
    expect(bob.remedy).to.include('settings of the device')
    expect((await why(world.bob, world.toNews)).installs[0]!.state).to.equal('not_in_channel')
    expect((await why(world.carol, world.toAll)).installs[0]!.state).to.equal('on_suppression_list')
    await read(`/profiles/${world.bob}/notifications/999`, owner, 404)
  })

  it('are masked for viewers, who find them by whole names only', async () => {
    const [alice] = (await read<Found>('/profiles?q=alice%40example.com', viewer)).items
    expect(alice).to.include({ id: world.alice, identifier: 'al•••' })
    expect(await find('ali', viewer)).to.deep.equal([])
    expect(await find('plan = gold', viewer)).to.deep.equal([])
    const told = JSON.stringify([
      await read(`/profiles/${world.alice}`, viewer),
      await read(`/profiles/${world.alice}/timeline`, viewer),
      await read(`/profiles/${world.alice}/notifications/${world.toAll}`, viewer),
      await read('/crashes', viewer),
      await read(`/crashes/${world.crash}`, viewer),
      await read('/checkins', viewer),
    ])
    for (const secret of ['alice@', 'alice-phone', 'gold', 'Miller']) expect(told).to.not.include(secret)
  })

  it('are named by no answer that a viewer can read, whatever the route', async () => {
    const values: Record<string, string> = {
      appId: String(test.first.id),
      profileId: String(world.alice),
      notificationId: String(world.toAll),
      crashId: String(world.crash),
      userId: 'alice@example.com',
      installId: 'alice-phone',
      uuid: 'news',
    }
    const readable = routes.filter(
      ({ area, method, path, right }) =>
        area === 'admin' && method === 'get' && right === 'see' && path.includes(':appId') && !path.endsWith('/events'),
    )
    const told: string[] = []
    let answered = 0
    for (const { path } of readable) {
      const at = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? '1'))
      // What somebody names is told back to them: who asks by number learns no name.
      if (/:(?:userId|installId)/.test(path)) continue
      const { status, body } = await test.call('GET', `/admin${at}`, { auth: `Bearer ${viewer.token}` })
      if (status < 300) answered++
      for (const secret of PERSONAL) {
        if (JSON.stringify(body).includes(secret)) told.push(`${path} (${status}): ${secret}`)
      }
    }
    const carol = await read(`/profiles/${world.carol}`, viewer)
    expect(JSON.stringify(carol)).to.not.match(/asked by letter|carol/)
    expect(answered).to.be.above(30)
    expect(told).to.deep.equal([])
  })

  it('see nothing of another app', async () => {
    const other = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))).id
    for (const path of [`/profiles/${world.alice}`, `/profiles/${world.alice}/timeline`, `/crashes/${world.crash}`]) {
      const answer = await test.call('GET', `/admin/v1/apps/${other}${path}`, { auth: `Bearer ${owner.token}` })
      expect(answer.status, path).to.equal(404)
    }
  })

  it('report crashes, which come by fault and one by one with the stack', async () => {
    type Groups = { items: { fingerprint: string; reports: number; lastId: number }[] }
    const { items } = await read<Groups>('/crash-groups?platform=android&days=7')
    expect(items).to.have.length(1)
    expect(items[0]).to.include({ reports: 1, lastId: world.crash })
    const list = await read<{ items: object[]; next: null }>(`/crashes?fault=${items[0]!.fingerprint}`)
    expect(list.items).to.have.length(1)
    const crash = await read<{ stack: string[]; exception: string }>(`/crashes/${world.crash}`)
    expect(crash.exception).to.include('IllegalStateException')
    expect(crash.stack.join('\n')).to.include('Basket.total')
    expect((await read<Groups>('/crash-groups?platform=ios')).items).to.deep.equal([])
  })

  it('check in, and are listed while they are there', async () => {
    type Checkins = { items: { location: string; userIdentifier: string }[] }
    expect((await read<Checkins>('/checkins?state=open')).items).to.have.length(1)
    expect((await read<Checkins>('/checkins?state=closed')).items).to.deep.equal([])
    expect((await read<Checkins>('/checkins?userId=alice%40example.com')).items[0]).to.include({ location: 'Bakery' })
    expect((await read<Checkins>('/checkins?userId=bob')).items).to.deep.equal([])
  })
})

describe('what people type to find users', () => {
  for (const [typed, understood] of [
    ['', { kind: 'everybody' }],
    ['  anna ', { kind: 'name', text: 'anna' }],
    ['auth0|7:x', { kind: 'name', text: 'auth0|7:x' }],
    ['plan=gold', { kind: 'attribute', name: 'plan', op: 'equals', value: 'gold' }],
    ['plan = "12"', { kind: 'attribute', name: 'plan', op: 'equals', value: '12' }],
    ['visits >= 12', { kind: 'attribute', name: 'visits', op: 'atLeast', value: 12 }],
    ['vip != true', { kind: 'attribute', name: 'vip', op: 'notEquals', value: true }],
    ['full name ~ mill', { kind: 'attribute', name: 'full name', op: 'contains', value: 'mill' }],
    ['plan =', { kind: 'name', text: 'plan =' }],
    ['=gold', { kind: 'name', text: '=gold' }],
    ['vip > true', { kind: 'name', text: 'vip > true' }],
  ] as const) {
    it(`understands ${JSON.stringify(typed)}`, () => {
      expect(understand(typed)).to.deep.equal(understood)
    })
  }
})
