import { expect } from 'chai'
import { boolean, count, free, list, nullable, object, string } from '../../../src/present/schema.ts'
import { masked, maskPersonal, undecided } from '../../../src/server/admin/mask.ts'
import { routes } from '../../../src/server/routes.ts'
import type { Route } from '../../../src/server/routing/route.ts'
import { deliverDue, fanOut, scriptedSender } from '../../support/delivery.ts'
import { addGateway } from '../../support/gateways.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addTemplates, handOut, inAppBody } from '../../support/in-app.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { onSqliteDaily } from '../../support/program.ts'
import { column, makeTable } from '../../support/tables.ts'
import { alert, heading } from '../../support/templates.ts'

/** The text in every personal value of the world behind its first two characters, which viewers may see. */
const CANARY = 'canary'
const USER = 'zq-canary-user@example.com'
const INSTALL = 'zq-canary-install'

/** GETs of the admin interface that a viewer may call. */
const seen = routes.filter(({ area, method, right }) => area === 'admin' && method === 'get' && right === 'see')
const nameOf = ({ path }: Route) => path.replace('/v1/apps/:appId', '')

/** Routes that answer no viewer: with a page, a file, or what is no use when it is masked. */
const REFUSED = ['/users/:userId/attributes', '/deep-links/:id/page']

onSqliteDaily('what viewers see', (kind) => {
  let test: TestServer
  let owner: TestPerson
  let viewer: TestPerson
  let base: string
  const places = new Map<string, string>()

  before(async () => {
    test = await openTestServer({ kind })
    owner = await addPerson(test.program)
    viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
    base = `/admin/v1/apps/${test.first.id}`
    await fillWorld()
  })
  after(() => test.close())

  async function made(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    const answer = await test.call(method, `${base}${path}`, { auth: `Bearer ${owner.token}`, body })
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299)
    return (answer.body ?? {}) as Record<string, unknown>
  }

  /** A database in which every personal value has the canary. */
  async function fillWorld(): Promise<void> {
    const { program, first, clock } = test
    const now = clock.now()
    let told = 0
    const event = (type: string, data: object) => ({ type, uuid: `mask-${++told}`, timestamp: now, data })
    await addGateway(test)
    await program.inTransaction((tx) =>
      tx.events.ingest(first.id, INSTALL, [
        event('k.stats.installTracked', {
          app: { version: 'is canary version' },
          platform: { name: 'Android' },
          os: { id: 3, version: 'is canary os' },
          device: { name: "Anna's canary iPhone", locale: 'en_US', tz: 'Europe/Vienna' },
        }),
        event('k.stats.userAssociated', { id: USER, attributes: { email: 'zq-canary-mail@example.com' } }),
        event('k.push.deviceRegistered', { token: 'zq-canary-token', type: 2 }),
        event('shop.bought', { what: 'zq-canary-bread', 'zq-canary-key': 1 }),
        event('k.engage.locationUpdated', { lat: 48.2, lng: 16.4 }),
        event('k.fg', {}),
      ]),
    )
    await program.inTransaction(async (tx) => {
      await tx.crm.putAttributes(first.id, USER, {
        email: 'zq-canary-mail@example.com',
        of: { city: 'zq-canary-city' },
      })
      await tx.suppressions.put(first.id, USER, 'zq-canary-reason')
      await tx.suppressions.remove(first.id, USER)
      await tx.suppressions.put(first.id, 'zq-canary-other', 'zq-canary-reason')
      await tx.purposes.put(first.id, 'news', { name: 'News', description: null, default: true, required: false })
      await tx.crashes.accept(first.id, {
        installId: INSTALL,
        source: 'acra',
        reports: [
          {
            REPORT_ID: 'is canary report',
            APP_VERSION_NAME: 'is canary version',
            ANDROID_VERSION: '15',
            PHONE_MODEL: "Anna's canary phone",
            USER_EMAIL: 'zq-canary-mail@example.com',
            'zq-canary-key': 'x',
            STACK_TRACE:
              'java.lang.IllegalStateException: no basket of zq-canary-user\n\tat com.example.Basket.total(Basket.kt:12)',
          },
        ],
      })
      await tx.checkins.checkIn(first.id, USER, {
        location: 'Clinic of zq-canary',
        partySize: 2,
        timezone: 'Europe/Berlin',
        deviceKey: 'a2V5',
        contacts: [
          {
            lastName: 'Zq-canary-last',
            firstName: 'Zq-canary-first',
            emailAddress: 'zq-canary-guest@example.com',
            smsNumber: 'zq-canary-number',
            meta: { 'zq-canary-key': 'zq-canary-seat' },
          },
        ],
      })
    })
    await addTemplates(test)
    await program.inTransaction(async (tx) => {
      const install = await tx.crm.ensureInstall(first.id, INSTALL, now)
      await tx.crm.setInAppEnabled(first.id, install, USER, true, now)
    })
    const table = await makeTable(test, 'patients', [
      column('name', 'string', { default: 'zq-canary-default' }),
      column('age', 'integer'),
    ])
    await made('POST', `/data/${table.alias}`, { name: 'zq-canary-cell', age: 41 })
    const channel = await made('POST', '/channels', { uuid: 'news', name: 'News', meta: { by: 'zq-canary-editor' } })
    await made('POST', '/channels/news/subscriptions', { userIds: [USER] })
    const form = new FormData()
    form.append('file', new Blob(['zq-canary-unknown\r\n'], { type: 'text/csv' }), 'users.csv')
    const uploaded = await fetch(`${test.address}${base}/channels/news/subscribers-file`, {
      method: 'POST',
      headers: { authorization: `Bearer ${owner.token}` },
      body: form,
    })
    const { import: file } = (await uploaded.json()) as { import: { id: string } }
    const segment = await made('POST', '/segments', {
      name: 'One',
      filter: { or: [{ field: 'attributes.email', op: 'in', value: ['zq-canary-mail@example.com'] }] },
    })
    await made('PUT', '/metrics/bought', {
      event: 'shop.bought',
      where: { field: 'data.what', op: 'equals', value: 'zq-canary-bread' },
    })
    const content = { title: 'Fresh bread', message: 'Until six', data: { order: 'zq-canary-order' } }
    const sent = await made('POST', '/notifications', { target: { userIds: [USER] }, content })
    const { notification } = sent as { notification: { id: number } }
    await made('POST', '/notifications', {
      target: { userIds: [USER, 'zq-canary-nobody'] },
      content,
      schedule: { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' },
    })
    await fanOut(test)
    const reason = 'no token zq-canary-token'
    await deliverDue(test, scriptedSender(() => ({ kind: 'payload_error', reason, everyone: false })).sender)
    await program.inTransaction((tx) =>
      tx.events.ingest(first.id, INSTALL, [event('k.push.opened', { id: notification.id })]),
    )
    const message = await made('POST', '/in-app-messages', {
      ...inAppBody({ target: { userIds: [USER] }, data: { order: 'zq-canary-order' } }),
    })
    await handOut(test)
    const link = await made('POST', '/deep-links', [
      {
        linkData: { coupon: 'zq-canary-coupon' },
        reportingMeta: { by: 'zq-canary-seller' },
        mobileWebFallbackUrl: 'https://shop.example/basket?email=zq-canary-mail@example.com',
        desktopWebFallbackUrl: 'https://shop.example/#zq-canary',
      },
    ])
    await made('POST', '/templates', {
      uid: 'greeting',
      name: 'Greeting',
      content: alert([heading()]),
      tags: [],
      sample: {},
    })
    await made('POST', '/push-templates', { uid: 'greeting', content: { title: 'Hello', message: 'World' } })
    await made('POST', '/test-devices', { installId: INSTALL, name: "Anna's canary phone" })
    const approval = await made('POST', '/approvals', { target: { userIds: [USER] }, content })
    const profile = await program.crm.showUser(first.id, USER)
    const [crash] = await program.crashes.list(first.id, {}, undefined, 1)
    const fence = await made('POST', '/geofences', {
      name: 'Shop',
      boundsGeoJson: {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [16.4, 48.2] },
        properties: { radius: 100 },
      },
    })
    const erasure = await program.inTransaction((tx) => tx.erasures.request(first.id, 'user', 'zq-canary-gone'))
    const links =
      (link as unknown as { deepLinks?: { id: number }[] }).deepLinks ?? (link as unknown as { id: number }[])
    const of = (path: string, values: Record<string, unknown>) => {
      for (const [name, value] of Object.entries(values)) places.set(`${path} ${name}`, String(value))
    }
    of('/profiles', { profileId: profile.id, id: notification.id })
    of('/crashes', { crashId: crash!.id })
    of('/segments', { id: segment.id })
    of('/channels', { id: channel.id, uuid: 'news' })
    of('/imports', { id: file.id })
    of('/tables', { tableAlias: table.alias })
    of('/data', { tableAlias: table.alias, id: 1 })
    of('/approvals', { id: approval.id })
    of('/deliveries', { id: notification.id })
    of('/notifications', { id: notification.id })
    of('/in-app-messages', { id: (message as { message: { id: number } }).message.id })
    of('/deep-links', { id: links[0]!.id })
    of('/push-templates', { uid: 'greeting', version: 1 })
    of('/templates', { uid: 'greeting', version: 1 })
    of('/geofences', { id: fence.id })
    of('/users', { userId: USER })
    of('/purposes', { uid: 'news' })
    of('/suppressions', { identifier: 'zq-canary-other' })
    of('/metrics', { name: 'bought' })
    of('/gateways', { platform: 'android' })
    of('/erasures', { erasureId: erasure.id })
  }

  /** The path of a route in the world; values that there is nothing for are `none`. */
  function pathOf(route: Route): string {
    const name = nameOf(route)
    const area = `/${name.split('/')[1]}`
    const inner = name.includes('/imports/') ? '/imports' : area
    return name.replace(/:(\w+)/g, (_, parameter: string) => {
      const value = (parameter === 'id' ? places.get(`${inner} id`) : undefined) ?? places.get(`${area} ${parameter}`)
      return encodeURIComponent(value ?? 'none')
    })
  }

  async function read(path: string, who: TestPerson): Promise<{ status: number; text: string }> {
    const ended = new AbortController()
    const answer = await fetch(`${test.address}${base}${path}`, {
      headers: { authorization: `Bearer ${who.token}` },
      signal: ended.signal,
    })
    if (!answer.headers.get('content-type')?.startsWith('text/event-stream'))
      return { status: answer.status, text: await answer.text() }
    let text = ''
    for await (const piece of answer.body!) {
      text += Buffer.from(piece as Uint8Array).toString()
      if (text.includes('data: ')) break
    }
    ended.abort()
    return { status: answer.status, text }
  }

  /** Queries of a route besides its bare path. */
  const QUERIES: Readonly<Record<string, readonly string[]>> = {
    '/profiles': ['?q=', `?q=${encodeURIComponent(USER)}`, `?q=${INSTALL}`],
    '/profiles/suggestions': [`?q=${encodeURIComponent(USER)}`, `?q=${INSTALL}`],
    '/channel-counts': ['?ids=1'],
    '/map/density': ['?west=-180&south=-90&east=180&north=90'],
    '/deliveries/:id/trace': [`?userId=${encodeURIComponent(USER)}`, `?installId=${INSTALL}`],
    '/users': ['?currentPage=1&numberPerPage=10'],
    '/deep-links/:id/page': ['?device=android'],
    '/link-search': ['?q=1', '?q=2'],
    '/checkins': ['', `?userId=${encodeURIComponent(USER)}`],
  }

  it('holds nothing personal in any answer, nor in an error', async () => {
    const statuses = new Map<number, string[]>()
    const shownToOwners: string[] = []
    for (const route of seen) {
      for (const query of QUERIES[nameOf(route)] ?? ['']) {
        const path = `${pathOf(route)}${query}`
        const { status, text } = await read(path, viewer)
        expect(text.toLowerCase().replaceAll(encodeURIComponent(USER).toLowerCase(), ''), path).to.not.include(CANARY)
        statuses.set(status, [...(statuses.get(status) ?? []), path])
        const whole = await read(path, owner)
        if (whole.text.toLowerCase().includes(CANARY)) shownToOwners.push(nameOf(route))
      }
    }
    // What the test says is worth something only where there was something to see.
    for (const name of [
      '/profiles',
      '/profiles/suggestions',
      '/profiles/:profileId',
      '/profiles/:profileId/timeline',
      '/profiles/:profileId/notifications/:id',
      '/crash-groups',
      '/crashes',
      '/crashes/:crashId',
      '/checkins',
      '/tables',
      '/tables/:tableAlias',
      '/data/:tableAlias',
      '/data/:tableAlias/:id',
      '/test-devices',
      '/approvals',
      '/approvals/:id',
      '/deliveries/:id',
      '/deliveries/:id/trace',
      '/notifications',
      '/notifications/:id',
      '/notifications/:id/recipients',
      '/notifications/:id/install-opens',
      '/notifications/:id/user-opens',
      '/scheduled-notifications',
      '/in-app-messages',
      '/in-app-messages/:id',
      '/users',
      '/users/:userId',
      '/users/:userId/attributes',
      '/suppressions',
      '/suppressions/:identifier',
      '/channels',
      '/channels/:id',
      '/channels/:uuid/subscriptions',
      '/segments',
      '/segments/:id',
      '/segments/:id/preview',
      '/metrics',
      '/metrics/:name',
      '/deep-links',
      '/deep-links/:id',
      '/deep-links/:id/preview',
      '/link-search',
    ])
      expect(shownToOwners, name).to.include(name)
    const others = [...statuses].filter(([status]) => status !== 200 && status !== 404 && status !== 403)
    expect(others).to.deep.equal([])
    expect(statuses.get(403)!.map((path) => path.replace(/\?.*/, '')).length).to.equal(REFUSED.length)
    expect(statuses.get(404)!.length, String(statuses.get(404))).to.be.below(12)
  })

  it('says which conditions a segment has, and not with which values', async () => {
    const { text } = await read(`/segments/${places.get('/segments id')}`, viewer)
    expect(JSON.parse(text))
      .to.have.property('filter')
      .that.deep.equals({
        or: [{ field: 'attributes.email', op: 'in', value: ['zq•••'] }],
      })
  })

  it('is not told by the order of a table, nor by the places in it', async () => {
    const table = `/data/${places.get('/data tableAlias')}`
    await made('POST', table, [{ name: 'zq-canary-next' }, { name: 'zq-canary-third' }])
    const page = (query: string, who: TestPerson) =>
      test.call('GET', `${base}${table}?numberPerPage=1&${query}`, { auth: `Bearer ${who.token}` })
    const decoded = (next: string | null) => Buffer.from(next ?? '', 'base64url').toString()
    const whole = await page('sortBy=name', owner)
    expect(decoded(whole.headers.get('next-after'))).to.include(CANARY)
    for (const sortBy of ['name', '-name', 'age']) {
      for (const after of ['', `&after=${whole.headers.get('next-after')}`]) {
        const refused = await page(`sortBy=${sortBy}${after}`, viewer)
        expect(refused.status, sortBy).to.equal(403)
        expect(refused.headers.get('next-after')).to.equal(null)
      }
    }
    expect((await page(`after=${whole.headers.get('next-after')}`, viewer)).status).to.equal(422)
    for (const sortBy of ['id', '-id', 'createdAt', '-updatedAt']) {
      const shown = await page(`sortBy=${sortBy}`, viewer)
      expect(shown.status, sortBy).to.equal(200)
      expect(decoded(shown.headers.get('next-after')))
        .to.match(/^\["/)
        .and.not.include(CANARY)
    }
  })

  it('is refused as a file and as a page', async () => {
    const audited = (await test.program.audit.list({ limit: 500 })).entries
    expect((await read(`/deep-links/${places.get('/deep-links id')}/page?device=android`, viewer)).status).to.equal(403)
    expect((await read(`/deep-links/${places.get('/deep-links id')}/qr`, viewer)).status).to.equal(200)
    expect((await test.program.audit.list({ limit: 500 })).entries).to.have.length(audited.length)
  })

  it('is what the audit log keeps of people, too', async () => {
    await made('PUT', `/segments/${places.get('/segments id')}`, {
      name: 'Two',
      filter: { field: 'attributes.email', op: 'equals', value: 'zq-canary-mail@example.com' },
    })
    await made('PUT', '/metrics/bought', {
      event: 'shop.bought',
      where: { field: 'data.what', op: 'equals', value: 'zq-canary-cake' },
    })
    await made('PUT', `/data/${places.get('/data tableAlias')}/1`, { name: 'zq-canary-cell', age: 42 })
    await made('PUT', '/suppressions/zq-canary-new', { reason: 'zq-canary-reason' })
    await made('PUT', `/users/${encodeURIComponent(USER)}/choices`, { news: false })
    await made('POST', '/webhooks', {
      url: 'https://hooks.example.com/in?key=zq-canary-key',
      types: ['notification.delivered'],
    })
    const { entries } = await test.program.audit.list({ limit: 500 })
    expect(entries.filter((one) => JSON.stringify(one).toLowerCase().includes(CANARY))).to.deep.equal([])
    const change = entries.find(({ action }) => action === 'segments.update')!
    expect(change.before).to.have.nested.property('filter.or[0].field', 'attributes.email')
    expect(change.after).to.deep.include({
      name: 'Two',
      filter: { field: 'attributes.email', op: 'equals', value: 'zq•••' },
    })
  })

  it('is decided for every field of every answer', () => {
    const open = seen.flatMap((route) => {
      const schema = route.returns ?? route.streams
      // Files and pages are refused as they are.
      return schema === undefined && route.produces !== undefined ? [] : undecided(schema, route.path)
    })
    expect([...new Set(open)], 'say in src/server/admin/kinds.ts what these fields are').to.deep.equal([])
  })
})

describe('masking', () => {
  const person = object('User', 'A user.', {
    identifier: string,
    os: string,
    known: boolean,
    visits: count,
    more: nullable(free),
  })

  it('hides a field that nobody has decided', () => {
    const shown = maskPersonal(
      { identifier: 'alice', os: 'iOS', known: true, visits: 3, more: { age: 3 }, x: 'y' },
      person,
    )
    expect(shown).to.deep.equal({
      identifier: 'al•••',
      os: '•••',
      known: true,
      visits: 3,
      more: { age: null },
      x: '•••',
    })
    expect(undecided(person)).to.deep.equal(['User.os', 'User.more'])
  })

  it('hides everything without a schema, and where a value has another form than its schema', () => {
    expect(maskPersonal({ id: 7, list: ['long text'] }, undefined)).to.deep.equal({ id: null, list: ['lo•••'] })
    expect(maskPersonal({ known: { name: 'alice' }, visits: ['alice'] }, person)).to.deep.equal({
      known: { name: 'al•••' },
      visits: ['al•••'],
    })
    expect(maskPersonal([null, 'alice'], list(string))).to.deep.equal([null, 'al•••'])
  })

  it('shows the first two characters of a text that is longer than they are', () => {
    expect(['', 'm', 'NYC', 'Rome', 'alice@example.com', '👩‍🚀xx'].map(masked)).to.deep.equal([
      '•••',
      '•••',
      '•••',
      'Ro•••',
      'al•••',
      '👩‍•••',
    ])
  })
})
