import { randomBytes } from 'node:crypto'
import { findGateway, type Platform } from '../../../domain/gateways/registry.ts'
import { checkCandidate } from '../../../domain/imports/check.ts'
import { NOTHING } from '../../../domain/imports/read/values.ts'
import type { Candidate } from '../../../domain/imports/types.ts'
import { findStandIn } from '../../../sandbox/stand-ins.ts'
import { BUNDLE } from '../devices.ts'
import { DAY_MS, HOUR_MS, type MonthStage, oneOf } from './stage.ts'

/** An install of the month. */
export interface Person {
  user: string
  row: number
  installId: string
  platform: Platform
  /** Pushes can be sent to it. */
  subscribed: boolean
  createdAt: number
  plan: string
  channels: readonly string[]
}

const USERS = 2000
/** Installs of one transaction: about 10 ms of work. */
const SLICE = 15
const FIRST = ['ada', 'ben', 'carla', 'deniz', 'elif', 'felix', 'greta', 'hugo', 'ines', 'jonas', 'kim', 'lea'] as const
const LAST = ['abel', 'braun', 'costa', 'diaz', 'egger', 'frank', 'gomez', 'haas', 'ito', 'jung', 'klein'] as const
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
export async function bringPeople(stage: MonthStage): Promise<Person[]> {
  const { past, appId, now } = stage
  const uuids = ['news', 'offers', 'events', 'vip']
  const ids = new Map<string, number>()
  for (const uuid of uuids) ids.set(uuid, (await past.channels.get(appId, { uuid })).id)
  const rules = past.imports.rules('csv')
  const given = Array.from({ length: USERS }, (_, i) => candidateOf(stage, i))
  const people: Person[] = []
  stage.at(now)
  for (let from = 0; from < USERS; from += SLICE) {
    const slice = given.slice(from, from + SLICE).map((one) => ({ one, ready: checkCandidate(one, rules) }))
    const rows = slice.flatMap(({ ready }) => ('problem' in ready ? [] : [{ ready: [ready] }]))
    await past.inTransaction((tx) => tx.imports.store(appId, rows, { channels: ids, suppressOptedOut: false }))
    for (const { one, ready } of slice) {
      if ('problem' in ready || ready.installId === null) continue
      const { platform, attributes, channels, createdAt } = one
      const { installId, token, enabled } = ready
      const plan = String(attributes['plan'])
      const known = { user: one.user!, row: 0, installId, platform: platform!, createdAt: createdAt!, plan, channels }
      people.push({ ...known, subscribed: token !== null && enabled })
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

function candidateOf(stage: MonthStage, i: number): Candidate {
  const { chance, now } = stage
  const roll = chance(100)
  const platform: Platform =
    roll < 42 ? 'ios' : roll < 84 ? 'android' : roll < 92 ? 'web' : roll < 95 ? 'safari' : 'hcm'
  const devices = DEVICES[platform] ?? [[findGateway(platform).elsewhere.os, '1', 'Device']]
  const [os, osVersion, deviceModel] = devices[chance(devices.length)]!
  const { city, country, timezone, locale } = oneOf(stage, CITIES)
  const name = `${oneOf(stage, FIRST)}.${oneOf(stage, LAST)}.${i + 1}`
  const plan = chance(10) === 0 ? 'gold' : 'free'
  // More of them lately: the bakery grows.
  const age = Math.floor(((chance(1000) * chance(1000)) / 1_000_000) * 210 * DAY_MS)
  const createdAt = now - 2 * HOUR_MS - age
  const hasToken = chance(100) < 91
  const channels = ['news', 'offers', 'events'].filter(() => chance(3) > 0)
  return {
    ...NOTHING,
    key: `demo-${i + 1}`,
    user: name,
    platform,
    token: hasToken ? tokenOf(stage, platform) : null,
    topic: platform === 'ios' || platform === 'safari' ? BUNDLE : null,
    reachable: hasToken,
    enabled: chance(100) < 94,
    attributes: { name, city, plan, orders: chance(plan === 'gold' ? 40 : 12), newsletter: chance(2) === 0 },
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

function tokenOf(stage: MonthStage, platform: Platform): unknown {
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => stage.chance(256)))
  if (platform === 'web') return stage.subscribe()
  if (platform === 'android') return `${bytes(16).toString('base64url')}:APA91b${bytes(96).toString('base64url')}`
  if (platform === 'ios' || platform === 'safari') return bytes(32).toString('hex')
  return findStandIn(platform)?.demo.makeToken() ?? randomBytes(32).toString('hex')
}
