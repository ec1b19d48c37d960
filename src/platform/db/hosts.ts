import pg from 'pg'
import { AppError } from '../errors.ts'
import { APPLICATION } from './others.ts'

/**
 * Several hosts in one address, as libpq has it: `postgres://user@a:5432,b:5432/appsvc?target_session_attrs=read-write`
 * (https://www.postgresql.org/docs/current/libpq-connect.html, sections 34.1.1.2 and 34.1.1.3). Node's driver knows one host.
 */
export interface Hosts {
  /** An address for each host, in their order. */
  addresses: readonly string[]
  /** The kind of session that is wanted. */
  wants: Attributes
}

/** Values of `target_session_attrs`. `prefer-standby`: a standby, and any server when there is none. */
type Attributes = 'any' | 'read-write' | 'read-only' | 'primary' | 'standby' | 'prefer-standby'
const ATTRIBUTES: readonly string[] = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby']

/** The time (ms) for which one of several hosts may not answer. A host that is switched off refuses nothing. */
const HOST_MS = 3000

// A password may hold commas, and also an @ that nobody has escaped: the last one ends it.
const AUTHORITY = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^]*)$/i
const ATTRIBUTE = /[?&]target_session_attrs=([^&#]*)/i

/** Reads the hosts of an address. Throws `config` for a kind of session that libpq does not know, and for a host that is none. */
export function hostsOf(url: string): Hosts {
  const wants = ATTRIBUTE.exec(url)?.[1] ?? 'any'
  if (!ATTRIBUTES.includes(wants)) {
    throw new AppError(
      'config',
      `target_session_attrs of a database address must be one of ${ATTRIBUTES.join(', ')}: it is ${wants}`,
    )
  }
  const [, before = '', written = '', after = ''] = AUTHORITY.exec(url) ?? []
  const hosts = written.split(',')
  refuseUnreadable(hosts)
  const addresses = hosts.length > 1 ? hosts.map((host) => `${before}${host}${after}`) : [url]
  return { addresses, wants: wants as Attributes }
}

/**
 * Throws `config` for a host that cannot be one. One address may leave its host out; in a list that would be the own machine, which nobody
 * means by a comma too many. What stands there may be a part of a password, so it is not repeated.
 */
function refuseUnreadable(hosts: readonly string[]): void {
  const wrong = hosts.findIndex((host) => (host === '' ? hosts.length > 1 : !URL.canParse(`postgres://${host}/`)))
  if (wrong === -1) return
  throw new AppError(
    'config',
    `host ${wrong + 1} of the database address is not one: write db.example.com or db.example.com:5432, and /, ? and # of a password as %2F, %3F and %23`,
  )
}

/** The place of the host in the list that was chosen last, by address. */
const chosen = new Map<string, number>()

/**
 * Connects to the first host whose session is of the wanted kind, that of the last time first. `open` connects to one. Throws what
 * the last host threw, or `unavailable` when all that answer are of another kind.
 */
export async function connectToHost<C extends pg.Client>(
  url: string,
  open: (address: string) => Promise<C>,
): Promise<C> {
  const { addresses, wants } = hostsOf(url)
  const first = chosen.get(url) ?? 0
  const order = addresses.map((_, i) => (first + i) % addresses.length)
  let failure: unknown
  for (const wanted of wants === 'prefer-standby' ? (['standby', 'any'] as const) : [wants]) {
    for (const place of order) {
      try {
        const client = await open(addresses[place]!)
        if (await isOfKind(client, wanted)) {
          chosen.set(url, place)
          return client
        }
        await client.end()
      } catch (error) {
        failure = error
      }
    }
  }
  throw failure ?? new AppError('unavailable', `no host of the database address has a session that is ${wants}`)
}

/** Asks one server of an open connection what it is; a connection that cannot be asked is ended. */
async function isOfKind(client: pg.Client, wanted: Exclude<Attributes, 'prefer-standby'>): Promise<boolean> {
  if (wanted === 'any') return true
  try {
    const { rows } = await client.query<{ standby: boolean; readonly: string }>(
      `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS readonly`,
    )
    const { standby, readonly } = rows[0]!
    if (wanted === 'primary' || wanted === 'standby') return standby === (wanted === 'standby')
    return (standby || readonly === 'on') === (wanted === 'read-only')
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

/** The settings of a connection to one of the hosts of an address. */
export function settingsOf(url: string, address: string): pg.ClientConfig {
  const isOneOfSeveral = hostsOf(url).addresses.length > 1
  return {
    connectionString: address,
    application_name: APPLICATION,
    ...(isOneOfSeveral && { connectionTimeoutMillis: HOST_MS }),
  }
}

/** A connection outside of a pool, which the caller ends. Throws what the driver throws. */
export function openClient(url: string): Promise<pg.Client> {
  return connectToHost(url, async (address) => {
    const client = new pg.Client(settingsOf(url, address))
    // An end of the connection is an error of the statement that waits.
    client.on('error', () => {})
    await client.connect()
    return client
  })
}
