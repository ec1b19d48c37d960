import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { dropPostgresDatabase, freshPostgresDatabase } from '../support/postgres.ts'
import { onSqliteDaily } from '../support/program.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

interface Line {
  thread?: string
  msg?: string
  path?: string
  status?: number
}

onSqliteDaily('HTTP threads', function (kind) {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  let environment: Record<string, string> = {}
  let listening: string
  let server: ChildProcess
  let data: string
  /** Calls of `/healthz` when the server started. */
  let firstCalls: number
  let appId: number
  let auth: string
  let lines: Line[]
  let n = 0

  before(async () => {
    if (kind === 'postgres') environment = { APPSVC_DATABASE_URL: await freshPostgresDatabase({ migrated: false }) }
  })
  after(async () => {
    killAll()
    if (environment.APPSVC_DATABASE_URL) await dropPostgresDatabase(environment.APPSVC_DATABASE_URL)
    end()
  })

  /** A server with an app, and two HTTP threads. */
  async function serve(more: Record<string, string>): Promise<void> {
    data = join(dir, `data${kind === 'sqlite' ? ++n : n}`)
    const env = { ...environment, APPSVC_HTTP_THREADS: '2', APPSVC_LOG_LEVEL: 'debug', ...more }
    server = start(['serve', '--no-workers', '--port', '0', '--data-dir', data, '--json'], {
      env: { PATH: process.env.PATH!, ...env },
    })
    lines = []
    let rest = ''
    server.stderr!.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n')
      rest = parts.pop()!
      for (const part of parts) if (part.startsWith('{')) lines.push(JSON.parse(part) as Line)
    })
    ;({ listening } = await firstLine<{ listening: string }>(server))
    const made = await run(['apps', 'create', `x${n}`, '--allow-duplicate', '--data-dir', data, '--json'], {
      environment,
    })
    const { id, apiKey, serverKey } = made.json<{ id: number; apiKey: string; serverKey: string }>()
    appId = id
    auth = `Basic ${btoa(`${apiKey}:${serverKey}`)}`
    // The second thread may be slower to start.
    firstCalls = (await callBoth('/healthz')).length
  }

  /** Each call has a connection of its own, so the system spreads them over the threads. */
  function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    return new Promise<{ status: number; body: string }>((resolve, reject) => {
      const asked = request(`${listening}${path}`, {
        method,
        agent: new Agent({ keepAlive: false }),
        headers: { Authorization: auth, 'Content-Type': 'application/json', ...headers },
      })
      asked.on('error', reject)
      asked.on('response', (response) => {
        text(response).then((received) => resolve({ status: response.statusCode!, body: received }), reject)
      })
      asked.end(body === undefined ? undefined : JSON.stringify(body))
    })
  }
  const threadsOf = (path: string) =>
    new Set(lines.filter((line) => line.msg === 'request' && line.path === path).map(({ thread }) => thread ?? 'main'))
  /** Calls until both threads have answered. */
  async function callBoth(path: string): Promise<number[]> {
    const statuses: number[] = []
    await eventually(async () => {
      statuses.push((await call('GET', path)).status)
      return threadsOf(path).size === 2
    }, 'both threads answered')
    return statuses
  }
  /** The path of a data table with so many records, and the headers to read it with. */
  async function makeThings(records: number) {
    const cli = (args: string[], stdin = '') => run([...args, '--data-dir', data, '--json'], { environment, stdin })
    const app = String(appId)
    const made = await cli(['tables', 'create', app, 'things', '-c', 's:string'])
    const { alias } = made.json<{ alias: string }>()
    await cli(['tables', 'import', app, 'things', '-'], '{"s":"x"}\n'.repeat(records))
    const { key } = (await cli(['keys', 'create', '--app', app, '--permissions', 'read'])).json<{ key: string }>()
    return { path: `/data/v1/data/${alias}`, headers: { Authorization: `Basic ${btoa(`${key}:`)}` } }
  }
  async function stop(): Promise<unknown> {
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    return exit
  }

  // What does not know which database there is.
  const ofTheProcess = kind === 'sqlite' ? it : () => {}

  describe('of one server', () => {
    before(() =>
      serve({
        APPSVC_LIMITS_WRONG_KEYS: '7',
        APPSVC_TRUSTED_PROXIES: '127.0.0.1',
        APPSVC_LIMITS_TABLE_SCAN: '1000',
        APPSVC_FAILPOINTS: 'reads.admitted:3:exit',
      }),
    )

    it('all answer, with health and one set of metrics', async () => {
      const health = await callBoth('/readyz')
      expect(new Set(health)).to.deep.equal(new Set([200]))
      const count = firstCalls + health.length
      await eventually(async () => {
        const { body, status } = await call('GET', '/metrics')
        expect(status).to.equal(200)
        const series = 'http_requests_total{area="none",route="health",method="get",status="200"} '
        expect(body).to.include('appsvc_worker_tick_age_seconds{worker="http-2"}')
        return Number(body.split(series)[1]?.split('\n')[0]) === count && threadsOf('/metrics').size === 2
      }, 'both threads were asked for metrics and count every call')
    })

    ofTheProcess('limit callers together', async () => {
      const wrong = { Authorization: `Basic ${btoa('name:wrong')}`, 'X-Forwarded-For': '198.51.100.7' }
      const statuses: number[] = []
      for (let i = 0; i < 30; i++) statuses.push((await call('GET', '/crm/v2/users', undefined, wrong)).status)
      await eventually(() => threadsOf('/crm/v2/users').size === 2, 'both threads answered')
      expect(statuses.filter((status) => status === 401)).to.have.length(7)
      expect(statuses.slice(7).every((status) => status === 429)).to.equal(true)
      const { body } = await call('GET', '/metrics', undefined, {})
      expect(body).to.include('appsvc_refusals_total{limit="limits.wrongKeys"} 23')
    })

    it('share one thread for long reads, which dies: its reads get 503, and another one does the next', async () => {
      const { path, headers } = await makeThings(1200)
      const answers: number[] = []
      await eventually(async () => {
        // Without an index for this order, it reads the whole table.
        const { status, body } = await call('GET', `${path}?sortBy=s&numberPerPage=1`, undefined, headers)
        answers.push(status)
        if (status === 200) expect(JSON.parse(body)).to.have.length(1)
        else expect(body).to.include('the thread for long reads has ended')
        expect(status).to.be.oneOf([200, 503])
        expect((await call('GET', '/healthz')).status).to.equal(200)
        const seen = lines.filter((line) => line.path === path)
        const kinds = new Set(seen.map(({ thread, status: given }) => `${thread ?? 'main'} ${given}`))
        return kinds.size === 4
      }, 'both threads gave both answers')
      // The third read of a thread ends it, whichever HTTP threads asked for the first two.
      expect(answers.join()).not.to.include('200,200,200')
    })

    ofTheProcess('do not share their port with another program, whether that shares its own or not', async () => {
      const begin = (port: string, threads: string) =>
        ended(
          start(['serve', '--no-workers', '--port', port, '--data-dir', join(dir, 'other')], {
            env: { PATH: process.env.PATH!, APPSVC_HTTP_THREADS: threads },
          }),
        )
      const plain = createServer().listen(0, '127.0.0.1')
      await once(plain, 'listening')
      const own = new URL(listening).port
      const others = String((plain.address() as AddressInfo).port)
      const outcomes = await Promise.all([begin(own, '2'), begin(others, '2')])
      outcomes.push(await begin(own, '1'))
      plain.close()
      for (const { code, stderr } of outcomes) {
        expect(code).to.equal(69)
        expect(stderr).to.include('another program has it').and.to.include('--port')
      }
    })

    it('finish the requests in progress when they are asked to stop', async () => {
      const { port, hostname } = new URL(listening)
      const body = JSON.stringify({ late: true })
      const answers = await Promise.all(
        Array.from({ length: 12 }, async (_, i) => {
          const socket = connect(Number(port), hostname)
          socket.write(
            `PUT /crm/v1/users/late-${i}/attributes HTTP/1.1\r\nHost: x\r\nAuthorization: ${auth}\r\n` +
              `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
          )
          const [begun] = (await once(socket, 'data')) as [Buffer]
          expect(begun.toString()).to.include('100 Continue')
          return { socket, answer: text(socket) }
        }),
      )
      const exit = once(server, 'exit')
      server.kill('SIGTERM')
      await eventually(() => lines.some(({ msg }) => msg === 'stopping'), 'it stops')
      for (const { socket } of answers) socket.write(body)
      for (const { answer } of answers) expect(await answer).to.match(/HTTP\/1\.1 20\d/)
      expect(await exit).to.deep.equal([0, null])
    })
  })

  ofTheProcess('limit connections together, and count those of a thread that ended no more', async () => {
    // The write that ends a thread is asked of the second one only: at the main thread it would end the process.
    await serve({ APPSVC_HTTP_MAX_CONNECTIONS: '10', APPSVC_FAILPOINTS: 'accept.committed:1:exit' })
    const { port, hostname } = new URL(listening)
    let asked = 0
    /** Connections that the server keeps: each has got an answer, and its path tells the thread. */
    const open = async (count: number) => {
      const kept: { socket: Socket; path: string; gone: boolean; closed: Promise<void> }[] = []
      for (let i = 0; i < count; i++) {
        const socket = connect(Number(port), hostname)
        const path = `/nothing-${++asked}`
        socket.on('error', () => {})
        const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
        const one = { socket, path, gone: false, closed: closed.then(() => void (one.gone = true)) }
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`)
        await Promise.race([new Promise((resolve) => socket.once('data', resolve)), one.closed])
        if (!one.gone) kept.push(one)
      }
      await eventually(() => kept.every(({ path }) => threadsOf(path).size === 1), 'all answers are in the log')
      return kept
    }
    const isSecond = ({ path }: { path: string }) => threadsOf(path).has('http-2')
    let first = await open(25)
    await eventually(async () => {
      expect(first).to.have.length(10)
      if (first.some(isSecond)) return true
      // All ten went to one thread.
      for (const { socket } of first) socket.destroy()
      await Promise.all(first.map(({ closed }) => closed))
      await eventually(async () => (first = await open(25)).length === 10, 'there is room')
      return false
    }, 'the second thread has a connection')
    const [last] = first.filter(isSecond)
    last!.socket.write(
      `PUT /crm/v1/users/anna/attributes HTTP/1.1\r\nHost: x\r\nAuthorization: ${auth}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 7\r\n\r\n{"a":1}',
    )
    // The thread ends: its connections break, and as many others have room.
    await Promise.all(first.filter(isSecond).map(({ closed }) => closed))
    expect(first.filter(({ gone }) => !gone)).to.deep.equal(first.filter((one) => !isSecond(one)))
    await eventually(async () => (await open(1)).length === 1, 'there is room again')
    for (const { socket } of first) socket.destroy()
    await stop()
  })

  it('lose no acknowledged write when one of them ends again and again, and the others answer', async () => {
    await serve({ APPSVC_FAILPOINTS: 'http.reports:1:exit' })
    const stored = new Map<string, number>()
    let broken = 0
    const ends = () => lines.filter(({ msg }) => msg?.startsWith('an HTTP thread ended unexpectedly')).length
    const before = ends()
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let i = 0; ends() < before + 2; i++) {
        const path = `/crm/v1/users/user-${writer}/attributes`
        const answer = await call('PUT', path, { i }).catch(() => undefined)
        if (answer === undefined) broken++
        else {
          expect(answer.status).to.be.oneOf([200, 201, 204])
          stored.set(path, i)
        }
      }
    })
    await Promise.all(writers)
    expect(stored.size).to.equal(4)
    expect(broken).to.be.below(ends() * 8)
    for (const [path, i] of stored) {
      let body = ''
      // Threads go on ending.
      await eventually(async () => {
        body = (await call('GET', path).catch(() => ({ body: '' }))).body
        return body !== ''
      }, 'the user is shown')
      const found = Number(/"i":\s*"?(\d+)/.exec(body)?.[1])
      // A write whose connection broke may have been stored, too.
      expect(found).to.be.within(i, i + broken)
    }
    await stop()
  })

  if (kind === 'postgres') return

  for (const wrong of ['0', '-1', '1000', 'x', '1.5', '']) {
    it(`cannot be ${wrong || 'nothing'}: the error names the setting and what it must be`, async () => {
      const { code, stderr } = await run(['config', 'show'], { environment: { APPSVC_HTTP_THREADS: wrong } })
      expect(code).to.equal(78)
      expect(stderr).to.include('HTTP_THREADS').and.to.include('must be auto or an integer from 1 to 64')
    })
  }
})
