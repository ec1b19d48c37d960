import createClient, { type Client, defaultPathSerializer } from 'openapi-fetch'
import { caller } from './calls.ts'
import { AppsvcError, dataOf } from './errors.ts'
import { type FollowInit, follow, type LoggedEvent } from './follow.ts'
import { readLines } from './lines.ts'
import { type Item, type ListInit, type ListPath, list, type RecordsInit, records, type TableRecord } from './lists.ts'
import { type Options, readOptions, type Settings } from './options.ts'
import { type NewEvent, type RefusedEvent, reportEvents } from './report.ts'
import type { components, paths } from './schema.ts'

type Schemas = components['schemas']

/** Members of a target that get nothing, as the caller wrote them. */
export type TargetErrors = Schemas['TargetErrors']

/** The end of a send: accepted, maybe without some of its target (202), or rejected because nobody can be reached (400). */
export type Sent<Accepted> =
  | { accepted: true; sent: Accepted; errors: TargetErrors }
  | { accepted: false; sent: null; errors: TargetErrors }

/** Settings of a call. */
export interface CallInit {
  /** Default: a new one. Give your own where the program itself may repeat the call, such as the id of an order. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** A recipient of a notification (`GET /v2/notifications/{id}/recipients`). */
export interface Recipient {
  /** Null once the install is gone. */
  installId: string | null
  userId: string | null
  outcome: 'pending' | 'accepted' | 'failed' | 'expired' | 'cancelled' | 'skipped' | 'unknown'
  kind: string | null
  reason: string | null
}

/** One app on a server. */
export interface App {
  /** Every call of the server interface by its address, typed (openapi-fetch): an answer that is not 2xx is the value `error`. */
  api: Client<paths>
  notifications: {
    send(request: Schemas['NotificationRequest'], init?: CallInit): Promise<Sent<Schemas['Notification']>>
    /** Each recipient with its outcome so far. Throws `CutOff` when the answer breaks off: begin anew then. */
    recipients(
      id: number,
      init?: { outcome?: Recipient['outcome']; signal?: AbortSignal },
    ): AsyncGenerator<Recipient, void>
  }
  inApp: {
    send(request: Schemas['InAppMessageRequest'], init?: CallInit): Promise<Sent<Schemas['InAppMessage']>>
  }
  events: {
    /** Every event behind `after` and each new one, for ever. */
    follow(init?: FollowInit): AsyncGenerator<LoggedEvent, void>
    /** Reports events of users, any number of them. Answers those that the server refused. */
    report(events: readonly NewEvent[], init?: { signal?: AbortSignal }): Promise<RefusedEvent[]>
  }
  /** The items of a list, page after page: `for await (const channel of app.list('/messages/channels'))`. */
  list<P extends ListPath>(path: P, init?: ListInit<P>): AsyncGenerator<Item<P>, void>
  /** The records of a data table, page after page. Needs the option `restKey`. */
  records(tableAlias: string, init?: RecordsInit): AsyncGenerator<TableRecord, void>
}

/** Makes a client for one app. Throws a TypeError when an option is wrong; no call is made yet. */
export function appsvc(options: Options): App {
  const settings = readOptions(options)
  const api = createClient<paths>({ baseUrl: settings.url, fetch: caller(settings), pathSerializer: writePath })
  return {
    api,
    notifications: {
      send: async (body, init) => {
        const result = await api.POST('/messages/v2/notifications', { ...told(init), body })
        return sentOf(result, ({ notification }) => notification)
      },
      recipients: (id, init) => recipients(api, settings, id, init),
    },
    inApp: {
      send: async (body, init) => {
        const result = await api.POST('/messages/v1/in-app-messages', { ...told(init), body })
        return sentOf(result, ({ message }) => message)
      },
    },
    events: {
      follow: (init) => follow(api, settings, init),
      report: (events, init) => reportEvents(api, events, init),
    },
    list: (path, init) => list(api, path, init),
    records: (tableAlias, init) => records(api, tableAlias, init),
  }
}

/**
 * Puts parameters into a path, each as one segment. Throws a TypeError for one that every URL parser takes out again, whatever its
 * encoding: the call would go to another address (WHATWG URL, "double-dot URL path segment").
 */
function writePath(path: string, params: Record<string, unknown>): string {
  for (const [name, value] of Object.entries(params)) {
    if (/^(?:\.\.?)?$/.test(String(value))) throw new TypeError(`${name} must be more than ${JSON.stringify(value)}`)
  }
  return defaultPathSerializer(path, params)
}

/** The options of openapi-fetch for a call. */
function told({ idempotencyKey, signal }: CallInit = {}) {
  return {
    ...(idempotencyKey !== undefined && { params: { header: { 'Idempotency-Key': idempotencyKey } } }),
    ...(signal && { signal }),
  }
}

function sentOf<Body extends { errors?: TargetErrors }, T>(
  { data, error, response }: { data?: Body; error?: unknown; response: Response },
  pick: (body: Body) => T,
): Sent<T> {
  if (data) return { accepted: true, sent: pick(data), errors: data.errors ?? {} }
  // A 400 without these lists is another one: a broken request.
  const errors = (error as { errors?: TargetErrors } | undefined)?.errors
  if (response.status !== 400 || !errors) throw new AppsvcError(response.status, error)
  return { accepted: false, sent: null, errors }
}

async function* recipients(
  api: Client<paths>,
  { timeoutMs }: Settings,
  id: number,
  { outcome, signal }: { outcome?: Recipient['outcome']; signal?: AbortSignal } = {},
): AsyncGenerator<Recipient, void> {
  const params = { path: { id }, ...(outcome && { query: { outcome } }) }
  const options = { params, parseAs: 'stream', ...(signal && { signal }) } as const
  const body = dataOf(await api.GET('/messages/v2/notifications/{id}/recipients', options))
  yield* readLines<Recipient>(body, timeoutMs)
}
