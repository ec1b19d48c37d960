import type { DeviceEvent, InAppMessage } from '../../core/src/index.ts'
import type { Push } from './api.ts'
import type { Prompt } from './prompts/prompt.ts'

/** The names under which the client keeps things, with their types. */
export interface Kept {
  /** Events that the server does not have yet, the oldest first. */
  queue: DeviceEvent[]
  /** In the store of a worker: the app that the worker serves, with the keys and the address that a page gave. */
  server: { url: string; apiKey: string; secretKey: string }
  installId: string
  user: KnownUser
  /** Details of the install, as text, as they were sent last. */
  details: string
  /** The subscription that the server knows, as text. */
  registered: string
  /** True after `push.stop`: nothing subscribes again but a person. */
  stopped: boolean
  config: { at: number; value: WebConfig }
  messages: InAppMessage[]
  /** `after` of the next sync of messages. */
  syncedTo: string
  /** The last word to the server about in-app messages, and for which user. */
  inAppConsent: string
  /** Prompts that were declined: until when (ms) they stay away. */
  declined: Record<string, number>
  /** The number on the icon. */
  badge: number
  /** The push whose click opens a page. */
  opened: { at: number; push: Push }
  /** Choices of purposes that the server does not have yet, by the user who made them. */
  choices: Record<string, Record<string, boolean | null>>
}

/** A user who said who they are: `name` is what the server gets, an identifier or a token; `told` is what it was told last. */
export interface KnownUser {
  id: string
  name: string
  told: string
}

/** The configuration of the app for browsers (docs/reference/device-protocol.md section 6). */
export interface WebConfig {
  publicKey: string
  iconUrl?: string
  prompts?: Record<string, Prompt>
}

/** Things that survive the page: in IndexedDB, or in memory where the browser keeps nothing. */
export interface Store {
  get<K extends keyof Kept>(name: K): Promise<Kept[K] | undefined>
  /** Reads, changes and writes in one step, which no other tab comes between. Returns what is there afterwards; undefined takes it away. */
  change<K extends keyof Kept, V extends Kept[K] | undefined>(
    name: K,
    how: (before: Kept[K] | undefined) => V,
  ): Promise<V>
}

/** Name of the database and of the table in it. */
const NAME = 'appsvc'
/** The time (ms) in which a database opens, or never does: some browsers leave the question open. */
const OPENS_MS = 3000

/**
 * Opens the store of one app, by its API key, or of one worker, by its scope: apps of the same origin share nothing. Never fails: what the
 * browser cannot keep, stays in memory.
 */
export async function openStore(owner = ''): Promise<Store> {
  const memory = new Map<string, unknown>()
  const database = await openDatabase().catch(() => undefined)

  /** The table; throws when the browser has closed the database, as it does when the person clears the data of the site. */
  const open = (mode?: IDBTransactionMode) => database!.transaction(NAME, mode).objectStore(NAME)

  async function change(name: string, how: (before: unknown) => unknown): Promise<unknown> {
    let before = memory.get(name)
    let value: unknown
    try {
      // What could not be written once, such as on a full disk, is newer than what can be read.
      if (memory.has(name)) throw undefined
      const table = open('readwrite')
      before = await done(table.get(`${owner} ${name}`))
      value = how(before)
      if (value !== before) {
        table.put(value, `${owner} ${name}`)
        await committed(table.transaction)
      }
    } catch {
      memory.set(name, (value = how(before)))
    }
    return value
  }

  return {
    change: change as Store['change'],
    get: (async (name: string) => {
      try {
        return memory.has(name) ? memory.get(name) : await done(open().get(`${owner} ${name}`))
      } catch {
        return undefined
      }
    }) as Store['get'],
  }
}

/** Stores a value. Returns whether it is another one than before: of two tabs that do the same, one is told so. */
export async function changes<K extends keyof Kept>(
  store: Store,
  name: K,
  value: Kept[K] | undefined,
): Promise<boolean> {
  let isNew = false
  await store.change(name, (before) => {
    isNew = before !== value
    return value
  })
  return isNew
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    setTimeout(reject, OPENS_MS)
    const opening = indexedDB.open(NAME, 1)
    opening.onupgradeneeded = () => void opening.result.createObjectStore(NAME)
    opening.onerror = reject
    opening.onsuccess = () => {
      // A newer version of the client in another tab need not wait for this one.
      opening.result.onversionchange = () => opening.result.close()
      resolve(opening.result)
    }
  })
}

/** A full disk shows when a transaction ends, not when it is written. */
const committed = (transaction: IDBTransaction): Promise<unknown> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = resolve
    transaction.onabort = reject
  })

const done = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
