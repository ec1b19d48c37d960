import { readFileSync } from 'node:fs'
import type { JetStreamClient } from '@nats-io/jetstream'
import type { ConnectionOptions, NatsConnection } from '@nats-io/transport-node'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { eventJson } from '../followers/event-json.ts'
import type { LoggedEvent } from '../followers/types.ts'
import { SUBJECTS, subjectOf } from './subject.ts'

export interface NatsSettings {
  /** Addresses, separated by commas; each may hold a user and a password. */
  url: string
  /** Path of a credentials file (`.creds`); empty: none. */
  credentials: string
  stream: string
  /** The time for which a stream that we make keeps events (ms). */
  keptMs: number
  /** Certificate authorities (PEM) besides the built-in ones. */
  ca: readonly string[]
}

/** The time in which a broker has to connect, or to store an event. A follower must be done within its lease. */
const PATIENCE_MS = 8000
/** The time after which a broker that was away is asked again. */
const AGAIN_MS = 2000
/** An event that comes again within this time is stored once: the default of the broker. */
const DUPLICATES_MS = 120_000
const NANOSECONDS = 1_000_000
/** The part of the broker's maximum that the headers of a message take (bytes). */
const HEADER_ROOM = 4096

/** The broker's error code when it has no such stream. */
const NO_STREAM = 10059

/** The JetStream stream that holds the events: connects, makes the stream where there is none, stores events in it. */
export function createNatsStream(settings: NatsSettings, { clock, log }: { clock: Clock; log: Log }) {
  let connection: NatsConnection | undefined
  let stream: { name: string; client: JetStreamClient } | undefined
  let tending: Promise<void> | undefined
  let notBefore = Number.NEGATIVE_INFINITY
  let isToldAway = false
  let isClosed = false

  async function open(): Promise<NatsConnection> {
    const { connect } = await import('./library.ts')
    const opened = await connect(await optionsOf(settings))
    void (async () => {
      // After a reconnection the broker may be another one, or an empty one: the stream is looked at anew.
      for await (const { type } of opened.status())
        if (type === 'disconnect' || type === 'reconnect') stream = undefined
    })()
    void opened.closed().then(() => {
      if (connection === opened) connection = undefined
      stream = undefined
    })
    return opened
  }

  /** The time at which the stream was made tells it from another one of the same name. */
  async function settle(): Promise<void> {
    connection ??= await open()
    const { jetstream, jetstreamManager } = await import('./library.ts')
    const options = { timeout: PATIENCE_MS }
    const { streams } = await jetstreamManager(connection, options)
    const found = await streams.info(settings.stream).catch((error: unknown) => {
      if ((error as { code?: number }).code === NO_STREAM) return undefined
      throw error
    })
    const { created } =
      found ??
      (await streams.add({
        name: settings.stream,
        subjects: [`${SUBJECTS}.>`],
        max_age: settings.keptMs * NANOSECONDS,
        duplicate_window: DUPLICATES_MS * NANOSECONDS,
      }))
    if (!found)
      log.warn({ stream: settings.stream }, 'a NATS stream was made; it gets every event that the log still has')
    stream = { name: `${settings.stream}:${created}`, client: jetstream(connection, options) }
    isToldAway = false
  }

  return {
    /** The name of the present stream, for a row of its own for each; undefined while the broker is away. Does not wait. */
    current(): string | undefined {
      if (stream || tending || isClosed || clock.monotonic() < notBefore) return stream?.name
      tending = settle()
        .catch((error: unknown) => {
          notBefore = clock.monotonic() + AGAIN_MS
          if (!isToldAway) log.warn({ error: messageOf(error) }, 'NATS cannot be used; events wait in the log')
          isToldAway = true
        })
        .finally(() => (tending = undefined))
      return undefined
    },

    /** Waits for the look at the broker that is under way. */
    settled: async (): Promise<void> => tending,

    /**
     * Stores the events in their order; returns how many of them, from the first, are safe. Throws when none is. An
     * event that comes again is stored once, if it comes soon.
     */
    async store(events: readonly LoggedEvent[]): Promise<number> {
      const at = stream
      if (!at || !connection) throw new AppError('unavailable', 'NATS is away')
      const most = (connection.info?.max_payload ?? 1_048_576) - HEADER_ROOM
      const stored = events.map((event) =>
        at.client.publish(subjectOf(event.appId, event.type), payloadOf(event, most), {
          msgID: event.cursor,
          timeout: PATIENCE_MS,
          expect: { streamName: settings.stream },
        }),
      )
      const results = await Promise.allSettled(stored)
      const failed = results.findIndex(({ status }) => status === 'rejected')
      if (failed < 0) return events.length
      // The stream may be gone: it is looked at, or made, before anything else is stored.
      if (stream === at) stream = undefined
      if (failed > 0) return failed
      throw new AppError(
        'unavailable',
        `NATS did not store an event: ${messageOf((results[0] as PromiseRejectedResult).reason)}`,
      )
    },

    async close(): Promise<void> {
      isClosed = true
      await tending
      await connection?.close()
    },
  }
}

/** JSON; without its data when the broker would refuse it as too large. */
function payloadOf(event: LoggedEvent, most: number): string {
  const { data, ...others } = eventJson(event)
  const text = JSON.stringify({ ...others, data })
  return Buffer.byteLength(text) <= most ? text : JSON.stringify({ ...others, truncated: true })
}

async function optionsOf({ url, credentials, ca }: NatsSettings): Promise<ConnectionOptions> {
  const addresses = url.split(',').map((one) => new URL(one.trim()))
  const [{ username, password }] = addresses as [URL, ...URL[]]
  const isSecure = addresses.some(({ protocol }) => protocol === 'tls:')
  return {
    servers: addresses.map(({ host }) => host),
    name: 'appsvc',
    timeout: PATIENCE_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: AGAIN_MS,
    ...(isSecure && { tls: ca.length > 0 ? { ca: await withBuiltIn(ca) } : {} }),
    ...(username && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(credentials && { authenticator: await authenticatorOf(credentials) }),
  }
}

/** A list replaces the built-in authorities, so they are part of it. */
async function withBuiltIn(ca: readonly string[]): Promise<string> {
  const { getCACertificates } = await import('node:tls')
  return [...getCACertificates('default'), ...ca].join('\n')
}

async function authenticatorOf(file: string) {
  const { credsAuthenticator } = await import('./library.ts')
  try {
    return credsAuthenticator(readFileSync(file))
  } catch (error) {
    throw new AppError('config', `nats.credentials: ${messageOf(error)}`)
  }
}
