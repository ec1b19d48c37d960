import { expect } from 'chai'
import { reaches } from '../support/depth.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { type DatabaseKind, onEachDatabase } from '../support/program.ts'
import { skip } from '../support/skip.ts'

/** Values that callers send by mistake or with intent, as they are written: some cannot be made with JSON.stringify. */
const ODD = [
  ...String.raw`null true 0 -1 1.5 9007199254740991 9223372036854775807 1e400 "" "12" "Ünï💥" "a\u0000b" "\ud800" "__proto__"
    "Mars/Phobos" [] [null] [1.5] [9223372036854775807] ["a\u0000b"] ["nobody"] ["other"] {} {"__proto__":1}
    {"a\u0000":"\ud800"}`.split(/\s+/),
  '" "',
  '"2026-02-30 10:00"',
  '"9999-12-31 23:59"',
  JSON.stringify('x'.repeat(256)),
  '['.repeat(60) + ']'.repeat(60),
]

/** Values that one database or the other refuses by itself when nothing before it does. */
const ALWAYS = new Set([
  'null',
  '9223372036854775807',
  '1.5',
  String.raw`"a\u0000b"`,
  String.raw`"\ud800"`,
  '{}',
  '[null]',
])

/** Odd values for a field: from `.ci/run` on all, else a third of them by turns, and some always. */
const oddFor = (turn: number) => ODD.filter((odd, i) => reaches('whole') || ALWAYS.has(odd) || i % 3 === turn % 3)

/** A request that is all right, and the fields that are replaced by each odd value in turn. */
interface Case {
  route: string
  auth?: 'device'
  body: object
  fields: string
}

const CHANNEL = { name: 'N', showInPortal: true, meta: { a: 1 } }
const CIRCLE = { type: 'Feature', geometry: { type: 'Point', coordinates: [1, 2] }, properties: { radius: 9 } }
const FENCE = { name: 'F', isEnabled: true, tags: ['t'], boundsGeoJson: CIRCLE }
const CONTENT = { title: 'T', message: 'M' }
const SCHEDULE = { sendAt: '2030-01-01 10:00', strategy: 'timezone', pastTimes: 'ignore', timezone: 'Europe/Berlin' }
const LOCAL = { sendAt: '2030-01-01 10:00', strategy: 'local', pastTimes: 'nextDay' }
const LISTS = { installIds: ['i1'], userIds: ['u1'] }
const UUIDS = { uuids: ['news'] }
const DEVICE_CHANNEL = { uuid: 'news', ...CHANNEL, userIdentifier: 'u1', installId: 'i1' }

const CASES: readonly Case[] = [
  { route: 'POST /messages/channels', body: { uuid: 'new', ...CHANNEL }, fields: 'uuid' },
  { route: 'PUT /push/channels/2', body: { uuid: 'mine', ...CHANNEL }, fields: 'uuid name showInPortal meta' },
  { route: 'POST /push/channels/1/subscriptions', body: LISTS, fields: 'installIds userIds' },
  { route: 'DELETE /push/channels/1/subscriptions', body: LISTS, fields: 'installIds userIds' },
  { route: 'POST /messages/v2/channels/news/subscriptions', body: LISTS, fields: 'installIds userIds' },
  { route: 'DELETE /messages/v2/channels/news/subscriptions', body: LISTS, fields: 'installIds userIds' },
  {
    route: 'POST /messages/v1/geofences',
    body: FENCE,
    fields:
      'name isEnabled tags boundsGeoJson boundsGeoJson.geometry boundsGeoJson.geometry.coordinates boundsGeoJson.properties.radius',
  },
  {
    route: 'POST /messages/v1/segments',
    body: { name: 'S', filter: { field: 'timezone', op: 'in', value: ['UTC'] } },
    fields: 'name filter filter.field filter.op filter.value',
  },
  ...['broadcast', 'installIds', 'userIds', 'segmentUuid', 'channelUuids', 'geofenceIds', 'geofenceTags'].map(
    (field) => ({
      route: 'POST /messages/v2/notifications',
      body: { target: {}, content: CONTENT },
      fields: `target.${field}`,
    }),
  ),
  {
    route: 'POST /messages/v2/notifications',
    body: { target: { installIds: ['i1'], excludeInstallIds: ['i1'] }, content: CONTENT, schedule: SCHEDULE },
    fields:
      'target target.excludeInstallIds ttl rateLimit userMeta reportingMeta schedule schedule.sendAt schedule.strategy schedule.pastTimes schedule.timezone',
  },
  ...['segmentId', 'channelIds', 'userMeta'].map((field) => ({
    route: 'POST /push/v2/notifications',
    body: { target: {}, content: CONTENT },
    fields: `target.${field}`,
  })),
  {
    route: 'POST /push/v2/notifications',
    body: { target: { broadcast: true }, content: CONTENT, schedule: LOCAL },
    fields: 'schedule schedule.sendAt schedule.strategy schedule.pastTimes',
  },
  {
    route: 'POST /push/notifications',
    body: { ...CONTENT, installIds: ['i1'], scheduled: true, schedule: LOCAL },
    fields: 'installIds segmentId scheduled schedule schedule.sendAt',
  },
  {
    route: 'PUT /messages/v1/restraint',
    body: {
      quietHours: { from: '22:00', to: '07:00' },
      frequencyCap: { count: 3, hours: 24 },
      deviceChannels: 'public',
      languageAttribute: 'language',
    },
    fields:
      'quietHours quietHours.from frequencyCap frequencyCap.count frequencyCap.hours deviceChannels languageAttribute',
  },
  { route: 'PUT /crm/v1/users/u1/channels/subscriptions', auth: 'device', body: UUIDS, fields: 'uuids' },
  { route: 'PUT /push/v1/app-installs/i1/channels/subscriptions', auth: 'device', body: UUIDS, fields: 'uuids' },
  { route: 'DELETE /push/v1/app-installs/unseen/channels/subscriptions', auth: 'device', body: UUIDS, fields: 'uuids' },
  {
    route: 'POST /push/v1/channels',
    auth: 'device',
    body: DEVICE_CHANNEL,
    fields: 'uuid name showInPortal meta userIdentifier installId',
  },
  { route: 'PUT /events/v1/app-installs/i1/location', auth: 'device', body: { lat: 1, lng: 2 }, fields: 'lat lng' },
]

const SEGMENTS = ['0', '-1', '01', '1.5', '9007199254740991', '9223372036854775807', '%00', '%F0%9F%98%80', '__proto__']
const PATHS = [
  ['GET', '/messages/channels/:'],
  ['DELETE', '/push/channels/:'],
  ['GET', '/messages/v2/channels/:/imports'],
  ['GET', '/messages/v1/geofences/:'],
  ['DELETE', '/messages/v1/geofences/:'],
  ['GET', '/messages/v1/segments/:/preview'],
  ['GET', '/messages/v2/notifications/:'],
  ['DELETE', '/messages/v2/scheduled-notifications/:'],
  ['GET', '/messages/notifications/:/install-opens'],
  ['GET', '/push/notifications/:/user-opens'],
] as const

/** Answers of both databases, to be compared; ids and times of what was made aside. */
const answered = new Map<DatabaseKind, string[]>()

onEachDatabase('odd values in the interfaces about audiences and time', (kind) => {
  let test: TestServer
  const answers: string[] = []
  before(async () => {
    test = await openTestServer({ kind })
    const { program, first } = test
    const other = await program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await addInstall(program, first.id, 'i1', { user: 'u1' })
    await addInstall(program, other.id, 'other', { user: 'other' })
    await program.inTransaction(async (tx) => {
      for (const uuid of ['news', 'private']) await tx.channels.create(first.id, { uuid })
      await tx.channels.create(other.id, { uuid: 'other' })
    })
    answered.set(kind, answers)
  })
  after(() => test.close())

  async function ask(method: string, path: string, auth?: 'device', body?: string) {
    const answer = await test.call(method, path, { ...(auth && { auth }), ...(body !== undefined && { body }) })
    const shown = JSON.stringify(answer.body) ?? ''
    const what = `${method} ${path} ${body ?? ''} -> ${answer.status} ${shown.slice(0, 300)}`
    expect(answer.status, what).to.be.lessThan(500)
    return { ...answer, what }
  }

  it('name nothing that there is when they stand in a path', async () => {
    for (const [method, path] of PATHS) {
      for (const segment of SEGMENTS) {
        const { status, body, what } = await ask(method, path.replace(':', segment))
        answers.push(comparable(what))
        expect(status, what).to.equal(404)
        expect(body, what).to.have.property('error').that.is.a('string')
      }
    }
  })

  let turn = 0
  for (const { route, auth, body, fields } of CASES) {
    const [method, path] = route.split(' ') as [string, string]
    it(`are taken or named by ${route} (${fields})`, async () => {
      for (const field of fields.split(' ')) {
        for (const odd of oddFor(turn++)) {
          // One after the other: of two that make the same thing, the first makes it, on both databases.
          const answer = await ask(method, path, auth, withRaw(body, field, odd))
          answers.push(comparable(answer.what))
          if (answer.status !== 422) continue
          const { errors } = answer.body as { errors: Record<string, string[]> }
          const keys = Object.keys(errors)
          expect(
            keys.some((key) => isAbout(key, field)),
            answer.what,
          ).to.equal(true)
          for (const key of keys) expect(errors[key]?.[0], answer.what).to.be.a('string').and.not.equal('')
        }
      }
    })
  }

  // It is the second of the two.
  if (kind === 'postgres') {
    it('are answered alike by both databases', function () {
      const [one, other] = [...answered.values()]
      if (!one || !other) return skip(this, 'this run has one database only (APPSVC_TEST_DATABASES)')
      expect(other).to.deep.equal(one)
    })
  }
})

/** An answer without the ids of what was made: a refused row uses one up on PostgreSQL. */
function comparable(what: string): string {
  const text = what.replace(/"(id|next)":\d+/g, '"$1":N').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'U')
  return text.slice(0, 600)
}

/** The body with the raw text at a dotted path. */
function withRaw(body: object, path: string, raw: string): string {
  const copy = structuredClone(body) as Record<string, unknown>
  const steps = path.split('.')
  let at = copy
  for (const step of steps.slice(0, -1)) at = at[step] as Record<string, unknown>
  at[steps.at(-1)!] = '@'
  return JSON.stringify(copy).replace('"@"', () => raw)
}

/** Tells whether an error of that key is about the field: its own, one inside of it, or a rule of what it stands in. */
function isAbout(key: string, field: string): boolean {
  const inside = (inner: string, outer: string) => inner === outer || /^[.[]/.test(inner.slice(outer.length))
  return (key.startsWith(field) && inside(key, field)) || (field.startsWith(key) && (key === '' || inside(field, key)))
}
