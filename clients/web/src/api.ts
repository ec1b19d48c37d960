/** The interface of the browser client. */

/** JSON data of an app. */
export type Data = Record<string, unknown>

export interface StartOptions {
  /** Address of the server: `https://app.example.com`. */
  url: string
  apiKey: string
  secretKey: string
  /**
   * Path of the worker on the origin of the page, `/appsvc-worker.js` unless you say otherwise. False: none. Then push works only in
   * browsers that show declarative pushes themselves.
   */
  worker?: string | false
  /** The scope of the worker, if it is not that of its path. */
  scope?: string
  /** False: no in-app messages, and the server is told so. */
  inApp?: boolean
  /** False: page views are not reported. Then prompts need another event. */
  pageViews?: boolean
  /** False: the prompts of the console are not shown. */
  prompts?: boolean
}

/** A push that arrived. */
export interface Push {
  id: number
  title: string
  message: string
  /** The address that a click opens; null: the start of the page. */
  url: string | null
  /** The data that the sender gave. */
  data: Data
  icon?: string | undefined
  image?: string | undefined
  buttons?: { id: string; text: string }[]
  /** Number of the in-app message that the push announces. */
  inAppId?: number | undefined
  /** Id of the button that was pressed; absent for a click on the notification itself. */
  action?: string
}

/** Reasons why a browser gets no pushes. */
export type PushRefusal =
  /** Nobody was asked yet. */
  | 'askable'
  /** The person, or the browser for them, said no. Only they can change it, in the settings of the browser. */
  | 'denied'
  /** The person closed the question. It may be asked again, later. */
  | 'dismissed'
  /** Nobody clicked: browsers want a question to follow a click. */
  | 'no-gesture'
  | 'unsupported'
  /** An iPhone or iPad, on which the page is not on the Home Screen. */
  | 'not-installed'
  /** The page has no https. */
  | 'insecure'
  /** The app has no Web Push gateway. */
  | 'not-configured'
  /** The worker, the push service or the server cannot be reached. */
  | 'failed'

/** The state of push in this browser; `why` is a sentence for a developer or a person. */
export type PushState = { state: 'subscribed'; why?: undefined } | { state: PushRefusal; why: string }

export interface Channel {
  uuid: string
  name: string | null
  subscribed: boolean
  meta?: Data | null
}

export interface InboxItem {
  id: number
  title: string
  subtitle: string
  imageUrl: string | null
  sentAt: Date
  isRead: boolean
  data: Data
}

export interface Purpose {
  uid: string
  name: string
  description: string | null
  required: boolean
  allowed: boolean
  /** The choice of the user; null while the default decides. */
  choice: { allowed: boolean; at: string; source: 'device' | 'server' } | null
}

/** The fate of a link. */
export type LinkMatch =
  | { state: 'matched'; url: string; data: Data; title?: string; description?: string }
  | { state: 'none' | 'expired' | 'used-up' | 'failed'; why: string }

/** The events of the client, with what handlers get. */
export interface AppEvents {
  /** A push arrived while the page is open. */
  'push.received': Push
  /** Somebody clicked a push, and this page is what they see. */
  'push.opened': Push
  'push.changed': PushState
  'inbox.changed': { unread: number }
  /** A button of an in-app message has a deep link for the app. */
  'in-app.link': { messageId: number; link: Data }
}

export interface App {
  /** Reports something that happened. Never throws, and does not wait. */
  track(type: string, data?: Data): void
  /** Calls a handler for an event of the client. Returns a function that ends it. */
  on<E extends keyof AppEvents>(event: E, handler: (what: AppEvents[E]) => void): () => void
  /** The id under which the server knows this browser. */
  installId(): Promise<string>
  user: {
    /** Says who uses this browser. `token` is the user token of an app with signed users. May be called at every page. */
    is(id: string, given?: { token?: string; attributes?: Data }): Promise<void>
    /** Says that nobody in particular uses it any more. */
    isNobody(): Promise<void>
  }
  push: {
    /** Asks the person, in the handler of their click, and subscribes. Never throws. */
    ask(): Promise<PushState>
    /** The state, without asking anybody. */
    state(): Promise<PushState>
    /** Ends the subscription of this browser. */
    stop(): Promise<void>
  }
  channels: {
    list(): Promise<Channel[]>
    subscribe(...uuids: string[]): Promise<void>
    unsubscribe(...uuids: string[]): Promise<void>
  }
  inbox: {
    list(): Promise<InboxItem[]>
    unread(): Promise<number>
    /** Shows the message, and marks it as read. */
    open(id: number): Promise<void>
    markRead(id: number): Promise<void>
    remove(id: number): Promise<void>
    /** Asks the server for messages now. It is asked at the start of each page, and when a push announces one. */
    refresh(): Promise<void>
  }
  consent: {
    list(): Promise<Purpose[]>
    /** Allows or refuses a purpose; null goes back to its default. A choice that cannot be sent now is sent later. */
    set(purpose: string, isAllowed: boolean | null): Promise<void>
  }
  links: {
    /** Resolves a deep link; without one, finds the link that was tapped on this device before. Never throws. */
    match(url?: string): Promise<LinkMatch>
  }
  badge: {
    /** Sets the number on the icon of an installed page. */
    set(count: number): Promise<void>
  }
}

export interface Appsvc {
  /** Starts the client. Returns at once: what is called before it is ready waits. */
  start(options: StartOptions): App
  version: string
}
