import { stepMessage } from '../../../domain/in-app/fan-out/step.ts'
import { fromInAppForm, inAppForm } from '../../../domain/in-app/request/request.ts'
import { SOURCE } from '../../../domain/in-app/types.ts'
import type { NewSegment } from '../../../domain/segments/types.ts'
import type { NewColumn } from '../../../domain/tables/types.ts'
import { createTemplate, newTemplate } from '../../../domain/templates/schema.ts'
import { STARTERS } from '../../../domain/templates/starters/index.ts'
import { parseJson } from '../../../platform/values/parse.ts'
import type { Areas } from '../../../program.ts'
import { WEBSITE } from '../devices.ts'
import type { Person } from './people.ts'
import { DAY_MS, DAYS, type HistoryStage, HOUR_MS, MINUTE_MS, oneOf } from './stage.ts'

const CHANNELS = [
  { uuid: 'news', name: 'News', showInPortal: true },
  { uuid: 'offers', name: 'Offers', showInPortal: true },
  { uuid: 'events', name: 'Courses and events', showInPortal: true },
  { uuid: 'vip', showInPortal: false },
]
const SEGMENTS: readonly NewSegment[] = [
  { name: 'Gold card', filter: { field: 'attributes.plan', op: 'equals', value: 'gold' } },
  { name: 'Ordered five times or more', filter: { field: 'attributes.orders', op: 'atLeast', value: 5 } },
  {
    name: 'Berlin, without a card',
    filter: {
      and: [
        { field: 'attributes.city', op: 'equals', value: 'Berlin' },
        { field: 'attributes.plan', op: 'equals', value: 'free' },
      ],
    },
  },
]
const LINKS = ['bread', 'cakes', 'course', 'card', 'calendar', 'job', 'window', 'flyer'] as const
/** Pages of the stores: with them the links have a page that leads there, as their clicks say. */
const STORES = {
  appStoreUrl: 'https://apps.apple.com/app/id1234567890',
  playStoreUrl: 'https://play.google.com/store/apps/details?id=com.example.bakery',
}
const SHOPS = [
  { name: 'Mitte', center: [13.402, 52.523] },
  { name: 'Kreuzberg', center: [13.403, 52.499] },
  { name: 'Altona', center: [9.935, 53.55] },
] as const
/** People who came along, at a table with the user who checked in. */
const GUESTS = ['Greta Braun', 'Luca Ferri', 'Maja Lind', 'Omar Aziz', 'Ruth Klein', 'Tom Baker'] as const
const LOAVES = ['Rye', 'Spelt', 'Walnut', 'Pumpkin seed', 'Ciabatta', 'Baguette', 'Stollen', 'Brioche'] as const
const TEMPLATE = 'advent-calendar'
const TABLE = 'loaves'
/** Installs that tell more than their tokens do. */
const TALKATIVE = 240

const column = (name: string, type: NewColumn['type'], more: Partial<NewColumn> = {}): NewColumn => ({
  name,
  type,
  required: false,
  unique: false,
  indexed: false,
  default: null,
  references: null,
  ...more,
})

/** Sets up the bakery. Returns the uuid of the segment of card holders. */
export async function setUp(stage: HistoryStage): Promise<{ goldSegment: string }> {
  const { past, appId, now } = stage
  stage.at(now - DAYS * DAY_MS)
  const goldSegment = await past.inTransaction(async (tx) => {
    for (const channel of CHANNELS) await tx.channels.create(appId, channel)
    await tx.purposes.put(appId, 'offers', { name: 'Offers', description: null, default: true, required: false })
    for (const { name, center } of SHOPS) {
      const geometry = { type: 'Point' as const, coordinates: [...center] as [number, number] }
      const boundsGeoJson = { type: 'Feature' as const, geometry, properties: { radius: 300 } }
      await tx.geofences.create(appId, { name: `Shop ${name}`, isEnabled: true, tags: ['shop'], boundsGeoJson })
    }
    const made = []
    for (const segment of SEGMENTS) made.push(await tx.segments.create(appId, segment))
    return made[0]!.uuid
  })
  await stage.breathe()
  await past.inTransaction(async (tx) => {
    const { alias } = await tx.tables.create(appId, TABLE, [
      column('name', 'string', { indexed: true }),
      column('grams', 'integer'),
      column('sold', 'boolean'),
    ])
    for (const [i, name] of LOAVES.entries()) {
      await tx.records.create(appId, alias, { name, grams: 500 + 50 * i, sold: i % 3 === 0 })
    }
  })
  await stage.breathe()
  return { goldSegment }
}

/** Links, and the people who followed them: day by day, by platform and route. */
export async function followLinks(stage: HistoryStage): Promise<void> {
  const { past, appId, now, chance } = stage
  stage.at(now - 30 * DAY_MS)
  await past.inTransaction((tx) => tx.links.configure(appId, STORES))
  const links = await past.inTransaction((tx) =>
    tx.links.create(
      appId,
      LINKS.map((slug) => ({
        slug,
        linkData: { page: slug },
        content: { title: `Bakery: ${slug}` },
        desktopWebFallbackUrl: `${WEBSITE}/${slug}`,
        mobileWebFallbackUrl: `${WEBSITE}/m/${slug}`,
      })),
    ),
  )
  const ways = [
    { platform: 'ios', route: 'jumpPage' },
    { platform: 'android', route: 'playStore' },
    { platform: 'android', route: 'mobileWeb' },
    { platform: 'desktop', route: 'desktopWeb' },
  ]
  for (let day = 29; day >= 0; day--) {
    const clicks = links.flatMap(({ id }, i) =>
      Array.from({ length: chance(3 + (30 - day) / (1 + (i % 4))) }, () => ({
        appId,
        linkId: id,
        at: now - day * DAY_MS - chance(20 * HOUR_MS) - MINUTE_MS,
        data: oneOf(stage, ways),
      })),
    )
    // On a phone, and after the click: the app opens with the link, also the one that the store has just installed.
    const matched = clicks.filter(({ data }) => data.platform !== 'desktop' && chance(4) === 0)
    await past.inTransaction(async (tx) => {
      await tx.links.recordClicks(clicks)
      for (const { linkId, at, data } of matched) {
        const isNew = data.route === 'playStore'
        const opened = { platform: data.platform, route: isNew ? 'fingerprint' : 'direct', wasDeferred: isNew }
        await tx.links.countLookup(appId, linkId, Math.min(now, at + 2 * MINUTE_MS), { data: opened })
      }
    })
    await stage.breathe()
  }
}

/** Events of some phones: that they agree to in-app messages, when they were used, a crash or two. */
export async function talk(stage: HistoryStage, people: readonly Person[]): Promise<Person[]> {
  const { now, past, chance } = stage
  stage.at(now)
  const phones = people.filter(({ platform }) => platform === 'ios' || platform === 'android')
  const talkative = phones.filter((_, i) => i % Math.max(1, Math.floor(phones.length / TALKATIVE)) === 0)
  for (let from = 0; from < talkative.length; from += 8) {
    await past.inTransaction(async (tx) => {
      for (const [i, person] of talkative.slice(from, from + 8).entries()) {
        const number = from + i
        // Nobody does anything before they came.
        const since = (ms: number) => Math.max(person.createdAt + MINUTE_MS, now - ms)
        await tell(stage, tx, person, [
          event(stage, 'k.inApp.statusUpdated', { consented: true }, since(3 * DAY_MS)),
          ...[1, 2, 3].map(() => event(stage, 'k.fg', {}, since(chance(25 * DAY_MS) + HOUR_MS))),
          ...(number % 100 === 7 ? [crash(stage, since(chance(9 * DAY_MS) + HOUR_MS))] : []),
        ])
      }
    })
    if (from % 48 === 0) await checkIn(stage, talkative[from]!.user, from / 48)
    await stage.breathe()
  }
  return talkative
}

/** Somebody comes to a shop with a guest during the last two hours; every other one has left since. */
async function checkIn(stage: HistoryStage, user: string, number: number): Promise<void> {
  const { past, appId, now } = stage
  const [firstName, lastName] = GUESTS[number % GUESTS.length]!.split(' ') as [string, string]
  const deviceKey = `demo-${number}`
  // The latest one comes last, as in life.
  const arrived = now - Math.max(4, 118 - 19 * number) * MINUTE_MS
  stage.at(arrived)
  await past.inTransaction(async (tx) => {
    const { id } = await tx.checkins.checkIn(appId, user, {
      location: `Shop ${SHOPS[number % SHOPS.length]!.name}`,
      partySize: 2,
      timezone: 'Europe/Berlin',
      deviceKey,
      contacts: [{ lastName, firstName, emailAddress: null, smsNumber: null, meta: null }],
    })
    if (number % 2 === 1) return
    stage.at(Math.min(now, arrived + 35 * MINUTE_MS))
    await tx.checkins.checkOut({ appId, userIdentifier: user, deviceKey }, id)
  })
  stage.at(now)
}

let told = 0
function event(_stage: HistoryStage, type: string, data: object, at: number) {
  return { type, uuid: `demo-history-${++told}`, timestamp: at, data }
}

function crash(stage: HistoryStage, at: number) {
  const frames = [
    { filename: 'app/checkout/Basket.tsx', function: 'totalOf', lineno: 41, in_app: true },
    { filename: 'app/checkout/Pay.tsx', function: 'render', lineno: 12, in_app: true },
  ]
  const exception = {
    values: [
      { type: 'TypeError', value: "undefined is not an object (evaluating 'basket.items')", stacktrace: { frames } },
    ],
  }
  const report = { event_id: `demo-${++told}`, exception, release: '1.4.2', timestamp: at / 1000 }
  return event(stage, 'k.crash.loggedException', { format: 'raven', report }, at)
}

function tell({ appId }: HistoryStage, tx: Areas, { installId }: Person, events: readonly object[]): Promise<unknown> {
  return tx.events.ingest(appId, installId, events)
}

/** In-app messages, which reach those who agreed, and the reports of their phones. */
export async function showMessages(stage: HistoryStage, talkative: readonly Person[]): Promise<void> {
  const { past, appId, now } = stage
  const inTransaction: typeof past.inTransaction = (work) => past.inTransaction(work)
  stage.at(now - 20 * DAY_MS)
  await past.inTransaction((tx) =>
    tx.templates.create(appId, newTemplate(parseJson(createTemplate, { uid: TEMPLATE, starter: 'announcement' }))),
  )
  for (const ago of [2.5, 1]) {
    stage.at(now - ago * DAY_MS)
    const request = fromInAppForm(
      parseJson(inAppForm, {
        target: { broadcast: true },
        template: TEMPLATE,
        content: STARTERS.announcement.sample,
        presentedWhen: 'next-open',
        ttl: { expiresIn: 14, units: 'd' },
        confirm: 1_000_000,
      }),
    )
    const { message } = await past.inTransaction((tx) => tx.inApp.accept(appId, SOURCE.cli, request, null))
    const { id } = message!
    for (let open = true; open; ) {
      await stepMessage({ read: past, inTransaction }, id)
      open = (await past.inApp.get(appId, id)).nextAt !== null
      await stage.breathe()
    }
    await react(stage, id, talkative)
  }
}

async function react(stage: HistoryStage, id: number, talkative: readonly Person[]): Promise<void> {
  const { past, now, chance } = stage
  stage.at(now)
  // In the order of their times, so that the log of events reads like one.
  const seen = talkative
    .filter(() => chance(3) === 0)
    .map((person) => ({
      person,
      at: Math.max(person.createdAt + MINUTE_MS, now - chance(20 * HOUR_MS) - MINUTE_MS),
    }))
    .sort((a, b) => a.at - b.at)
  for (let from = 0; from < seen.length; from += 8) {
    await past.inTransaction(async (tx) => {
      for (const { person, at } of seen.slice(from, from + 8)) {
        const data = { type: 2, id }
        const kinds = ['delivered', 'opened', 'dismissed'].slice(0, 1 + chance(3))
        const events = kinds.map((kind) => event(stage, `k.message.${kind}`, data, at))
        await tell(stage, tx, person, events)
      }
    })
    await stage.breathe()
  }
}
