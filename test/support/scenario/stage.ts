import { Agent, createServer, request as open } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NewApp } from '../../../src/domain/apps/types.ts'
import type { SettingName } from '../../../src/platform/config/settings.ts'
import type { AskOptions, LongReads } from '../../../src/platform/long-reads/client.ts'
import { unhurried } from '../../../src/platform/long-reads/pace.ts'
import type { Program } from '../../../src/program.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { routes } from '../../../src/server/routes.ts'
import { readsOf } from '../../../src/workers/reader-thread.ts'
import { basic } from '../basic.ts'
import type { TestClock } from '../clock.ts'
import { addPerson } from '../people.ts'
import type { World } from './world.ts'

/** The stage of the scenario: a program with a world, and its door. */
export interface Stage extends Played {
  /** A number that nobody had before. */
  next(): number
  /** The number of an install, another one each time, far from the one before. */
  some(): number
  /** Calls the door; rejects when the status is not of success, or not `expect`. The parsed body, or the text. */
  call<T = Json>(method: string, path: string, how?: CallHow): Promise<T>
  close(): Promise<void>
}

export interface Played {
  program: Program
  clock: TestClock
  first: NewApp
  world: World
  /** The directory for uploads. */
  dir: string
}

export interface CallHow {
  auth?: 'server' | 'device' | 'rest' | 'person' | 'none'
  body?: unknown
  headers?: Record<string, string>
  /** The only status that will do. Without it, any below 400. */
  expect?: number
}

type Json = Record<string, unknown> & { id: number; uuid: string }

/** Limits for one address would end the scenario: here all devices share one. */
export const STAGE_SETTINGS: Partial<Record<SettingName, string>> = {
  'limits.newPerAddress': '0',
  'limits.eventsPerInstall': '0',
  'limits.newChannelsPerApp': '0',
  'links.domain': 'links.test',
}

/** Does the work of the reader thread in this one, where statements are heard. */
function readsHere(program: Program): LongReads {
  const calls = readsOf(program)
  return {
    ask: <T>(call: string, args: readonly unknown[], { seconds }: AskOptions) =>
      calls[call]!({ ...unhurried, seconds }, ...(args as never[])) as Promise<T>,
    close() {},
  }
}

/** Opens the door of a program on which the scenario can be played. */
export async function openStage(played: Played): Promise<Stage> {
  const { program, first, world } = played
  const { key } = await program.inTransaction((tx) =>
    tx.restKeys.create(first.id, { permissions: ['create', 'read', 'update', 'delete'] }),
  )
  program.kernel.longReads = readsHere(program)
  const handler = createHandler(program, routes)
  // Connections are kept while judging takes its time: the server must not close one that is just used again.
  const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  const keys = {
    server: basic(first.apiKey, first.serverKey),
    device: basic(first.apiKey, first.secretKey),
    rest: basic(key, ''),
    person: `Bearer ${(await addPerson(program)).token}`,
    none: undefined,
  }
  let count = 0

  function send(method: string, path: string, { auth = 'server', body, headers = {} }: CallHow) {
    const bytes = body === undefined || body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body))
    const authorization = keys[auth]
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>()
    const sent = open({
      agent,
      host: '127.0.0.1',
      port,
      method,
      path,
      headers: {
        ...(authorization !== undefined && { authorization }),
        ...(bytes && { 'content-type': 'application/json', 'content-length': String(bytes.length) }),
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString() })
    })
    sent.end(bytes)
    return promise
  }

  return {
    ...played,
    next: () => ++count,
    // A prime step through all numbers: neighbours in time are not neighbours in the database.
    some: () => ((++count * 7919) % world.installs) + 1,
    async call<T>(method: string, path: string, how: CallHow = {}) {
      const { status, text } = await send(method, path, how)
      if (how.expect === undefined ? status >= 400 : status !== how.expect) {
        throw new Error(`${method} ${path} answered ${status}: ${text.slice(0, 500)}`)
      }
      // NDJSON stays text, as what is no JSON at all.
      return (/^[[{]/.test(text) && !/\}\n\{/.test(text) ? JSON.parse(text) : text) as T
    },
    async close() {
      agent.destroy()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
    },
  }
}
