import { randomBytes } from 'node:crypto'
import { CRM_EVENTS } from '../../../domain/events/event-types.ts'
import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { checkCandidate } from '../../../domain/imports/check.ts'
import { NOTHING } from '../../../domain/imports/read/values.ts'
import type { Candidate } from '../../../domain/imports/types.ts'
import { chunks } from '../../../platform/concurrency/chunks.ts'
import { findStandIn } from '../../../sandbox/stand-ins.ts'
import { BUNDLE } from '../devices.ts'
import { DAY_MS, type HistoryStage, HOUR_MS, oneOf } from './stage.ts'

/** An install of the history. */
export interface Person {
  user: string
  row: number
  installId: string
  platform: Platform
  /** Pushes can be sent to it. */
  subscribed: boolean
  createdAt: number
  /** The time (ms) of its last start. */
  lastActive: number
  plan: string
  channels: readonly string[]
}

const USERS = 2000
/** Installs of one transaction, which came in the same moment: about 4 ms of work. */
const SLICE = 4
/** Reports of one transaction. */
const STARTS = 12
/** 48 first and 43 last names: two thousand pairs of them are all different (`nameOf`). */
const FIRST =
  'Ada Ben Carla Dario Elif Felix Gwen Hugo Ines Jonas Kim Lea Mia Noah Olga Paul Quinn Rosa Sami Tara Uma Viktor Wanda Xaver ' +
  'Yara Zoe Aylin Bruno Chloe David Emma Farid Grace Hana Igor Julia Kenji Lucia Mateo Nina Oscar Priya Rafael Sofia Thomas Ursula Vera Yusuf'
const LAST =
  'Abel Braun Costa Diaz Egger Frank Gomez Haas Ito Jung Klein Lopez Meyer Novak Otto Peters Quist Richter Sato Torres Ulrich Vogel Weber ' +
  'Yilmaz Zimmer Arnold Baker Cooper Dupont Evans Fischer Garcia Hughes Ivanov Jansen Keller Lindt Moreau Nakamura Olsen Park Reyes Schulz'
const CITIES = [
  { city: 'Berlin', country: 'DE', timezone: 'Europe/Berlin', locale: 'de-DE' },
  { city: 'Hamburg', country: 'DE', timezone: 'Europe/Berlin', locale: 'de-DE' },
  { city: 'London', country: 'GB', timezone: 'Europe/London', locale: 'en-GB' },
  { city: 'New York', country: 'US', timezone: 'America/New_York', locale: 'en-US' },
  { city: 'Madrid', country: 'ES', timezone: 'Europe/Madrid', locale: 'es-ES' },
  { city: 'Tokyo', country: 'JP', timezone: 'Asia/Tokyo', locale: 'ja-JP' },
] as const
type Device = readonly [os: string, version: string, model: string]
/** A platform that is not here has one device, of its operating system. */
const DEVICES: Partial<Record<Platform, readonly Device[]>> = {
  ios: [
    ['iOS', '18.2', 'iPhone17,1'],
    ['iOS', '17.6', 'iPhone14,5'],
  ],
  android: [
    ['Android', '15', 'Pixel 9'],
    ['Android', '14', 'SM-S921B'],
  ],
  web: [['Windows', '11', 'Chrome 131']],
  safari: [['macOS', '12.7', 'Safari 15.6']],
  hcm: [['Android', '12', 'ALN-L29']],
}

/** Two thousand people with a device each, on five platforms, who came during the last seven months. */
export async function bringPeople(stage: HistoryStage): Promise<Person[]> {
  const { past, appId } = stage
  const uuids = ['news', 'offers', 'events', 'vip']
  const ids = new Map<string, number>()
  for (const uuid of uuids) ids.set(uuid, (await past.channels.get(appId, { uuid })).id)
  const rules = past.imports.rules('csv')
  const tokens = await tokensOf(stage)
  const given = Array.from({ length: USERS }, (_, i) => candidateOf(stage, tokens, i)).sort(
    (a, b) => a.createdAt! - b.createdAt!,
  )
  const people: Person[] = []
  for (let from = 0; from < USERS; from += SLICE) {
    const slice = given.slice(from, from + SLICE).map((one) => ({ one, ready: checkCandidate(one, rules) }))
    // An install is stored as of the moment at which it is stored.
    const at = slice.at(-1)!.one.createdAt!
    stage.at(at)
    const rows = slice.flatMap(({ ready }) => ('problem' in ready ? [] : [{ ready: [ready] }]))
    await past.inTransaction((tx) => tx.imports.store(appId, rows, { channels: ids, suppressOptedOut: false }))
    for (const { one, ready } of slice) {
      if ('problem' in ready || ready.installId === null) continue
      const { platform, attributes, channels } = one
      const { installId, token, enabled } = ready
      const plan = String(attributes['plan'])
      const known = { user: one.user!, row: 0, installId, platform: platform!, createdAt: at, plan, channels }
      people.push({ ...known, lastActive: Math.max(one.lastActive!, at), subscribed: token !== null && enabled })
    }
    await stage.breathe()
  }
  const rowOf = new Map<string, number>()
  for (let after = 0; ; ) {
    const installs = await past.crm.listInstalls(appId, after, 200)
    for (const { row, installId } of installs) rowOf.set(installId, row)
    if (installs.length < 200) break
    after = installs.at(-1)!.row
    await stage.breathe()
  }
  for (const person of people) person.row = rowOf.get(person.installId) ?? 0
  return people.filter(({ row }) => row > 0).sort((a, b) => a.row - b.row)
}

/** Reports the last start of the app on each phone, and of the page in each browser. */
export async function startApps(stage: HistoryStage, people: readonly Person[]): Promise<void> {
  const { past, appId, now } = stage
  stage.at(now)
  for (const some of chunks(people, STARTS)) {
    await past.inTransaction(async (tx) => {
      for (const { installId, lastActive } of some) {
        const start = { type: 'k.fg', uuid: `demo-start-${installId}`, timestamp: lastActive, data: {} }
        await tx.events.ingest(appId, installId, [start])
      }
    })
    await stage.breathe()
  }
}

/** Days in which installs are lost: as many as Home shows, twice, so that it has a period to compare with. */
const LOSING_DAYS = 56

/** Takes push from one phone or browser on most days: somebody turns notifications off, or deletes the app and with it the token. */
export async function loseSome(stage: HistoryStage, people: readonly Person[]): Promise<void> {
  const { past, appId, now, chance } = stage
  const left = new Set(people.filter(({ subscribed }) => subscribed))
  for (let ago = LOSING_DAYS; ago > 0; ago--) {
    const at = now - ago * DAY_MS + chance(20) * HOUR_MS
    const there = [...left].filter(({ createdAt }) => createdAt < at - DAY_MS)
    const one = there[chance(there.length)]
    if (!one || ago % 5 === 0) continue
    left.delete(one)
    stage.at(at)
    const lost = ago % 3 === 0 ? CRM_EVENTS.deviceUnsubscribed : CRM_EVENTS.notificationEnablementChanged
    const event = {
      type: lost,
      uuid: `demo-off-${one.installId}`,
      timestamp: at,
      data: { notificationsEnabled: false },
    }
    await past.inTransaction((tx) => tx.events.ingest(appId, one.installId, [event]))
    await stage.breathe()
  }
}

/** The name of a person: another one for each number below 48 × 43. */
function nameOf(i: number): { first: string; last: string } {
  const [first, last] = [FIRST.split(' '), LAST.split(' ')]
  return { first: first[i % first.length]!, last: last[(i + Math.floor(i / first.length)) % last.length]! }
}

function candidateOf(stage: HistoryStage, tokens: Tokens, i: number): Candidate {
  const { chance, now } = stage
  const roll = chance(100)
  const platform: Platform =
    roll < 42 ? 'ios' : roll < 84 ? 'android' : roll < 92 ? 'web' : roll < 95 ? 'safari' : 'hcm'
  const devices = DEVICES[platform] ?? [[findGateway(platform).elsewhere.os, '1', 'Device']]
  const [os, osVersion, deviceModel] = devices[chance(devices.length)]!
  const { city, country, timezone, locale } = oneOf(stage, CITIES)
  const { first, last } = nameOf(i)
  const plan = chance(10) === 0 ? 'gold' : 'free'
  // More of them lately: the bakery grows.
  const age = Math.floor(((chance(1000) * chance(1000)) / 1_000_000) * 210 * DAY_MS)
  const createdAt = now - 2 * HOUR_MS - age
  const hasToken = chance(100) < 91
  const channels = ['news', 'offers', 'events'].filter(() => chance(3) > 0)
  return {
    ...NOTHING,
    key: `demo-${i + 1}`,
    user: `${first}.${last}`.toLowerCase(),
    platform,
    token: hasToken ? tokens.make(platform) : null,
    topic: tokens.topicOf(platform),
    reachable: hasToken,
    enabled: chance(100) < 94,
    attributes: {
      name: `${first} ${last}`,
      city,
      plan,
      orders: chance(plan === 'gold' ? 40 : 12),
      newsletter: chance(2) === 0,
    },
    channels: plan === 'gold' ? [...channels, 'vip'] : channels,
    words: {
      os,
      osVersion,
      appVersion: oneOf(stage, ['1.4.2', '1.4.1', '1.3.0']),
      deviceModel,
      country,
      timezone,
      locale,
    },
    createdAt,
    lastActive: Math.min(now, createdAt + Math.floor((now - createdAt) * Math.sqrt(chance(1000) / 1000))),
  }
}

interface Tokens {
  make(platform: Platform): unknown
  topicOf(platform: Platform): string | null
}

/** Push tokens that the stand-ins of the app's gateways take. */
async function tokensOf({ program, appId, chance, subscribe }: HistoryStage): Promise<Tokens> {
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => chance(256)))
  const website = (await program.gateways.find(appId, 'safari'))?.facts['websitePushId']
  // Its certificate may send to its own website push id only.
  const topics: Partial<Record<Platform, string>> = {
    ios: BUNDLE,
    ...(typeof website === 'string' && { safari: website }),
  }
  return {
    topicOf: (platform) => topics[platform] ?? null,
    make(platform) {
      if (platform === 'web') return subscribe()
      if (platform === 'android') return `${bytes(16).toString('base64url')}:APA91b${bytes(96).toString('base64url')}`
      if (platform === 'ios' || platform === 'safari') return bytes(32).toString('hex')
      return findStandIn(platform)?.demo.makeToken() ?? randomBytes(32).toString('hex')
    },
  }
}
