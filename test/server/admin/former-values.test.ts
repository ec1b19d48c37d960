import { expect } from 'chai'
import { routes } from '../../../src/server/routes.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addTemplates, inAppBody } from '../../support/in-app.ts'
import { addInstall } from '../../support/installs.ts'
import { newLink } from '../../support/links.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { onEachDatabase } from '../../support/program.ts'
import { meetAtAudit, raceAgainst } from '../../support/race.ts'
import { pushBody } from '../../support/series.ts'
import { column, makeTable } from '../../support/tables.ts'

interface World {
  test: TestServer
  owner: TestPerson
  /** Calls a route of the app. */
  call(method: string, path: string, body?: object): ReturnType<TestServer['call']>
  /** Makes a thing by POST; returns the member of the answer that names it. */
  made(path: string, body: object, member?: string): Promise<string>
}

/** A thing that people change: two changes of it, and the member by which they differ. */
interface Changed {
  /** The route, and the right method. */
  route: string
  /** Makes one; returns its address below the app, which is `at` otherwise. */
  make?: (world: World) => Promise<string>
  at?: string
  one: object
  two: object
  member: string
  /** True when its deletion notes what it was. */
  deletes?: true
}

const LATER = { strategy: 'local', sendAt: '2031-05-01 07:30', pastTimes: 'ignore' }
const LABELS = { heading: 'H', body: 'B', acceptAction: 'Get', declineAction: 'No' }
const CONTENT = { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello' }] } }
const SPOT = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [13.4, 52.5] },
  properties: { radius: 250 },
}
async function addLink({ test: { program, first } }: World): Promise<number> {
  const [link] = await program.inTransaction((tx) => tx.links.create(first.id, [newLink({ slug: 'sale' })]))
  return link!.id
}
const memberOf = (value: unknown, member: string) =>
  member.split('.').reduce<unknown>((of, name) => (of as Record<string, unknown> | null | undefined)?.[name], value)
const names = { one: { name: 'One' }, two: { name: 'Two' }, member: 'name' }
const purpose = { description: 'D', default: true }

const CHANGED: readonly Changed[] = [
  {
    route: 'put /purposes/:uid',
    make: async ({ call }) => {
      await call('PUT', '/purposes/news', { name: 'News', ...purpose })
      return '/purposes/news'
    },
    one: { name: 'One', ...purpose },
    two: { name: 'Two', ...purpose },
    member: 'name',
    deletes: true,
  },
  {
    route: 'put /data/:tableAlias/:id',
    make: async ({ test, call }) => {
      const { alias } = await makeTable(test, 'things', [column('n', 'integer')])
      await call('POST', `/data/${alias}`, { n: 0 })
      return `/data/${alias}/1`
    },
    one: { n: 1 },
    two: { n: 2 },
    // What a record holds may be about people, and is not noted.
    member: 'updatedAt',
    deletes: true,
  },
  {
    route: 'patch /notifications/:id',
    make: async ({ made }) =>
      `/notifications/${await made('/notifications', pushBody({ schedule: LATER }), 'notification.id')}`,
    one: { schedule: { ...LATER, sendAt: '2031-05-02 07:30' } },
    two: { schedule: { ...LATER, sendAt: '2031-05-03 07:30' } },
    member: 'schedule.sendAt',
  },
  {
    route: 'put /push-templates/:uid',
    make: async ({ made }) =>
      `/push-templates/${await made('/push-templates', { uid: 'p', name: 'P', content: { title: 'T', message: 'M' } }, 'uid')}`,
    ...names,
    deletes: true,
  },
  {
    route: 'patch /in-app-messages/:id',
    make: async ({ made }) =>
      `/in-app-messages/${await made('/in-app-messages', inAppBody({ schedule: LATER }), 'message.id')}`,
    one: { schedule: { ...LATER, sendAt: '2031-05-02 07:30' } },
    two: { schedule: { ...LATER, sendAt: '2031-05-03 07:30' } },
    member: 'schedule.sendAt',
    deletes: true,
  },
  {
    route: 'patch /series/:id',
    make: async ({ made }) => `/series/${await made('/notifications', pushBody(), 'series.id')}`,
    one: { content: { title: 'One', message: 'M' } },
    two: { content: { title: 'Two', message: 'M' } },
    member: 'title',
  },
  {
    route: 'put /channels/:id',
    make: async ({ made }) => `/channels/${await made('/channels', { uuid: 'c', name: 'C' })}`,
    ...names,
    deletes: true,
  },
  {
    route: 'put /segments/:id',
    make: async ({ made }) =>
      `/segments/${await made('/segments', { name: 'S', filter: { field: 'os', op: 'equals', value: 'iOS' } })}`,
    ...names,
    deletes: true,
  },
  {
    route: 'put /templates/:uid',
    make: async ({ made }) =>
      `/templates/${await made('/templates', { uid: 't', name: 'T', content: CONTENT, tags: [], sample: {} }, 'uid')}`,
    ...names,
    deletes: true,
  },
  {
    route: 'put /geofences/:id',
    make: async ({ made }) => `/geofences/${await made('/geofences', { name: 'G', boundsGeoJson: SPOT, tags: [] })}`,
    ...names,
    deletes: true,
  },
  {
    route: 'patch /deep-links/:id',
    make: async (world) => `/deep-links/${await addLink(world)}`,
    one: { lookupLimit: 1 },
    two: { lookupLimit: 2 },
    member: 'lookupLimit',
    deletes: true,
  },
  {
    route: 'put /link-settings',
    at: '/link-settings',
    one: { iosTeamId: 'A1B2C3D4E5' },
    two: { iosTeamId: 'A1B2C3D4E6' },
    member: 'iosTeamId',
  },
  {
    route: 'put /restraint',
    at: '/restraint',
    one: { confirmAbove: 1 },
    two: { confirmAbove: 2 },
    member: 'confirmAbove',
  },
  {
    route: 'patch /webhooks/:id',
    make: async ({ made }) => `/webhooks/${await made('/webhooks', { url: 'https://example.com/hooks' })}`,
    one: { url: 'https://example.com/one' },
    two: { url: 'https://example.com/two' },
    member: 'url',
    deletes: true,
  },
  {
    route: 'put /events/settings',
    at: '/events/settings',
    one: { deliveries: true },
    two: { deliveries: false },
    member: 'deliveries',
  },
  {
    route: 'put /metrics/:name',
    make: async ({ call }) => {
      await call('PUT', '/metrics/m', { event: 'zero' })
      return '/metrics/m'
    },
    one: { event: 'one' },
    two: { event: 'two' },
    member: 'event',
    deletes: true,
  },
  {
    route: 'put /second-person',
    at: '/second-person',
    one: { required: true },
    two: { required: false },
    member: 'required',
  },
  { route: 'patch ', at: '', ...names },
  {
    route: 'put /admins/:id/roles',
    make: async ({ test }) => `/admins/${(await addPerson(test.program)).id}/roles`,
    one: { roles: [{ appId: null, role: 'operator' }] },
    two: { roles: [{ appId: null, role: 'marketer' }] },
    member: 'roles',
    deletes: true,
  },
  {
    route: 'patch /banners/:uuid',
    make: async (world) => {
      await addLink(world)
      return `/banners/${await world.made('/banners', { link: 'sale', labels: LABELS }, 'uuid')}`
    },
    one: { labels: { ...LABELS, heading: 'One' } },
    two: { labels: { ...LABELS, heading: 'Two' } },
    member: 'labels.heading',
    deletes: true,
  },
  {
    route: 'patch /prompts/:name',
    make: async ({ call }) => {
      await call('POST', '/prompts/ask', { type: 'bell', trigger: { event: 'zero' } })
      return '/prompts/ask'
    },
    one: { trigger: { event: 'one' } },
    two: { trigger: { event: 'two' } },
    member: 'design.trigger.event',
    deletes: true,
  },
]

/** Other routes that change or delete something, by what they note. */
const OTHERS = {
  'the former value, tested below': ['put /me', 'post /tables/:tableAlias/changes', 'delete /tables/:tableAlias'],
  'the former value, tested in signed-users.test.ts': ['put /signed-users'],
  'what no change of it alters': ['delete /keys/:id', 'delete /pictures/:uid'],
  'nobody by name': [
    'delete /users/:userId',
    'put /users/:userId/attributes',
    'patch /users/:userId/attributes',
    'delete /users/:userId/attributes',
    'delete /installs/:installId',
    'put /users/:userId/choices',
    'put /suppressions/:identifier',
    'delete /suppressions/:identifier',
  ],
  'no former value': [
    'delete ',
    'delete /session',
    'delete /sessions/:id',
    'put /me/totp',
    'delete /me/totp',
    'delete /me/passkeys/:id',
    'delete /me/tokens/:id',
    'delete /test-devices/:id',
    'delete /approvals/:id',
    'delete /scheduled-notifications/:id',
    'put /gateways',
    'delete /gateways/:platform',
    'delete /channels/:uuid/subscriptions',
    'delete /webhooks/:id/replay',
  ],
}

onEachDatabase('the row of the audit log for a change', (kind) => {
  let test: TestServer
  let world: World
  beforeEach(async () => {
    test ??= await openTestServer({ kind })
    await test.startOver()
    const owner = await addPerson(test.program)
    const call: World['call'] = (method, path, body) => {
      // A later time for each.
      test.clock.advance(1000)
      return test.call(method, `/admin/v1${path.startsWith('/admins/') ? '' : `/apps/${test.first.id}`}${path}`, {
        auth: `Bearer ${owner.token}`,
        ...(body !== undefined && { body }),
      })
    }
    const made: World['made'] = async (path, body, member = 'id') => {
      const answer = await call('POST', path, body)
      const name = memberOf(answer.body, member)
      expect(name, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`).to.not.equal(undefined)
      return String(name)
    }
    world = { test, owner, call, made }
    await addInstall(test.program, test.first.id, 'phone', { user: 'ann' })
    await addTemplates(test)
  })
  after(() => test.close())

  /** The states before and after that the rows of the two calls note, the older call first. */
  async function rows() {
    const { entries } = await test.program.audit.list({ limit: 2 })
    return entries.toReversed()
  }
  for (const { route, make, at = '', one, two, member, deletes } of CHANGED) {
    const method = route.split(' ')[0]!.toUpperCase()

    it(`${route} begins where the one before it ended`, async () => {
      const path = make ? await make(world) : at
      const answers = await meetAtAudit(
        test.program,
        () => world.call(method, path, one),
        () => world.call(method, path, two),
      )
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.equal(200)
      const [first, second] = await rows()
      expect(memberOf(first!.after, member), JSON.stringify(first)).to.not.equal(undefined)
      expect(memberOf(first!.before, member)).to.not.deep.equal(memberOf(first!.after, member))
      expect(memberOf(second!.before, member)).to.deep.equal(memberOf(first!.after, member))
    })

    // On SQLite the deletion may come first, and then there is nothing to change.
    if (!deletes || kind === 'sqlite') continue
    it(`${route} ends with what its deletion removed`, async () => {
      const path = make ? await make(world) : at
      const [changed, deleted] = await meetAtAudit(
        test.program,
        () => world.call(method, path, one),
        () => world.call('DELETE', path.replace(/\/roles$/, '')),
      )
      for (const { status, body } of [changed, deleted]) expect(status, JSON.stringify(body)).to.be.below(300)
      const [first, second] = await rows()
      expect(memberOf(second!.before, member), JSON.stringify(second)).to.deep.equal(memberOf(first!.after, member))
    })
  }

  const noted = async () => {
    const [row] = (await test.program.audit.list({ limit: 1 })).entries
    return row!.before
  }

  for (const [what, method, below, body] of [
    ['a change', 'POST', '/changes', { changes: [{ do: 'drop', name: 'n' }] }],
    ['the deletion', 'DELETE', '', undefined],
  ] as const) {
    it(`${what} of a data table begins where the change before it ended`, async () => {
      const { alias } = await makeTable(test, 'things', [column('n', 'integer'), column('m', 'integer')])
      const { two } = await raceAgainst(
        test.program,
        async (tx, meet) => {
          await tx.tables.alter(test.first.id, alias, [{ do: 'rename', name: 'm', to: 'renamed' }])
          await meet()
        },
        () => world.call(method, `/tables/${alias}${below}`, body),
      )
      expect(two).to.have.nested.property('value.status').that.is.oneOf([200, 204])
      const { columns } = (await noted()) as { columns: { name: string }[] }
      expect(columns.map(({ name }) => name)).to.deep.equal(['n', 'renamed'])
    })
  }

  it('a change of a name by its person begins where the one before it ended', async () => {
    const { two } = await raceAgainst(
      test.program,
      async (tx, meet) => {
        await tx.admins.change(world.owner.id, { name: 'One' })
        await meet()
      },
      () =>
        test.call('PUT', '/admin/v1/me', {
          auth: 'none',
          body: { name: 'Two' },
          headers: { cookie: world.owner.cookie, origin: test.address },
        }),
    )
    expect(two).to.have.nested.property('value.status', 200)
    expect(await noted()).to.deep.equal({ name: 'One' })
  })
})

describe('the table of routes that note a former value', () => {
  it('has every route that changes or deletes something and is in the audit log', () => {
    const shown = routes.flatMap(({ area, audit, method, path }) => {
      const isChange = method !== 'get' && (method !== 'post' || path.endsWith('/changes'))
      return area === 'admin' && audit !== undefined && isChange
        ? [`${method} ${path.replace(/^\/v1(\/apps\/:appId)?/, '')}`]
        : []
    })
    const deletions = CHANGED.filter(({ deletes }) => deletes).map(({ route }) =>
      route.replace(/^\w+/, 'delete').replace(/\/roles$/, ''),
    )
    const known = [...CHANGED.map(({ route }) => route), ...deletions, ...Object.values(OTHERS).flat()]
    expect(known.toSorted()).to.deep.equal(shown.toSorted())
  })
})
