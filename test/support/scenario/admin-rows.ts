import { softPasskey } from '../passkeys.ts'
import { addPerson, quickDigest, type TestPerson } from '../people.ts'
import { type Row, row, rowOf } from './row.ts'
import { newPicture } from './server-rows.ts'
import type { CallHow, Stage } from './stage.ts'
import { NEW_BANNER } from './world.ts'

/** Calls of people: the admin interface. */

const AT = '/admin/v1'
/** The base address of the scenario allows no passkeys; they are refused after the statements that matter. */
const REFUSED = 409
/** Far behind the clock of the scenario. */
const LATER = { sendAt: '2027-01-01 12:00', strategy: 'utc', pastTimes: 'ignore' }
const PASSWORD = 'correct horse battery staple'

const asPerson = (person: TestPerson) => ({
  auth: 'none' as const,
  headers: { cookie: person.cookie, origin: 'http://localhost', host: 'localhost' },
})
const covers = (method: string, path: string) => `${method} admin /v1${path}`

/** A call of an owner by personal token. */
const by = (method: string, path: string, how: CallHow = {}, shown = path): Row =>
  row(covers(method, shown), (s) => s.call(method.toUpperCase(), AT + path, { auth: 'person', ...how }))

/** A call of a new owner by session. */
const inSession = (
  method: string,
  shown: string,
  pathOf: (s: Stage, person: TestPerson) => Promise<string> | string,
  how: CallHow | ((s: Stage) => CallHow) = {},
): Row =>
  rowOf(
    covers(method, shown),
    async (s) => {
      const person = await addPerson(s.program)
      return { person, path: await pathOf(s, person) }
    },
    (s, { person, path }) =>
      s.call(method.toUpperCase(), AT + path, { ...asPerson(person), ...(typeof how === 'function' ? how(s) : how) }),
  )

/** A call about another person. */
const about = (method: string, shown: string, body?: (s: Stage) => unknown): Row =>
  rowOf(
    covers(method, shown),
    (s) => addPerson(s.program, { roles: [{ appId: s.first.id, role: 'viewer' }] }),
    (s, { id }) =>
      s.call(method.toUpperCase(), AT + shown.replace(':id', String(id)), {
        auth: 'person',
        ...(body && { body: body(s) }),
      }),
  )

/** Calls about a notification of the world. */
const DELIVERY_ROWS: readonly Row[] = [
  row(covers('patch', '/apps/:appId'), async (s) => {
    const uid = await newPicture(s)
    for (const iconUrl of [`https://push.example.com/pictures/${uid}.png`, null]) {
      const body = { name: 'First', timezone: 'Europe/Berlin', iconUrl }
      await s.call('PATCH', `/admin/v1/apps/${s.first.id}`, { auth: 'person', body })
    }
  }),
  row(covers('get', '/apps/:appId/quickstart'), (s) =>
    s.call('GET', `${AT}/apps/${s.first.id}/quickstart`, { auth: 'person' }),
  ),
  row(covers('get', '/apps/:appId/overview'), (s) =>
    s.call('GET', `${AT}/apps/${s.first.id}/overview?zone=Europe/Berlin`, { auth: 'person' }),
  ),
  ...['', '?status=sent', '?q=bread', '?createdSince=2026-01-01T00:00:00Z'].map((query) =>
    row(
      covers('get', '/apps/:appId/deliveries'),
      (s) => s.call('GET', `${AT}/apps/${s.first.id}/deliveries${query}`, { auth: 'person' }),
      { what: query },
    ),
  ),
  ...['', '/openers', '/opener-groups', '/progress', '/events'].map((end) =>
    row(covers('get', `/apps/:appId/deliveries/:id${end}`), (s) =>
      s.call('GET', `${AT}/apps/${s.first.id}/deliveries/${s.world.big}${end}`, { auth: 'person' }),
    ),
  ),
  ...['installId=install-', 'userId=user-'].map((who) =>
    row(
      covers('get', '/apps/:appId/deliveries/:id/trace'),
      (s) =>
        s.call('GET', `${AT}/apps/${s.first.id}/deliveries/${s.world.big}/trace?${who}${s.some()}`, { auth: 'person' }),
      { what: who },
    ),
  ),
  row(
    covers('get', '/apps/:appId/deliveries/:id/recipients.csv'),
    (s) => s.call('GET', `${AT}/apps/${s.first.id}/deliveries/${s.world.big}/recipients.csv`, { auth: 'person' }),
    { larger: 'reads every recipient of the notification', most: 5 },
  ),
  rowOf(
    covers('post', '/apps/:appId/deliveries/:id/stop'),
    async (s) => {
      const body = { title: 'T', message: 'M', installIds: [`install-${s.some()}`], scheduled: true, schedule: LATER }
      return (await s.call('POST', '/push/notifications', { body })).id
    },
    (s, id) => s.call('POST', `${AT}/apps/${s.first.id}/deliveries/${id}/stop`, { auth: 'person' }),
  ),
]

/** A call of an owner about the app of the scenario; `pathOf` gives what stands behind the app. */
const inApp = (method: string, shown: string, pathOf: (s: Stage) => string, more?: Parameters<typeof row>[2]): Row =>
  row(
    covers(method, `/apps/:appId${shown}`),
    (s) => s.call(method.toUpperCase(), `${AT}/apps/${s.first.id}${pathOf(s)}`, { auth: 'person' }),
    more,
  )
const linkId = (s: Stage) => Math.ceil(s.some() / 2)

/** A write of an owner about a banner or a prompt that is there for it. */
const written = (
  method: string,
  shown: string,
  make: (s: Stage) => Promise<string>,
  drop: (s: Stage, name: string) => Promise<unknown>,
  body?: unknown,
): Row =>
  rowOf(
    covers(method, `/apps/:appId${shown}`),
    make,
    (s, name) =>
      s.call(method.toUpperCase(), `${AT}/apps/${s.first.id}${shown.replace(/:\w+/, name)}`, {
        auth: 'person',
        ...(body !== undefined && { body }),
      }),
    method === 'delete' ? {} : { after: drop },
  )
const makeBanner = async ({ program, first }: Stage) =>
  (await program.inTransaction((tx) => tx.banners.create(first.id, NEW_BANNER))).uuid
const dropBanner = ({ program, first }: Stage, uuid: string) =>
  program.inTransaction((tx) => tx.banners.delete(first.id, uuid))
const makePrompt = async (s: Stage) =>
  (await s.program.inTransaction((tx) => tx.prompts.create(s.first.id, `c${s.next()}`, { type: 'bell' }))).name
const dropPrompt = ({ program, first }: Stage, name: string) =>
  program.inTransaction((tx) => tx.prompts.delete(first.id, name))

const LINK_ROWS: readonly Row[] = [
  inApp('get', '/link-days', () => '/link-days?days=90', { what: 'of all links' }),
  inApp('get', '/link-days', (s) => `/link-days?linkId=${linkId(s)}`, { what: 'of a link' }),
  inApp('get', '/link-search', (s) => `/link-search?q=${linkId(s)}`),
  inApp('get', '/deep-links/:id/preview', (s) => `/deep-links/${linkId(s)}/preview`),
  row(covers('get', '/apps/:appId/deep-links/:id/page'), (s) =>
    // The app names no store, so it is refused after the statements that matter.
    s.call('GET', `${AT}/apps/${s.first.id}/deep-links/${linkId(s)}/page`, { auth: 'person', expect: REFUSED }),
  ),
  inApp('get', '/deep-links/:id/qr', (s) => `/deep-links/${linkId(s)}/qr`),
  inApp('get', '/link-check', () => '/link-check'),
  inApp('get', '/banners', () => '/banners'),
  inApp('get', '/banners/:uuid', (s) => `/banners/${s.world.bannerUuid}`),
  row(covers('post', '/apps/:appId/banners'), async (s) => {
    const { link, labels } = NEW_BANNER
    const path = `${AT}/apps/${s.first.id}/banners`
    const { uuid } = await s.call<{ uuid: string }>('POST', path, { auth: 'person', body: { link, labels } })
    await dropBanner(s, uuid)
  }),
  written('patch', '/banners/:uuid', makeBanner, dropBanner, { position: 'top' }),
  written('delete', '/banners/:uuid', makeBanner, dropBanner),
  inApp('get', '/prompts', () => '/prompts'),
  inApp('get', '/prompts/:name', () => '/prompts/ask'),
  rowOf(
    covers('post', '/apps/:appId/prompts/:name'),
    async (s) => `c${s.next()}`,
    (s, name) => s.call('POST', `${AT}/apps/${s.first.id}/prompts/${name}`, { auth: 'person', body: { type: 'bell' } }),
    { after: dropPrompt },
  ),
  written('patch', '/prompts/:name', makePrompt, dropPrompt, { trigger: { event: 'cartFilled' } }),
  written('delete', '/prompts/:name', makePrompt, dropPrompt),
]

const CHANGE = '[{"do":"rename","name":"title","to":"heading"}]'

/** Data tables of the app and the map, for people. */
const PLACE_ROWS: readonly Row[] = [
  inApp('get', '/map', () => '/map'),
  inApp('get', '/map/density', () => '/map/density?west=9&south=45&east=17&north=49', {
    larger: 'counts the positions in the box',
  }),
  inApp('get', '/tables', () => '/tables'),
  inApp('get', '/tables/:tableAlias', () => '/tables/things'),
  inApp(
    'get',
    '/tables/:tableAlias/consequences',
    () => `/tables/things/consequences?changes=${encodeURIComponent(CHANGE)}`,
    {
      larger: 'counts the records that a change is about',
    },
  ),
  inApp('get', '/tables/:tableAlias/export', () => '/tables/things/export', { larger: 'exports every record' }),
  rowOf(
    covers('post', '/apps/:appId/tables'),
    async (s) => `t${s.next()}`,
    (s, name) =>
      s.call('POST', `${AT}/apps/${s.first.id}/tables`, {
        auth: 'person',
        body: { name, columns: [{ name: 'title', type: 'string' }] },
      }),
    { after: (s, name) => s.program.inTransaction((tx) => tx.tables.drop(s.first.id, name)) },
  ),
]

export const ADMIN_ROWS: readonly Row[] = [
  ...PLACE_ROWS,
  ...DELIVERY_ROWS,
  ...LINK_ROWS,
  row(covers('get', '/state'), (s) => s.call('GET', `${AT}/state`, { auth: 'none' })),
  by('get', '/session'),
  by('get', '/sessions'),
  by('get', '/me/passkeys'),
  by('get', '/me/tokens'),
  by('get', '/admins'),
  by('get', '/audit'),
  by('post', '/backups', { body: {}, expect: REFUSED }),
  by('get', '/backups', { expect: REFUSED }),
  row(covers('post', '/backups/:backup/verify'), (s) =>
    s.call('POST', `${AT}/backups/none/verify`, { auth: 'person', body: {}, expect: REFUSED }),
  ),
  ...['hour', 'day', 'week', 'month'].map((period) =>
    row(covers('get', '/load'), (s) => s.call('GET', `${AT}/load?period=${period}`, { auth: 'person' }), {
      what: period,
      most: 800,
    }),
  ),
  row(covers('get', '/health'), (s) => s.call('GET', `${AT}/health`, { auth: 'person' }), {
    larger: 'runs every check of the doctor, also those that ask the catalogues of the database',
  }),
  by('get', '/settings'),
  by('get', '/log'),
  ...['appId=1', 'adminId=1', 'action=action.7'].map((filter) =>
    row(covers('get', '/audit'), (s) => s.call('GET', `${AT}/audit?${filter}&after=1000000`, { auth: 'person' }), {
      what: filter,
    }),
  ),
  by('get', '/apps'),
  row(covers('get', '/apps/:appId'), (s) => s.call('GET', `${AT}/apps/${s.first.id}`, { auth: 'person' })),
  row(covers('post', '/apps'), (s) =>
    s.call('POST', `${AT}/apps`, { auth: 'person', body: { name: `App ${s.next()}` } }),
  ),
  rowOf(
    covers('delete', '/apps/:appId'),
    (s) => s.program.inTransaction((tx) => tx.apps.create({ name: `App ${s.next()}` })),
    (s, { id }) => s.call('DELETE', `${AT}/apps/${id}`, { auth: 'person' }),
    { most: 3 },
  ),
  rowOf(
    covers('post', '/setup'),
    // There is somebody already, so it is refused after the statements that matter.
    (s) => s.program.inTransaction((tx) => tx.admins.setupLink()),
    (s, { token }) =>
      s.call('POST', `${AT}/setup`, {
        auth: 'none',
        headers: { host: 'localhost' },
        expect: REFUSED,
        body: { token, email: `o-${s.next()}@example.com`, name: 'O', password: PASSWORD },
      }),
    { most: 3 },
  ),
  rowOf(
    covers('post', '/sessions'),
    async (s) => {
      const { id, email } = await addPerson(s.program)
      await s.program.inTransaction((tx) => tx.admins.change(id, { password: quickDigest(PASSWORD) }))
      return email
    },
    (s, email) =>
      s.call('POST', `${AT}/sessions`, {
        auth: 'none',
        headers: { host: 'localhost' },
        body: { email, password: PASSWORD },
      }),
    { most: 3 },
  ),
  rowOf(
    covers('post', '/sessions/link'),
    async (s) => {
      const { id } = await addPerson(s.program)
      return s.program.inTransaction(async (tx) => {
        await tx.admins.change(id, { password: quickDigest(PASSWORD) })
        return tx.admins.linkFor(id, 'reset')
      })
    },
    (s, { token }) =>
      s.call('POST', `${AT}/sessions/link`, {
        auth: 'none',
        headers: { host: 'localhost' },
        body: { token, password: PASSWORD },
      }),
    { most: 3 },
  ),
  row(covers('post', '/sessions/passkey/options'), (s) =>
    s.call('POST', `${AT}/sessions/passkey/options`, { auth: 'none', body: {}, expect: REFUSED }),
  ),
  row(covers('post', '/sessions/passkey'), (s) =>
    s.call('POST', `${AT}/sessions/passkey`, { auth: 'none', body: { response: { id: 'x' } }, expect: REFUSED }),
  ),
  by('post', '/session/confirm/options', { body: {}, expect: REFUSED }),
  rowOf(
    covers('post', '/session/confirm'),
    async (s) => {
      const person = await addPerson(s.program)
      // Another password ends the sessions of the person: this one is kept.
      const [open] = await s.program.sessions.list(person.id)
      await s.program.inTransaction((tx) => tx.admins.change(person.id, { password: quickDigest(PASSWORD) }, open!.id))
      return person
    },
    (s, person) => s.call('POST', `${AT}/session/confirm`, { ...asPerson(person), body: { password: PASSWORD } }),
    { most: 3 },
  ),
  inSession('delete', '/session', () => '/session'),
  inSession('delete', '/sessions/:id', async (s, { id }) => `/sessions/${(await s.program.sessions.list(id))[0]!.id}`),
  inSession('put', '/me', () => '/me', { body: { name: 'Anna' } }),
  inSession('post', '/me/totp', () => '/me/totp', { body: {} }),
  rowOf(
    covers('put', '/me/totp'),
    async (s) => {
      const [{ fromBase32 }, { codeOfStep }] = await Promise.all([
        import('../../../src/domain/admins/second-factor/base32.ts'),
        import('../../../src/domain/admins/second-factor/totp.ts'),
      ])
      const person = await addPerson(s.program)
      const { secret } = await s.program.inTransaction((tx) => tx.secondFactor.begin(person.id))
      return { person, code: codeOfStep(fromBase32(secret), Math.floor(s.program.kernel.clock.now() / 30_000)) }
    },
    (s, { person, code }) => s.call('PUT', `${AT}/me/totp`, { ...asPerson(person), body: { code } }),
  ),
  inSession('delete', '/me/totp', () => '/me/totp'),
  inSession('post', '/me/passkeys/options', () => '/me/passkeys/options', { body: {}, expect: REFUSED }),
  inSession('post', '/me/passkeys', () => '/me/passkeys', {
    body: { name: 'p', response: softPasskey('http://localhost').use({ challenge: 'x', rpId: 'localhost' }) },
    expect: REFUSED,
  }),
  rowOf(
    covers('delete', '/me/passkeys/:id'),
    async (s) => {
      const person = await addPerson(s.program)
      const passkey = { admin_id: person.id, name: 'p', credential: `c-${s.next()}`, public_key: 'k', counter: 0 }
      const [made] = await s.program.kernel.db.write((trx) =>
        trx('admin_passkeys')
          .insert({ ...passkey, transports: '[]', created_at: 1 })
          .returning('id'),
      )
      return { person, id: (made as { id: number }).id }
    },
    (s, { person, id }) => s.call('DELETE', `${AT}/me/passkeys/${id}`, asPerson(person)),
  ),
  inSession('post', '/me/tokens', () => '/me/tokens', { body: { name: 't', scopes: ['see'] } }),
  inSession(
    'delete',
    '/me/tokens/:id',
    async (s, { id }) => `/me/tokens/${(await s.program.personalTokens.list(id))[0]!.id}`,
  ),
  row(covers('post', '/admins'), (s) =>
    s.call('POST', `${AT}/admins`, {
      auth: 'person',
      body: { email: `b-${s.next()}@example.com`, name: 'B', roles: [{ appId: s.first.id, role: 'viewer' }] },
    }),
  ),
  about('put', '/admins/:id/roles', (s) => ({ roles: [{ appId: s.first.id, role: 'marketer' }] })),
  about('post', '/admins/:id/reset', () => ({})),
  about('delete', '/admins/:id'),
  row('sweep adminUpkeep.forget', (s) => s.program.inTransaction((tx) => tx.adminUpkeep.forget(100))),
  // For PostgreSQL: on SQLite there is one node.
  row('sweep capUses.forget', async (s) => {
    if (s.program.kernel.db.kind === 'sqlite') return
    const uses = ['a', 'b'].map((digest) => ({ digest: `${digest}-${s.next()}`, ms: 10 }))
    for (let turn = 0; turn < 2; turn++) await s.program.inTransaction((tx) => tx.capUses.add(uses))
    await s.program.inTransaction((tx) => tx.capUses.forget(100))
  }),
  row('sweep audit.forget', (s) => s.program.inTransaction((tx) => tx.audit.forget(1, 100))),
  row('streams', async (s) => s.program.admins.stillIn({ sessions: [1, 2], tokens: [1, 2], apps: [s.first.id] })),
  row('cli admins.findByEmail', (s) => s.program.admins.findByEmail('anna@example.com')),
  row('cli admins.first', (s) =>
    s.program.inTransaction((tx) => tx.admins.first({ email: 'f@example.com', name: 'F', password: null })),
  ),
  row('cli admins.setupLink', (s) => s.program.inTransaction((tx) => tx.admins.setupLink())),
]
