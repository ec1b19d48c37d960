import { Agent, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHandler } from '../../src/server/handler.ts'
import { routes } from '../../src/server/routes.ts'
import { noteAnswer } from './answers.ts'
import { ask } from './ask.ts'
import { basic } from './basic.ts'
import { record } from './contract.ts'
import { openTestProgram, type TestAppOptions, type TestProgram } from './program.ts'

export { basic } from './basic.ts'

/** Heads the list of differences and says what to do about them. */
const DIFFERENT =
  'exchanges differ from the interface document. Correct the program, or what is documented: answers in src/present, ' +
  "bodies in the area's schema.ts, headers and statuses at the route. Then run npm run openapi. The differences:"

export interface Answer {
  status: number
  headers: Headers
  /** The parsed body; undefined when there is none. */
  body: unknown
}

export interface CallOptions {
  /**
   * Default: the first app's server key. `device`: its secret key. `none`: no header. Text: a whole Authorization
   * header.
   */
  auth?: 'server' | 'device' | 'none' | (string & {})
  /** An object is sent as JSON; text and bytes as they are. */
  body?: unknown
  headers?: Record<string, string>
}

export interface TestServer extends TestProgram {
  address: string
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /**
   * Makes another app `first`, and sets the clock back: for a test that begins with nothing, at a tenth of the cost of another
   * server. Things that belong to no app stay, such as files, pages that wait to be delivered and the shares of addresses.
   */
  startOver(): Promise<void>
  /** Cuts every connection, as a server that goes away does. It answers new ones. */
  hangUp(): void
}

/** JSON, or a list of the lines of NDJSON; undefined when there is none. */
function bodyOf(text: string, headers: Headers): unknown {
  if (headers.get('content-type')?.startsWith('application/x-ndjson'))
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)
  return text === '' ? undefined : JSON.parse(text)
}

/**
 * The HTTP door on a free loopback port over a fresh database; no worker threads. `isNamed`: the setting `baseUrl` is its address at
 * `localhost`, where browsers allow what they allow to names only.
 */
export async function openTestServer({
  isNamed = false,
  ...options
}: TestAppOptions & { isNamed?: boolean } = {}): Promise<TestServer> {
  // A busy machine pauses longer than connections are kept, and a request on one that has just been closed fails.
  const server = createServer({ keepAliveTimeout: 0 })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  const named = { ...options.settings, baseUrl: `http://localhost:${port}` }
  const test = await openTestProgram(isNamed ? { ...options, settings: named } : options)
  const handler = createHandler(test.program, routes)
  const undocumented = new Set<string>()
  server.on('request', (request, response) => {
    const exchange = record(request, response)
    response.once('finish', () => {
      for (const wrong of noteAnswer(exchange, test.program.kernel.config)) undocumented.add(wrong)
    })
    handler.handle(request, response)
  })
  const began = test.clock.now()
  const agent = new Agent({ keepAlive: true })

  const opened: TestServer = {
    ...test,
    address,
    hangUp() {
      server.closeAllConnections()
      // Otherwise the next request may take one of which the end has not come yet.
      for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy()
    },
    async startOver() {
      test.clock.set(began)
      opened.first = await test.program.inTransaction((tx) => tx.apps.create({ name: 'First' }))
    },
    async call(method, path, { auth = 'server', body, headers = {} } = {}) {
      const { apiKey, serverKey, secretKey } = opened.first
      const authorization =
        auth === 'server'
          ? basic(apiKey, serverKey)
          : auth === 'device'
            ? basic(apiKey, secretKey)
            : auth === 'none'
              ? ''
              : auth
      const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array
      const answer = await ask(address + path, {
        agent,
        method: method.toUpperCase(),
        headers: {
          ...(authorization && { authorization }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: raw ? body : JSON.stringify(body),
      })
      return { status: answer.status, headers: answer.headers, body: bodyOf(answer.text, answer.headers) }
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
      await test.close()
      if (undocumented.size > 0) {
        throw new Error(`${DIFFERENT}\n${[...undocumented].join('\n')}`)
      }
    },
  }
  return opened
}
