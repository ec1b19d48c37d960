import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { ended, firstLine, killAll, start } from '../cli/cli.ts'
import {
  type Appliance,
  endPauses,
  openAppliance,
  type Report,
  receptions,
  tokensOf,
  trouble,
} from '../support/appliance.ts'
import { many, reaches } from '../support/depth.ts'
import { eventually } from '../support/eventually.ts'
import { basic } from '../support/http.ts'
import { needs } from '../support/needs.ts'
import { openPostgresPair, type PostgresPair } from '../support/postgres-pair.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { openProxy, type Proxy } from '../support/proxy.ts'

const ANDROIDS = 400
const CHUNK = 50
/** One lane and one sending thread: at most two chunks are begun and not recorded (docs/reference/promises.md). */
const IN_DOUBT = 2 * CHUNK
const ROUNDS = many(1, { long: 6 })
/** The time (ms) for which a node is frozen or cut off. In the long run leases end meanwhile. */
const AWAY_MS = many(2000, { long: 60_000 })
/** The time (ms) in which what is wrong must be said. */
const SAID_MS = 60_000
const LEASE_MS = 30_000

/** One of the nodes. Its way to the database can be cut. */
interface Node {
  name: string
  proxy: Proxy
  environment: Record<string, string>
  child?: ChildProcess
  address: string
  id: string
}

// Many programs and a minute of waiting: not in the daily run.
if (reaches('whole'))
  onPostgres('three nodes in a bad hour', function () {
    this.timeout(reaches('long') ? 3 * PROGRAMS_MS : PROGRAMS_MS)
    let pair: PostgresPair
    let one: Appliance
    let nodes: Node[]
    /** Channels whose creation was answered with 2xx, and those that were asked for. */
    const stored: string[] = []

    before(async function () {
      const library = needs(this, 'libfaketime')
      pair = await openPostgresPair({ synchronous: false })
      const environment = {
        APPSVC_DELIVERY_CHUNK: String(CHUNK),
        APPSVC_DELIVERY_PAGE_SIZE: '100',
        APPSVC_WORKERS_DELIVER: '1',
      }
      one = await openAppliance({ androids: ANDROIDS, url: pair.primary, environment })
      const wrongClock = {
        LD_PRELOAD: library,
        FAKETIME: '+90s',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      }
      nodes = []
      for (const name of ['first', 'second', 'third']) {
        const proxy = await openProxy(pair.primary)
        nodes.push({ name, proxy, environment: name === 'third' ? wrongClock : {}, address: '', id: '' })
      }
      for (const node of nodes) await begin(node)
    })

    after(async () => {
      killAll()
      await one?.close()
      for (const { proxy } of nodes ?? []) await proxy.close()
      await pair?.close()
    })

    async function begin(node: Node): Promise<void> {
      const known = new Set((await one.inside((program) => program.nodes.list())).map(({ id }) => id))
      const env = {
        PATH: process.env.PATH,
        ...one.environment,
        ...node.environment,
        APPSVC_DATABASE_URL: node.proxy.url,
      }
      node.child = start(['serve', '--port', '0', '--json', '--data-dir', one.dir], { env })
      node.address = (await firstLine<{ listening: string }>(node.child)).listening
      const list = await one.inside((program) => program.nodes.list())
      node.id = list.find(({ id }) => !known.has(id))!.id
    }

    /** Frees what a node had claimed, as its lease ends by itself in the long run. */
    async function endLeases({ id }: Node): Promise<void> {
      await one.inside(({ kernel: { db } }) =>
        db.write((trx) =>
          trx('pages').where({ state: 'claimed' }).where('owner', 'like', `${id}/%`).decrement('lease_until', LEASE_MS),
        ),
      )
    }

    const headers = () => ({
      authorization: basic(one.first.apiKey, one.first.serverKey),
      'content-type': 'application/json',
    })

    /** Asks one node after the other until one answers with 2xx: what a client behind a balancer does. */
    async function ask(method: string, path: string, body?: object, first = 0): Promise<unknown> {
      let answer: unknown
      let turn = first
      const key = crypto.randomUUID()
      await eventually(async () => {
        const { address } = nodes[turn++ % nodes.length]!
        try {
          const response = await fetch(address + path, {
            method,
            headers: { ...headers(), ...(method === 'POST' && { 'idempotency-key': key }) },
            ...(body && { body: JSON.stringify(body) }),
            signal: AbortSignal.timeout(10_000),
          })
          answer = response.ok ? await response.json() : undefined
          return response.ok
        } catch {
          return false
        }
      }, `${method} ${path}`)
      return answer
    }

    async function broadcast(): Promise<number> {
      const content = { title: 'Title', message: 'Message' }
      const answer = await ask('POST', '/messages/v2/notifications', { target: { broadcast: true }, content })
      return (answer as { notification: { id: number } }).notification.id
    }

    async function createChannel(): Promise<void> {
      const uuid = `channel-${stored.length}`
      await ask('POST', '/push/channels', { uuid, name: uuid }, stored.length)
      stored.push(uuid)
    }

    /** The words of a node about itself; undefined when it does not answer. */
    async function ready({ address }: Node): Promise<string | undefined> {
      return fetch(`${address}/readyz`, { signal: AbortSignal.timeout(5000) })
        .then((response) => response.text())
        .catch(() => undefined)
    }

    async function isSaid(node: Node, what: RegExp): Promise<void> {
      const began = performance.now()
      await eventually(async () => what.test((await ready(node)) ?? ''), `the ${node.name} node says ${what}`)
      if (reaches('long')) expect(performance.now() - began, String(what)).to.be.below(SAID_MS)
    }

    /**
     * Sends a broadcast, harms the nodes when it has begun, and waits until everybody has it. `crashes`: how many nodes
     * left something in doubt.
     */
    async function sendThrough(crashes: number, harm: () => Promise<void>): Promise<void> {
      // The gateway takes its time for some, so that they are in doubt.
      await one.sandbox.setPlan(trouble({ delayMs: 500 }, { on: 'fcm', after: ANDROIDS / 5 }))
      const begun = one.message(ANDROIDS / 5 + 20)
      const id = await broadcast()
      await begun
      const writing = Promise.all([createChannel(), sleep(1)])
      await harm()
      await one.sandbox.setPlan({})
      await writing
      await createChannel()
      let report: Report | undefined
      await eventually(async () => {
        await endPauses(one)
        report = (await ask('GET', `/messages/v2/notifications/${id}`)) as Report
        return report.status > 2
      }, 'it is sent')
      expect(report!.counts).to.deep.include({ audience: ANDROIDS, accepted: ANDROIDS, failed: 0, unknown: 0 })
      const { lost, extra } = receptions(one.sandbox, tokensOf(ANDROIDS), id)
      expect(lost, 'lost').to.equal(0)
      expect(extra, 'sent again').to.be.at.most(crashes * IN_DOUBT)
    }

    it('says that a clock is 90 s off, and sends with the others', async () => {
      await isSaid(nodes[2]!, /clock/)
      await sendThrough(0, async () => {})
    })

    for (let round = 1; round <= ROUNDS; round++) {
      it(`loses nothing when a node is frozen, and nothing of it is lost when it wakes (round ${round})`, async () => {
        const [frozen] = nodes as [Node]
        await sendThrough(1, async () => {
          frozen.child!.kill('SIGSTOP')
          await sleep(AWAY_MS)
          await endLeases(frozen)
          await createChannel()
          frozen.child!.kill('SIGCONT')
        })
        await isSaid(frozen, /ready/)
      })

      it(`loses nothing when a node is killed (round ${round})`, async () => {
        const killed = nodes[1]!
        await sendThrough(1, async () => {
          killed.child!.kill('SIGKILL')
          await ended(killed.child!)
          await endLeases(killed)
          await begin(killed)
        })
      })

      it(`loses nothing when PostgreSQL ends and starts again (round ${round})`, async () => {
        await sendThrough(nodes.length, () => pair.restartPrimary())
        for (const node of nodes.slice(0, 2)) await isSaid(node, /"ready"/)
      })

      it(`says that its database is away when it is cut off, and goes on when it is back (round ${round})`, async () => {
        const [cut] = nodes as [Node]
        await sendThrough(1, async () => {
          await cut.proxy.cut()
          await isSaid(cut, /database/)
          await sleep(AWAY_MS)
          await endLeases(cut)
          await cut.proxy.mend()
        })
        await isSaid(cut, /"ready"/)
      })
    }

    it('has every write that was answered', async () => {
      const known = new Set(await one.inside(({ kernel: { db } }) => db.read('channels').pluck('uuid')))
      expect(stored.filter((uuid) => !known.has(uuid))).to.deep.equal([])
    })
  })
