import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Appliance, openAppliance } from '../support/appliance.ts'
import { eventually } from '../support/eventually.ts'
import { basic } from '../support/http.ts'
import { onPostgres } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { firstLine, killAll, start, temporaryDirectory } from './cli.ts'

const USERS = 500
const LINES = 300_000
const NEW_PER_ADDRESS = 80
const WRONG_KEYS = 20

/** Several nodes, each a process with a data directory of its own. */
onPostgres('what nodes on one PostgreSQL share', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  let one: Appliance

  beforeEach(async () => {
    one = await openAppliance({ kind: 'postgres' })
  })
  afterEach(async () => {
    killAll()
    await one.close()
  })
  after(end)

  function startNode(name: string, argv: string[], more: Record<string, string> = {}): ChildProcess {
    const home = join(dir, `${one.first.id}-${name}`)
    mkdirSync(home, { recursive: true })
    cpSync(join(one.dir, 'master.key'), join(home, 'master.key'))
    const env = { PATH: process.env.PATH, ...one.environment, APPSVC_WORKERS_DELIVER: '1', ...more }
    return start([...argv, '--json', '--data-dir', home], { env })
  }
  const serve = async (name: string, more: Record<string, string> = {}, ...argv: string[]) => {
    const child = startNode(name, ['serve', '--port', '0', ...argv], more)
    return { child, address: (await firstLine<{ listening: string }>(child)).listening }
  }
  const server = () => ({ authorization: basic(one.first.apiKey, one.first.serverKey) })
  const count = (table: string) =>
    one.inside(async ({ kernel: { db } }) => Number((await db.read(table).count({ n: '*' }).first())!.n))

  it('a file of subscribers that one node took is applied by another, also after kill -9 in the middle of it', async () => {
    await one.inside((program) =>
      program.kernel.db.write((trx) =>
        trx.raw(
          `INSERT INTO users (app_id, identifier, anonymous, listed, install_count, first_active, last_active, created_at, updated_at)
           SELECT ?, 'user-' || i, FALSE, FALSE, 0, 0, 0, 0, 0 FROM generate_series(1, ${USERS}) AS i`,
          [one.first.id],
        ),
      ),
    )
    const taker = await serve('taker', {}, '--no-workers')
    const post = (path: string, body: string | FormData, type?: string) =>
      fetch(`${taker.address}/messages/${path}`, {
        method: 'POST',
        headers: { ...server(), ...(type && { 'content-type': type }) },
        body,
      })
    await post('channels', JSON.stringify({ uuid: 'news', name: 'News' }), 'application/json')
    const form = new FormData()
    const text = Array.from({ length: LINES }, (_, i) =>
      i % 1000 === 7 ? `ghost-${i}\n` : `user-${1 + (i % USERS)}\n`,
    )
    form.set('file', new Blob([text.join('')], { type: 'text/csv' }), 'users.csv')
    const answer = await post('v2/channels/news/subscribers-file', form)
    expect(answer.status).to.equal(202)
    const { id } = ((await answer.json()) as { import: { id: string } }).import
    // The machine that took it is gone, with its disk.
    const gone = once(taker.child, 'exit')
    taker.child.kill('SIGKILL')
    await gone
    expect(await count('subscriber_file_slices')).to.be.greaterThan(1)

    const dying = startNode('dying', ['worker'], { APPSVC_FAILPOINTS: 'ingest.advanced:1' })
    await once(dying, 'exit')
    const stateOf = () =>
      one.inside(({ kernel: { db } }) =>
        db.read('channel_imports').first('state', 'place', 'line', 'applied', 'unknown'),
      )
    const half = await stateOf()
    expect(half).to.include({ state: 'running', line: 250_001 })
    // Its lease ends. Time passes for it alone.
    await one.inside((program) => program.kernel.db.write((trx) => trx('channel_imports').update({ lease_until: 0 })))

    const last = await serve('last')
    const seen = async () => {
      const found = await fetch(`${last.address}/messages/v2/channels/news/imports/${id}`, { headers: server() })
      return ((await found.json()) as { import: Record<string, unknown> }).import
    }
    await eventually(async () => (await seen()).state === 'done', 'the other node applies the file')
    expect(await seen()).to.include({ applied: LINES - LINES / 1000, unknown: LINES / 1000, error: null })
    expect([await count('channel_users'), await count('subscriber_file_slices')]).to.deep.equal([USERS, 0])
    for (const name of ['taker', 'dying', 'last']) {
      const uploads = join(dir, `${one.first.id}-${name}`, 'uploads')
      expect(existsSync(uploads) ? readdirSync(uploads) : []).to.deep.equal([])
    }
  })

  it('caps: what passes on both together is at most the cap, and callers far from it cost no statement', async () => {
    const settings = {
      APPSVC_TRUSTED_PROXIES: '127.0.0.0/8',
      APPSVC_LIMITS_NEW_PER_ADDRESS: String(NEW_PER_ADDRESS),
      APPSVC_LIMITS_WRONG_KEYS: String(WRONG_KEYS),
      APPSVC_HTTP_THREADS: '2',
    }
    const nodes = [await serve('a', settings), await serve('b', settings, '--no-workers')]
    const device = basic(one.first.apiKey, one.first.secretKey)
    const upload = async (call: number, from: string) => {
      const body = JSON.stringify([{ type: 'seen', uuid: `${from} ${call}`, timestamp: 1 }])
      const { status } = await fetch(`${nodes[call % 2]!.address}/v1/app-installs/${from}-${call}/events`, {
        method: 'POST',
        headers: { authorization: device, 'content-type': 'application/json', 'x-forwarded-for': from },
        body,
      })
      return status
    }
    // Each address is far from its cap.
    for (let call = 0; call < 60; call++) expect(await upload(call, `192.0.2.${call}`)).to.equal(202)
    expect(await count('cap_uses')).to.equal(0)

    /** Calls that a cap frees while these are made, on a slow machine. */
    let begun = performance.now()
    const freed = (everyMs: number) => Math.ceil((performance.now() - begun) / everyMs)
    const uploads: number[] = []
    for (let call = 0; call < 3 * NEW_PER_ADDRESS; call += 4)
      uploads.push(...(await Promise.all([0, 1, 2, 3].map((more) => upload(call + more, '198.51.100.7')))))
    expect(new Set(uploads)).to.deep.equal(new Set([202, 503]))
    expect(uploads.filter((status) => status === 202).length).to.be.within(
      NEW_PER_ADDRESS / 4,
      NEW_PER_ADDRESS + freed(3_600_000 / NEW_PER_ADDRESS),
    )

    begun = performance.now()
    const guesses: number[] = []
    for (let call = 0; call < 6 * WRONG_KEYS; call++) {
      const authorization = basic(one.first.apiKey, `wrong-${call}`)
      const headers = { authorization, 'x-forwarded-for': '203.0.113.9' }
      guesses.push((await fetch(`${nodes[call % 2]!.address}/messages/channels`, { headers })).status)
    }
    expect(new Set(guesses)).to.deep.equal(new Set([401, 429]))
    expect(guesses.filter((status) => status === 401).length).to.be.within(
      WRONG_KEYS / 4,
      WRONG_KEYS + freed(60_000 / WRONG_KEYS),
    )
    expect(await count('cap_uses')).to.be.greaterThan(1)
  })
})
