import {
  IN_APP,
  IN_APP_CONSENT,
  INBOX_DELETED,
  type InAppMessage,
  itemOf,
  MESSAGE_DELIVERED,
  MESSAGE_DISMISSED,
  MESSAGE_OPENED,
  MESSAGE_READ,
  merged,
  messagesPath,
  newestChange,
  toList,
  toShow,
} from '../../../core/src/index.ts'
import type { App, Data } from '../api.ts'
import type { Device } from '../device.ts'
import { type Action, createFrame, type Frame } from './frame.ts'

/** Abilities that a button of a message may use. */
interface Abilities {
  subscribe(channelUuid: string): Promise<void>
  ask(): Promise<unknown>
}

/** Addresses that a button may open in another app. */
const OPENS = /^(?:https?|mailto|tel|sms):/i

type Marked = 'openedAt' | 'readAt' | 'inboxDeletedAt'

/** In-app messages and the inbox. */
export interface Messages {
  inbox: App['inbox']
  inApp: App['inApp']
  begin(): Promise<void>
  /** Syncs, and shows what is due: when a push announces a message, and when the app comes to the front. */
  refresh(isStart?: boolean): Promise<void>
  /** Tells the server whether this install shows in-app messages, when it does not know it of this user. */
  tellConsent(): Promise<void>
}

export function createMessages(device: Device, abilities: Abilities): Messages {
  const { options } = device
  const isOn = options.inApp !== false
  const stored = async () => (await device.get('messages')) ?? []
  const about = (type: string, { id }: InAppMessage) => device.track(type, { type: IN_APP, id })
  const find = async (id: number) => (await stored()).find((message) => message.id === id)
  const presenter = createPresenter(device, abilities, { about, mark })

  /** Changes a stored message, and reports why; once. */
  async function mark(message: InAppMessage, field: Marked, event: string): Promise<void> {
    const at = new Date().toISOString()
    let isNew = false
    await device.change('messages', (all = []) =>
      all.map((one) => {
        if (one.id !== message.id || one[field]) return one
        isNew = true
        return { ...one, [field]: at }
      }),
    )
    if (!isNew) return
    await about(event, message)
    await tellUnread()
  }

  async function unread(): Promise<number> {
    return toList(await stored(), Date.now()).filter(({ readAt }) => !readAt).length
  }

  async function tellUnread(): Promise<void> {
    device.tell('inbox.changed', { unread: await unread() })
  }

  /** Asks for what changed since the last time, of the user of this moment. */
  async function sync(): Promise<void> {
    const user = await device.userName()
    const { status, body } = await device.call(messagesPath(user, await device.get('syncedTo')))
    if (status !== 200 || !Array.isArray(body) || body.length === 0 || user !== (await device.userName())) return
    const synced = body as InAppMessage[]
    const before = new Set((await stored()).map(({ id }) => id))
    await device.change('messages', (all = []) => merged(all, synced, Date.now()))
    await device.change('syncedTo', () => newestChange(synced))
    for (const message of synced) if (!before.has(message.id)) await about(MESSAGE_DELIVERED, message)
    await tellUnread()
  }

  async function refresh(isStart = false): Promise<void> {
    if (!isOn) return
    await sync().catch(() => undefined)
    presenter.show(toShow(await stored(), isStart, Date.now()))
  }

  const withMessage = async (id: number, work: (message: InAppMessage) => Promise<void>) => {
    const message = await find(id)
    if (message) await work(message)
  }

  return {
    inApp: presenter,
    inbox: {
      unread,
      list: async () => toList(await stored(), Date.now()).map(itemOf),
      open: (id) =>
        withMessage(id, async (message) => {
          await mark(message, 'readAt', MESSAGE_READ)
          presenter.show([message])
        }),
      markRead: (id) => withMessage(id, (message) => mark(message, 'readAt', MESSAGE_READ)),
      remove: (id) => withMessage(id, (message) => mark(message, 'inboxDeletedAt', INBOX_DELETED)),
      refresh: () => refresh(),
    },
    refresh,
    async begin() {
      if (!isOn) return
      presenter.show(toShow(await stored(), true, Date.now()))
      // The server knows nobody before the first event.
      await device.flush()
      await refresh(true)
    },
    async tellConsent() {
      // Somebody who never had them need not refuse them.
      if (!isOn && (await device.get('inAppConsent')) === undefined) return
      const text = `${await device.userName()} ${isOn}`
      const before = await device.change('inAppConsent', () => text)
      if (before !== text) await device.track(IN_APP_CONSENT, { consented: isOn })
    },
  }
}

interface Reports {
  about(type: string, message: InAppMessage): Promise<void>
  mark(message: InAppMessage, field: Marked, event: string): Promise<void>
}

/** The messages on the screen, one after the other in one frame. */
function createPresenter(device: Device, abilities: Abilities, { about, mark }: Reports) {
  let frame: Frame | undefined
  let turn: InAppMessage[] = []

  function show(messages: readonly InAppMessage[]): void {
    if (messages.length === 0) return
    if (frame) {
      const waiting = new Set(turn.map(({ id }) => id))
      turn.push(...messages.filter(({ id }) => !waiting.has(id)))
      return
    }
    turn = [...messages]
    frame = createFrame(device.options.url, { ready: present, shown, acts, closed, failed: leave })
    device.tell('in-app.changed', frame.props, true)
  }

  function present(): void {
    if (turn[0]) frame?.post('PRESENT_MESSAGE', turn[0].content)
    else leave()
  }

  function shown(): void {
    const [message] = turn
    if (!message) return
    device.background(about(MESSAGE_OPENED, message))
    if (message.inbox) device.background(mark(message, 'readAt', MESSAGE_READ))
  }

  function closed(): void {
    turn.shift()
    present()
  }

  /** A message that could not be shown stays, for the next start. */
  function leave(): void {
    frame = undefined
    turn = []
    device.tell('in-app.changed', null)
  }

  /** Runs the actions of a button: all that stay in the app, and the first of those that end the message. */
  function acts(actions: readonly Action[]): void {
    const [message] = turn
    if (!message) return
    let isOver = false
    for (const { type, data = {} } of actions) {
      if (type === 'trackConversionEvent') device.background(convert(data))
      else if (type === 'subscribeToChannel') device.background(abilities.subscribe(String(data.channelUuid)))
      else if (!isOver) {
        isOver = true
        device.background(mark(message, 'openedAt', MESSAGE_DISMISSED))
        frame?.post('CLOSE_MESSAGE')
        end(type, data, message)
      }
    }
  }

  async function convert({ eventType, data }: Data): Promise<void> {
    await device.track(String(eventType), data as Data | undefined)
    await device.flush()
  }

  function end(type: string, data: Data, { id: messageId }: InAppMessage): void {
    const { Linking } = device.options.native
    if (type === 'openUrl' && OPENS.test(String(data.url))) device.background(Linking.openURL(String(data.url)))
    if (type === 'promptPushPermission') device.background(abilities.ask())
    if (type === 'requestAppStoreRating') device.tell('in-app.action', { messageId, type, data: {} })
    if (type === 'deepLink') device.tell('in-app.action', { messageId, type, data: (data.deepLink ?? {}) as Data })
  }

  return {
    show,
    get frame() {
      return frame?.props ?? null
    },
  }
}
