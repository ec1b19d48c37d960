import { once } from 'node:events'
import type { Server } from 'node:net'
import { openPool } from '../../../src/platform/http2/pool.ts'
import { Http2Failure, type Http2Pool, type OpenPool, type PushRequest } from '../../../src/platform/http2/types.ts'
import { openNodePool } from '../../support/node-http2-client.ts'

/** The two implementations behind one interface: every suite here runs against both. */
export const BOTH: [name: string, open: OpenPool][] = [
  ['our own client', openPool],
  ["Node's client", openNodePool],
]

/** A deadline (ms) that no machine misses; a test that wants it to be missed lets it pass by `fakeTimers`. */
export const ANSWERED_MS = 60_000

export function requestOf(path: string, body = 'hello', headers: Record<string, string> = {}): PushRequest {
  return { path, headers: { 'content-type': 'application/json', ...headers }, body: Buffer.from(body) }
}

/** Sends a request and tells how it ended: `200 body` or the kind of its failure. */
export async function outcomeOf(pool: Http2Pool, request: PushRequest = requestOf('/')): Promise<string> {
  try {
    const { status, body } = await pool.request(request)
    return `${status} ${body}`.trim()
  } catch (error) {
    return asFailure(error).kind
  }
}

/** The failure of a request that must fail. */
export async function failureOf(pool: Http2Pool, request: PushRequest = requestOf('/')): Promise<Http2Failure> {
  try {
    await pool.request(request)
  } catch (error) {
    return asFailure(error)
  }
  throw new Error('the request did not fail')
}

function asFailure(error: unknown): Http2Failure {
  if (error instanceof Http2Failure) return error
  throw new Error('a request may only fail with an Http2Failure', { cause: error })
}

/** Listens on a free port of loopback and returns it. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return portOf(server)
}

export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
