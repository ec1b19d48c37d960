import {
  IN_APP,
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
  RENDERER,
  toList,
  toShow,
} from '../../core/src/index.ts'
import type { App, Data } from './api.ts'
import { alone, warn } from './device.ts'
import { type Frame, openFrame } from './frame.ts'
import type { Page } from './page.ts'
import { tellConsent } from './user.ts'

/** Abilities that a button of a message may use. */
interface Abilities {
  subscribe(channelUuid: string): Promise<void>
  ask(): Promise<unknown>
}

interface Action {
  type: string
  data?: Data
}

/** Addresses that a button may open; the page of the server writes them without anything ahead of the scheme. */
const OPENS = /^(https?|mailto|tel):/i

export function createInApp(page: Page, abilities: Abilities): App['inbox'] {
  const isOn = page.options.inApp !== false
  /** The frame on the screen, and the messages that wait for their turn in it. */
  let frame: Frame | undefined
  let turn: InAppMessage[] = []

  const stored = async () => (await page.get('messages')) ?? []

  const about = (type: string, { id }: InAppMessage) => page.track(type, { type: IN_APP, id })

  /** Changes a stored message, and reports why. Returns the message as it was. */
  async function mark(
    id: number,
    field: 'openedAt' | 'readAt' | 'inboxDeletedAt',
    event: string,
  ): Promise<InAppMessage | undefined> {
    const at = new Date().toISOString()
    let found: InAppMessage | undefined
    await page.change('messages', (all = []) => {
      found = all.find((one) => one.id === id)
      return found?.[field] ? all : all.map((one) => (one === found ? { ...one, [field]: at } : one))
    })
    if (found && !found[field]) {
      await about(event, found)
      await tellUnread()
    }
    return found
  }

  const listed = async () => toList(await stored(), Date.now())

  async function tellUnread(): Promise<void> {
    page.tell('inbox.changed', { unread: await inbox.unread() })
  }

  async function sync(): Promise<void> {
    if (!isOn) return
    const { call, userName } = await page.ready
    const changed = await alone('sync', page.options.apiKey, async () => {
      const after = await page.get('syncedTo')
      const user = await userName()
      const { status, body } = await call(messagesPath(user, after))
      // Somebody else may use the browser by now.
      if (status !== 200 || user !== (await userName())) return false
      const synced = body as InAppMessage[]
      if (synced.length === 0) return false
      const before = new Set((await stored()).map(({ id }) => id))
      await page.change('messages', (all = []) => merged(all, synced, Date.now()))
      await page.change('syncedTo', () => newestChange(synced))
      for (const message of synced) if (!before.has(message.id)) await about(MESSAGE_DELIVERED, message)
      return true
    })
    if (!changed) return
    await tellUnread()
    await showNext(false)
  }

  async function showNext(isStart: boolean): Promise<void> {
    if (document.visibilityState === 'visible') show(toShow(await stored(), isStart, Date.now()))
  }

  /** Shows messages, unless this tab or another one shows some. */
  function show(messages: InAppMessage[]): void {
    if (frame || messages.length === 0) return
    turn = messages
    void alone('frame', page.options.apiKey, draw, true).catch(warn)
  }

  /** Opens the frame. Resolves when it is closed. */
  function draw(): Promise<void> {
    const focused = document.activeElement
    return new Promise((resolve) => {
      const opened = openFrame(page.options.url + RENDERER, hear, leave)
      frame = opened
      const { style } = opened.element
      style.cssText =
        'position:fixed;inset:0;width:100%;height:100%;border:0;z-index:2147483647;color-scheme:light dark;visibility:hidden'

      function hear(type: string, data: unknown): void {
        const [message] = turn
        if (!message) return leave()
        if (type === 'READY') opened.post('PRESENT_MESSAGE', message.content)
        if (type === 'MESSAGE_OPENED') {
          style.visibility = 'visible'
          opened.element.focus()
          void about(MESSAGE_OPENED, message)
          if (message.inbox) void mark(message.id, 'readAt', MESSAGE_READ)
        }
        if (type === 'EXECUTE_ACTIONS') act((data as { actions: Action[] }).actions, message)
        if (type === 'MESSAGE_CLOSED') {
          turn.shift()
          if (turn.length === 0) leave()
          else opened.post('PRESENT_MESSAGE', turn[0]!.content)
        }
      }

      function leave(): void {
        opened.close()
        frame = undefined
        if (focused instanceof HTMLElement) focused.focus()
        resolve()
      }
    })
  }

  /** Runs the actions of a button: all that stay on the page, and the first of those that end the message. */
  function act(actions: readonly Action[], message: InAppMessage): void {
    let isOver = false
    for (const { type, data = {} } of actions) {
      if (type === 'trackConversionEvent') void page.track(String(data.eventType), data.data as Data | undefined, true)
      else if (type === 'subscribeToChannel') void abilities.subscribe(String(data.channelUuid)).catch(() => {})
      else if (!isOver) {
        isOver = true
        void mark(message.id, 'openedAt', MESSAGE_DISMISSED)
        frame?.post('CLOSE_MESSAGE')
        if (type === 'openUrl') open(String(data.url))
        if (type === 'deepLink') page.tell('in-app.link', { messageId: message.id, link: data.deepLink as Data })
        if (type === 'promptPushPermission') void abilities.ask()
      }
    }
  }

  const inbox: App['inbox'] = {
    list: async () => (await listed()).map(itemOf),
    unread: async () => (await listed()).filter(({ readAt }) => !readAt).length,
    async open(id) {
      const message = await mark(id, 'readAt', MESSAGE_READ)
      if (message) show([message])
    },
    markRead: async (id) => void (await mark(id, 'readAt', MESSAGE_READ)),
    remove: async (id) => void (await mark(id, 'inboxDeletedAt', INBOX_DELETED)),
    refresh: () => sync().catch(() => {}),
  }

  async function begin(): Promise<void> {
    await tellConsent(page)
    if (!isOn) return
    await showNext(true)
    // A user whom nobody knows yet has no messages: the events that make them go first.
    await page.flush()
    await inbox.refresh()
    addEventListener('visibilitychange', () => void showNext(false))
  }

  void begin().catch(warn)
  return inbox
}

function open(url: string): void {
  if (OPENS.test(url)) location.assign(url)
}
