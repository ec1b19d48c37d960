/**
 * Readers of the event log outside, in a thread of their own, so that they do not hold up the uploads that are timed: the endpoint of a
 * webhook, and a reader that asks for NDJSON again and again and waits. `bench/events.ts` starts it.
 */
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Certificate } from '../../test/support/certificates.ts'
import { percentile } from './result.ts'

/** The server to read from, its key, and the certificate of the endpoint. */
export interface ReadersData {
  address: string
  credentials: string
  certificate: Certificate
}

/** Orders of the bench to the thread: begin to read behind a place, or end and tell what came. */
export type ReadersOrder = { begin: string | undefined } | 'end'

/** The thread's account of what came while it read. */
export interface ReadersTold {
  /** Events that the endpoint got, and requests. */
  hooked: number
  requests: number
  /** Events that the reader got, and how old the last one of each answer was (ms), in the middle and p99. */
  read: number
  ageP50: number
  ageP99: number
}

const LIMIT = 1000
/** A reader gathers for a moment, so that it asks ten times a second and not for each commit. */
const PAUSE_MS = 100

const { address, credentials, certificate } = workerData as ReadersData
let told = none()
let ages: number[] = []
let stop = new AbortController()
let reading: Promise<void> = Promise.resolve()

function none(): ReadersTold {
  return { hooked: 0, requests: 0, read: 0, ageP50: 0, ageP99: 0 }
}

const server = createServer({ cert: certificate.certPem, key: certificate.keyPem }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    response.writeHead(204).end()
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as { type: string; data: unknown[] }
    told.hooked += type === 'batch' ? data.length : 1
    told.requests++
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')

async function read(from: string | undefined, signal: AbortSignal): Promise<void> {
  let after = from
  while (!signal.aborted) {
    const query = `limit=${LIMIT}&wait=5${after === undefined ? '' : `&after=${after}`}`
    const response = await fetch(`${address}/messages/v1/events?${query}`, {
      headers: { authorization: `Basic ${btoa(credentials)}`, accept: 'application/x-ndjson' },
      signal,
    })
    if (response.status !== 200) throw new Error(`GET events got ${response.status}: ${await response.text()}`)
    const lines = (await response.text()).split('\n')
    after = response.headers.get('next-after')!
    const last = lines.at(-2)
    told.read += lines.length - 1
    if (last) ages.push(Date.now() - Date.parse((JSON.parse(last) as { receivedAt: string }).receivedAt))
    if (lines.length <= LIMIT) await sleep(PAUSE_MS, undefined, { signal })
  }
}

parentPort!.on('message', (order: ReadersOrder) => {
  if (order === 'end') {
    stop.abort()
    void reading.then(() => {
      parentPort!.postMessage({ ...told, ageP50: percentile(ages, 0.5), ageP99: percentile(ages, 0.99) })
    })
    return
  }
  told = none()
  ages = []
  stop = new AbortController()
  const { signal } = stop
  reading = read(order.begin, signal).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
})
parentPort!.postMessage((server.address() as AddressInfo).port)
