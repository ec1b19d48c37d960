import { type Platform, platforms } from '../../../domain/gateways/registry.ts'
import { SLOT, type SlotName } from '../../../domain/notifications/record/page.ts'
import { fromMessagesForm, messagesForm } from '../../../domain/notifications/schema.ts'
import { SOURCE, type Source } from '../../../domain/notifications/types.ts'
import { chunks } from '../../../platform/concurrency/chunks.ts'
import { parseJson } from '../../../platform/values/parse.ts'
import type { Areas } from '../../../program.ts'
import type { Person } from './people.ts'
import { DAY_MS, type HistoryStage, HOUR_MS, MINUTE_MS } from './stage.ts'

interface Send {
  /** Days ago, and the hour of that day (UTC). */
  ago: number
  hour: number
  title: string
  message: string
  target: object
  source?: Source
  /** Share of those who open it, in percent. */
  opens: number
  to(person: Person): boolean
}

const all = () => true
const within = (channel: string) => (person: Person) => person.channels.includes(channel)

/** The sends of the last twelve weeks, oldest first. */
const SENDS = [
  send(82, 9, 'Order ahead', 'Your bread waits with your name on it.', { broadcast: true }, 19, all),
  send(75, 7, 'Rolls at seven', 'Order now, collect on your way.', { channelUuids: ['news'] }, 20, within('news')),
  send(
    68,
    16,
    'Last of the plums',
    'Plum cake, two pieces for one.',
    { channelUuids: ['offers'] },
    23,
    within('offers'),
  ),
  send(61, 9, 'Harvest loaf', 'New grain, stone ground. From today.', { broadcast: true }, 18, all),
  send(54, 8, 'Sourdough course', 'Six places, Saturday at nine.', { channelUuids: ['events'] }, 13, within('events')),
  send(47, 7, 'Rolls at seven', 'With pumpkin.', { channelUuids: ['news'] }, 17, within('news')),
  send(40, 15, 'Soup and bread', 'A warm lunch for five.', { channelUuids: ['offers'] }, 21, within('offers')),
  send(34, 10, 'For regulars', 'Taste the new rye before everybody.', 'gold', 43, ({ plan }) => plan === 'gold'),
  send(29, 9, 'Hello again', 'Our app has a new oven view.', { broadcast: true }, 14, all),
  send(27, 7, 'Rolls at seven', 'Order now, collect on your way.', { channelUuids: ['news'] }, 18, within('news')),
  send(25, 16, 'Two for one', 'All cakes, today until six.', { channelUuids: ['offers'] }, 22, within('offers')),
  send(23, 8, 'Baking course', 'Ten places on Saturday.', { channelUuids: ['events'] }, 11, within('events')),
  send(21, 10, 'For regulars', 'Your free loaf waits.', 'gold', 41, ({ plan }) => plan === 'gold'),
  send(19, 7, 'Rye week', 'Seven loaves, seven days.', { channelUuids: ['news'] }, 16, within('news')),
  send(17, 15, 'Rainy day soup', 'A bowl with every loaf.', { channelUuids: ['offers'] }, 19, within('offers')),
  send(15, 9, 'New: card in the app', 'Every tenth loaf is on us.', { broadcast: true }, 17, all),
  send(13, 8, 'Oven tour', 'See how we bake. Free on Sunday.', { channelUuids: ['events'] }, 12, within('events')),
  send(11, 7, 'Rolls at seven', 'Pumpkin seeds this week.', { channelUuids: ['news'] }, 17, within('news')),
  send(9, 16, 'Half past four', 'What is left goes for half.', { channelUuids: ['offers'] }, 24, within('offers')),
  send(7, 10, 'Members first', 'Stollen: reserve before everybody.', { channelUuids: ['vip'] }, 45, within('vip')),
  send(5, 9, 'Advent calendar', 'A door every day, a discount behind it.', { broadcast: true }, 21, all),
  send(3, 7, 'Rolls at seven', 'With walnuts.', { channelUuids: ['news'] }, 16, within('news')),
  send(2, 15, 'Cake Friday', 'Apple, plum, cheese.', { channelUuids: ['offers'] }, 20, within('offers')),
  send(1, 8, 'Door one', 'Cinnamon stars at half price.', { broadcast: true }, 23, all),
]

function send(
  ago: number,
  hour: number,
  title: string,
  message: string,
  target: object | 'gold',
  opens: number,
  to: Send['to'],
) {
  return { ago, hour, title, message, target, opens, to }
}

/** Failures, in permille of the recipients of a platform; none on one that is not here. */
const TROUBLE: Partial<Record<Platform, readonly [permille: number, slot: SlotName, reason: string][]>> = {
  ios: [
    [18, 'token_dead', 'Unregistered'],
    [4, 'token_suspect', 'BadDeviceToken'],
    [2, 'throttled_recipient', 'TooManyRequests'],
  ],
  android: [
    [24, 'token_dead', 'UNREGISTERED'],
    [3, 'token_suspect', 'SENDER_ID_MISMATCH'],
  ],
  web: [
    [40, 'token_dead', 'push subscription has unsubscribed or expired'],
    [5, 'payload_error', 'Payload Too Large'],
  ],
  safari: [[20, 'token_dead', 'Unregistered']],
  hcm: [
    [15, 'token_dead', '80300007'],
    [6, 'throttled_recipient', '80300028'],
  ],
}
/** Recipients who are left out, of all platforms. */
const LEFT_OUT: readonly [permille: number, slot: SlotName][] = [
  [12, 'quiet_hours'],
  [9, 'frequency_cap'],
  [14, 'not_wanted'],
]
const PAGE = 250
/** Reports of one transaction. */
const REPORTS = 100

/** The notifications of twelve weeks, with the outcome of every recipient, and one for tomorrow. */
export async function sendHistory(stage: HistoryStage, people: readonly Person[], goldSegment: string): Promise<void> {
  const { past, appId, now } = stage
  const lanes = new Map<Platform, number>()
  for (const { id, platform, appId: of } of await past.gateways.lanes.list()) if (of === appId) lanes.set(platform, id)
  const midnight = Math.floor(now / DAY_MS) * DAY_MS
  for (const [i, one] of SENDS.entries()) {
    const at = Math.min(midnight - one.ago * DAY_MS + one.hour * HOUR_MS, now - 3 * HOUR_MS)
    const target = one.target === 'gold' ? { segmentUuid: goldSegment } : one.target
    const recipients = people.filter((person) => person.subscribed && person.createdAt < at && one.to(person))
    const reached = await sendOne(
      stage,
      { ...one, target, source: i % 3 === 0 ? SOURCE.messages : SOURCE.cli },
      {
        at,
        recipients,
        lanes,
      },
    )
    await reportBack(stage, reached, one.opens)
  }
  await scheduleNext(stage)
}

interface Reached {
  id: number
  at: number
  accepted: Person[]
}

async function sendOne(
  stage: HistoryStage,
  { title, message, target, source = SOURCE.cli }: Send,
  { at, recipients, lanes }: { at: number; recipients: readonly Person[]; lanes: ReadonlyMap<Platform, number> },
): Promise<Reached> {
  const { past, appId } = stage
  stage.at(at)
  const body = parseJson(messagesForm, { target, content: { title, message }, confirm: 1_000_000 })
  const accepted: Person[] = []
  // In one transaction: no worker ever sees a run that is due.
  const id = await past.inTransaction(async (tx) => {
    const { notification } = await tx.sends.accept(appId, source, fromMessagesForm(body))
    const { id } = notification!
    for (const run of await tx.ledger.dueRuns(at, 100)) {
      if ((await tx.ledger.dueRun(run))?.notificationId === id) await tx.ledger.moveCursor(run, {}, true)
    }
    for (const platform of platforms) {
      const laneId = lanes.get(platform)
      if (laneId === undefined) continue
      const theirs = recipients.filter((person) => person.platform === platform)
      for (const some of chunks(theirs, PAGE)) accepted.push(...(await storePage(stage, tx, { id, at, laneId, some })))
    }
    await tx.fanOut.finish(appId, [id])
    return id
  })
  await stage.breathe()
  return { id, at, accepted }
}

async function storePage(
  stage: HistoryStage,
  tx: Areas,
  { id, at, laneId, some }: { id: number; at: number; laneId: number; some: readonly Person[] },
): Promise<Person[]> {
  const { appId } = stage
  const failures: { row: number; kind: string; reason: string }[] = []
  const outcomes = Buffer.from(some.map((person) => outcomeOf(stage, person, failures)))
  const page = { appId, notificationId: id, laneId, rows: some.map(({ row }) => row), notBefore: at }
  await tx.ledger.insertEnded(page, outcomes, at + stage.chance(3 * MINUTE_MS))
  await tx.ledger.insertFailures(page, failures, at)
  return some.filter((_, i) => outcomes[i] === SLOT.accepted)
}

function outcomeOf(
  stage: HistoryStage,
  { platform, row }: Person,
  failures: { row: number; kind: string; reason: string }[],
): number {
  let roll = stage.chance(1000)
  for (const [permille, slot] of LEFT_OUT) {
    if (roll < permille) return SLOT[slot]
    roll -= permille
  }
  for (const [permille, slot, reason] of TROUBLE[platform] ?? []) {
    if (roll < permille) {
      failures.push({ row, kind: slot, reason })
      return SLOT[slot]
    }
    roll -= permille
  }
  return SLOT.accepted
}

/** Reports of phones: most that they got it, some that it was opened, half of those within an hour and a half. */
async function reportBack(stage: HistoryStage, { id, at, accepted }: Reached, opens: number): Promise<void> {
  const { past, appId, now, chance } = stage
  const reports = accepted.flatMap(({ row, user, platform }) => {
    const base = { notificationId: id, installRow: row, userIdentifier: user }
    const deliveredAt = at + (1 + chance(20)) * MINUTE_MS
    const openedAt = deliveredAt + Math.floor(-Math.log((1 + chance(1000)) / 1001) * 130 * MINUTE_MS)
    const isDelivered = platform !== 'safari' && chance(100) < 88
    const isOpened = chance(100) < opens
    return [
      ...(isDelivered ? [{ ...base, kind: 'delivered' as const, at: deliveredAt }] : []),
      ...(isOpened ? [{ ...base, kind: 'opened' as const, at: openedAt }] : []),
      ...(isDelivered && !isOpened && chance(100) < 6 ? [{ ...base, kind: 'dismissed' as const, at: openedAt }] : []),
    ].filter((report) => report.at < now)
  })
  stage.at(now)
  for (const some of chunks(reports, REPORTS)) {
    await past.inTransaction((tx) => tx.pushReports.act!(appId, some))
    await stage.breathe()
  }
}

/** Schedules a push for tomorrow evening, by local time. */
async function scheduleNext({ program, appId, now }: HistoryStage): Promise<void> {
  const sendAt = `${new Date(now + DAY_MS).toISOString().slice(0, 10)} 18:00`
  const body = parseJson(messagesForm, {
    target: { channelUuids: ['news'] },
    content: { title: 'Tomorrow at seven', message: 'Rolls with poppy seeds. Order until ten tonight.' },
    schedule: { strategy: 'local', sendAt, pastTimes: 'nextDay' },
    confirm: 1_000_000,
  })
  await program.inTransaction((tx) => tx.sends.accept(appId, SOURCE.messages, fromMessagesForm(body)))
}
