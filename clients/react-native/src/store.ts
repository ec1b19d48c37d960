import type { DeviceEvent, InAppMessage } from '../../core/src/index.ts'

type Later<T> = T | Promise<T>

/** A place for texts, as `AsyncStorage` is one. */
export interface KeyValue {
  getItem(name: string): Later<string | null | undefined>
  setItem(name: string, text: string): Later<unknown>
  removeItem(name: string): Later<unknown>
}

/** The methods of an instance of `react-native-mmkv`. */
export interface Mmkv {
  getString(name: string): string | undefined
  set(name: string, text: string): void
  delete?(name: string): unknown
  /** The name of `delete` from version 4 on. */
  remove?(name: string): unknown
}

/** MMKV as a place for texts. */
export function mmkv(instance: Mmkv): KeyValue {
  return {
    getItem: (name) => instance.getString(name),
    setItem: (name, text) => instance.set(name, text),
    removeItem: (name) => (instance.remove ?? instance.delete)?.call(instance, name),
  }
}

/** The names under which the client keeps things, with their types. */
export interface Kept {
  installId: string
  /** Events that the server does not have yet, the oldest first. */
  queue: DeviceEvent[]
  user: KnownUser
  /** The token and its circumstances, as text, as the server was told last. */
  registered: string
  /** True after `push.stop`: nothing hands a token over but `push.ask`. */
  stopped: boolean
  messages: InAppMessage[]
  /** `after` of the next sync of messages. */
  syncedTo: string
  /** The user and the consent to in-app messages, as the server was told last. */
  inAppConsent: string
  /** True when the clipboard was asked for a link. */
  clipboardRead: boolean
  /** Choices of purposes that the server does not have yet, by the user who made them. */
  choices: Record<string, Record<string, boolean | null>>
  /** Key of the opening that was reported last: a system tells it again at the next start. */
  lastOpening: string
}

/** A user who said who they are: `name` is what the server gets, an identifier or a token; `told` is what it was told last. */
export interface KnownUser {
  id: string
  name: string
  told: string
}

/** Things that survive the app. */
export interface Store {
  get<K extends keyof Kept>(name: K): Promise<Kept[K] | undefined>
  /** Reads, changes and writes; one after the other. Undefined takes the thing away. Returns what was there before. */
  change<K extends keyof Kept>(
    name: K,
    how: (before: Kept[K] | undefined) => Kept[K] | undefined,
  ): Promise<Kept[K] | undefined>
}

const PREFIX = 'appsvc.'

/** The kinds of things, so that what somebody else has written counts as absent. */
const KINDS: Record<keyof Kept, (value: unknown) => boolean> = {
  installId: isText,
  queue: Array.isArray,
  user: (value) => isObject(value) && isText(value.id) && isText(value.name),
  registered: isText,
  stopped: isYes,
  messages: Array.isArray,
  syncedTo: isText,
  inAppConsent: isText,
  clipboardRead: isYes,
  choices: (value) => isObject(value) && Object.values(value).every(isObject),
  lastOpening: isText,
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isYes(value: unknown): boolean {
  return value === true
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Opens the store over a place for texts. What cannot be read counts as absent, what cannot be written stays in memory until the app ends. */
export function openStore(place: KeyValue, warn: (...what: unknown[]) => void): Store {
  const memory = new Map<string, unknown>()
  let turn: Promise<unknown> = Promise.resolve()

  async function read(name: keyof Kept): Promise<unknown> {
    if (memory.has(name)) return memory.get(name)
    let value: unknown
    try {
      const found: unknown = JSON.parse((await place.getItem(PREFIX + name)) ?? 'null')
      value = KINDS[name](found) ? found : undefined
    } catch (error) {
      warn(`${PREFIX}${name} cannot be read`, error)
    }
    // Another one may have written meanwhile.
    if (!memory.has(name)) memory.set(name, value)
    return memory.get(name)
  }

  async function write(name: string, value: unknown): Promise<void> {
    memory.set(name, value)
    try {
      if (value === undefined) await place.removeItem(PREFIX + name)
      else await place.setItem(PREFIX + name, JSON.stringify(value))
    } catch (error) {
      warn(`${PREFIX}${name} cannot be written`, error)
    }
  }

  const change = (name: keyof Kept, how: (before: unknown) => unknown) => {
    const mine = turn.then(async () => {
      const before = await read(name)
      const after = how(before)
      if (after !== before) await write(name, after)
      return before
    })
    turn = mine.catch(() => undefined)
    return mine
  }

  return { get: read as Store['get'], change: change as Store['change'] }
}
