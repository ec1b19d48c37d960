import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import { createHandler } from '../../../src/server/handler.ts'
import { routes } from '../../../src/server/routes.ts'
import { openTestProgram, type TestAppOptions, type TestProgram } from '../program.ts'
import type { RawAnswer, RawRequest } from './client.ts'

/** A request to measure. `{n}` in its path is another number each time. */
export interface Asked {
  method: string
  path: string
  headers?: Record<string, string>
  body?: Uint8Array
}

/** The cost of a request. */
export interface Cost {
  status: number
  /** Bytes that were sent and that came back. */
  sent: number
  got: number
  /** Processor time of the thread of the server (ms). */
  ms: number
  head: string
}

export interface HostileRig extends TestProgram {
  /** The median of `times` requests one after the other, each from an address of its own. */
  cost(request: Asked, times?: number): Promise<Cost>
  ask(request: Asked): Promise<RawAnswer>
  /** Processor time (ms) of this thread now for a piece of work that is the same everywhere: 10 KB of JSON parsed and written. */
  unit(): number
}

/** The server in this thread and its client in another one, so that the processor time of this thread is the cost of the server. */
export async function openHostileRig(options: TestAppOptions = {}): Promise<HostileRig> {
  const test = await openTestProgram({ ...options, settings: { trustedProxies: '127.0.0.1', ...options.settings } })
  const handler = createHandler(test.program, routes)
  // A busy machine pauses longer than connections are kept.
  const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = new Worker(new URL('./client.ts', import.meta.url), { workerData: { port } })
  let asked = 0

  const answerTo = (bytes: Uint8Array): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      client.once('error', reject)
      client.once('message', (answer: RawAnswer) => {
        client.removeListener('error', reject)
        resolve(answer)
      })
      client.postMessage({ bytes } satisfies RawRequest)
    })

  /** An address for each request, so that no limit of an address saves the work. */
  function bytesOf({ method, path, headers = {}, body }: Asked): Buffer {
    asked++
    const all = {
      host: 'localhost',
      'x-forwarded-for': `10.${(asked >> 16) & 255}.${(asked >> 8) & 255}.${asked & 255}`,
      ...(body && { 'content-length': String(body.length) }),
      ...headers,
    }
    const head = Object.entries(all)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')
    return Buffer.concat([
      Buffer.from(`${method} ${path.replace('{n}', String(asked))} HTTP/1.1\r\n${head}\r\n`, 'latin1'),
      body ?? Buffer.alloc(0),
    ])
  }

  async function cost(request: Asked, times = 5): Promise<Cost> {
    const costs: number[] = []
    let last: RawAnswer | undefined
    let sent = 0
    for (let i = 0; i < times; i++) {
      const bytes = bytesOf(request)
      sent = bytes.length
      const before = threadTime()
      last = await answerTo(bytes)
      costs.push(threadTime() - before)
    }
    const { status, bytes: got, head } = last!
    return { status, sent, got, ms: median(costs), head }
  }

  return {
    ...test,
    cost,
    ask: (request) => answerTo(bytesOf(request)),
    unit: measureUnit,
    async close() {
      await client.terminate()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
      await test.close()
    },
  }
}

/** Processor time of this thread in ms. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!

function measureUnit(): number {
  const text = JSON.stringify(Array.from({ length: 250 }, (_, i) => ({ name: `name ${i}`, value: i, flag: true })))
  const once = () => JSON.stringify(JSON.parse(text)).length
  for (let i = 0; i < 300; i++) once()
  return median(
    Array.from({ length: 15 }, () => {
      const before = threadTime()
      for (let i = 0; i < 100; i++) once()
      return (threadTime() - before) / 100
    }),
  )
}
