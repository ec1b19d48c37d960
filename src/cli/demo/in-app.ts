import { isPlainObject } from '../../platform/json/json.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { check } from './check.ts'
import { type DemoDevice, showsInApp } from './devices.ts'
import { type DeviceApi, type InAppMessage, reportClosed, reportPush, reportShown, syncMessages } from './sdk.ts'
import { type Reception, receive, type StartedDevice } from './story.ts'

/** The starter from which the demo creates its template; also the uid of the template. */
export const STARTER = 'welcome'

/** The in-app message of the demo, as piped into `appsvc notify --in-app`. */
export const IN_APP_MESSAGE = {
  target: { broadcast: true },
  template: STARTER,
  content: {
    Title: 'A card for regulars',
    Text: 'Every tenth loaf is on us. Your phone keeps count.',
    Button: 'Show my card',
  },
  presentedWhen: 'immediately',
  ttl: { expiresIn: 7, units: 'd' },
  notification: { title: 'Something for you', message: 'Your card for regulars is here.' },
}

/** The report of a message; only the fields that the demo uses. */
export interface InAppReport {
  counts: Record<'recipients' | 'delivered' | 'shown' | 'dismissed', number>
  push: { notificationId: number; counts: Record<'audience' | 'accepted', number> } | null
}

export interface InAppStory {
  /** How the push that announces the message arrived. */
  received: Reception[]
  phone: DemoDevice
  tablet: DemoDevice
  /** The message as the phone shows it. */
  shown: InAppMessage
  /** The message on the tablet before and after it was closed on the phone. */
  before: InAppMessage
  after: InAppMessage
}

/**
 * The push that announces message `id` wakes every app, which fetches the message. The first device shows it and its
 * owner closes it; the other device of the same user then syncs again. Throws `unavailable` if a step has another
 * result.
 */
export async function showInApp(
  { sandbox, api }: { sandbox: Sandbox; api: DeviceApi },
  started: readonly StartedDevice[],
  { id, notificationId }: { id: number; notificationId: number },
): Promise<InAppStory> {
  const phones = started.filter(({ device }) => showsInApp(device))
  const received = await receive(sandbox, phones, notificationId)
  const synced = new Map<DemoDevice, InAppMessage>()
  const [{ device: phone }] = phones as [StartedDevice]
  const tablet = phones.find(({ device }) => device !== phone && device.user === phone.user)!.device
  for (const { device, push } of received) {
    check(push.inAppId === id, `the push for ${device.name} does not name in-app message ${id}`)
    await reportPush(api, device, push, { isOpened: device === phone })
    synced.set(device, find(await syncMessages(api, device), id, device))
  }
  const [shown, before] = [synced.get(phone)!, synced.get(tablet)!]
  check(shown.openedAt === null && before.openedAt === null, 'a message that no one has closed is closed')

  await reportShown(api, phone, shown)
  await reportClosed(api, phone, shown)
  const after = find(await syncMessages(api, tablet, [before]), id, tablet)
  check(after.openedAt !== null, `${tablet.name} still shows a message that was closed on ${phone.name}`)
  return { received, phone, tablet, shown, before, after }
}

/** The text of its heading. */
export function headlineOf({ content }: InAppMessage): string {
  const frame = isPlainObject(content) && isPlainObject(content['frame']) ? content['frame'] : {}
  const nodes: unknown[] = Array.isArray(frame['nodes']) ? frame['nodes'] : []
  const heading = nodes.find((node) => isPlainObject(node) && node['type'] === 'heading')
  return isPlainObject(heading) ? String(heading['text']) : ''
}

function find(messages: readonly InAppMessage[], id: number, { name }: DemoDevice): InAppMessage {
  const found = messages.find((message) => message.id === id)
  check(found !== undefined, `${name} synced and did not get message ${id}`)
  return found
}
