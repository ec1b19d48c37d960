import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Result {
  status: number
  notification: { id: number; source: number; title: string } | null
  errors: Record<string, unknown[]> | null
  preview?: {
    recipients: number
    gateways: { platform: string; recipients: number; configured: boolean; request: { bytes: number } }[]
  }
}

const toEveryone = (title = 'Hello') => ({ target: { broadcast: true }, content: { title, message: 'text' } })
const toInstalls = (...installIds: string[]) => ({ ...toEveryone(), target: { installIds } })

describe('appsvc notify', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  const notify = (argv: string[], ...values: unknown[]) =>
    run(['notify', '--json', ...argv], {
      stdin: values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'),
    })

  before(async () => {
    await run(['apps', 'create', 'First'])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    for (const id of ['one', 'two', 'three']) await addInstall(program, 1, id, { user: `user-${id}` })
    await addInstall(program, 1, 'silent', { subscribed: false })
    await program.close()
  })
  after(end)

  it('queues one notification and says that no server runs', async () => {
    const ran = await notify([], toEveryone())
    expect(ran.code).to.equal(0)
    const result = ran.json<Result>()
    expect(result).to.have.keys('line', 'status', 'notification', 'errors')
    expect(result).to.include({ status: 202, errors: null })
    expect(result.notification).to.include({ source: 4, title: 'Hello' })
    expect(ran.stderr).to.include('sent once appsvc serve runs')
  })

  it('gives one result for each line, in order, and ends with 65 when any was refused', async () => {
    const ran = await notify(
      [],
      toEveryone('a'),
      '{bad',
      toInstalls('one', 'nobody', 'silent'),
      toInstalls('nobody'),
      { target: {} },
      7,
    )
    const results = ran.lines<Result>()
    expect(ran.code).to.equal(65)
    expect(results.map(({ status }) => status)).to.deep.equal([202, 422, 202, 400, 422, 422])
    expect(results[1]!.errors)
      .to.have.property('')
      .that.satisfies(([why]: string[]) => why!.startsWith('line 2 '))
    expect(results[2]!.errors).to.deep.equal({ unknownInstallIds: ['nobody'], unsubscribedInstallIds: ['silent'] })
    expect(results[3]).to.deep.equal({
      line: 4,
      status: 400,
      notification: null,
      errors: { unknownInstallIds: ['nobody'] },
    })
    expect(results[4]!.errors).to.include.keys('target', 'content.title', 'content.message')
    expect(results[5]!.errors).to.deep.equal({ '': ['must be an object'] })
    expect(ran.stderr).to.include('5 of 6 refused'.replace('5', '4'))
  })

  it('reads a file, and the app may be named', async () => {
    const file = join(dir, 'many.jsonl')
    writeFileSync(file, `${JSON.stringify(toEveryone())}\n${JSON.stringify(toInstalls('two'))}\n`)
    const ran = await run(['notify', file, '--app', 'First', '--json'])
    expect(ran.lines<Result>().map(({ status }) => status)).to.deep.equal([202, 202])
  })

  it('for people it prints a line for each, without letting titles play with the terminal', async () => {
    const ran = await run(['notify'], { stdin: `${JSON.stringify(toEveryone('\u001b[31mred'))}\n{bad\n` })
    expect(ran.stdout).to.match(/^202 1: notification \d+ \(\\x1b\[31mred\) is queued$/m)
    expect(ran.stdout).to.match(/^422 2: refused$/m)
    expect(ran.code).to.equal(65)
  })

  it('--dry-run says who would get it and what would be sent, and stores nothing', async () => {
    const before = await run(['notifications', 'list', '--json'])
    const ran = await notify(['--dry-run'], toInstalls('one', 'two'), toInstalls('nobody'), {})
    const [result, nobody, empty] = ran.lines<Result>()
    expect(result).to.include({ status: 202, notification: null })
    expect(result!.preview!.recipients).to.equal(2)
    expect(result!.preview!.gateways).to.have.length(1)
    expect(result!.preview!.gateways[0]).to.include({ platform: 'android', recipients: 2, configured: false })
    expect(result!.preview!.gateways[0]!.request.bytes).to.be.greaterThan(0)
    expect([nobody!.status, empty!.status]).to.deep.equal([400, 422])
    expect((await run(['notifications', 'list', '--json'])).stdout).to.equal(before.stdout)
  })

  const useless: [string, string[], string, number, RegExp][] = [
    ['no input at all', [], '', 65, /the input is empty/],
    ['a file that is not there', [join(dir, 'none')], '', 66, /there is no file/],
    ['a directory', [dir], '', 65, /is a directory/],
    ['an unknown app', ['--app', '99'], '{}', 66, /there is no app 99/],
    ['keys without an address', ['--api-key', 'x'], '{}', 64, /--url/],
    [
      'an address with one of two keys',
      ['--url', 'http://127.0.0.1:1', '--api-key', 'x'],
      '{}',
      64,
      /--url needs --api-key KEY and --server-key-file FILE/,
    ],
    [
      'an address with an app',
      ['--url', 'http://127.0.0.1:1', '--app', '1', '--api-key', 'x'],
      '{}',
      64,
      /--app cannot be combined with --url/,
    ],
    ['a dry run elsewhere', ['--url', 'http://127.0.0.1:1', '--api-key', 'x', '--dry-run'], '{}', 64, /--dry-run/],
    [
      'both from standard input',
      ['--url', 'http://127.0.0.1:1', '--api-key', 'a', '--server-key-file', '-'],
      '{}',
      64,
      /cannot be used for both/,
    ],
  ]
  for (const [what, argv, stdin, exit, sentence] of useless) {
    it(`refuses ${what} with ${exit}`, async () => {
      const { code, stderr } = await run(['notify', ...argv], { stdin })
      expect(stderr).to.match(sentence)
      expect(code).to.equal(exit)
    })
  }

  it('holds a bounded part of a long input', async () => {
    const line = `${JSON.stringify(toInstalls('one'))}\n`
    let read = 0
    let ahead = 0
    let written = 0
    const stdin = Readable.from(
      (async function* () {
        for (let i = 0; i < 1500; i++) {
          read++
          ahead = Math.max(ahead, read - written)
          yield Buffer.from(line)
        }
      })(),
      { highWaterMark: 1 },
    )
    const { runCommandLine } = await import('../../src/cli/run.ts')
    const { Writable } = await import('node:stream')
    const sink = (count: boolean) =>
      new Writable({
        write(chunk, _encoding, done) {
          if (count) written += String(chunk).split('\n').length - 1
          done()
        },
      })
    const io = { stdin, stdout: sink(true), stderr: sink(false), environment: {} }
    expect(await runCommandLine(['notify', '--json', '--data-dir', data], io)).to.equal(0)
    expect(written).to.equal(1500)
    expect(ahead).to.be.lessThan(400)
  })

  it('takes each line of a slow producer in at once and says so', async () => {
    const { runCommandLine } = await import('../../src/cli/run.ts')
    const stdin = new PassThrough()
    const stdout = new PassThrough()
    const io = { stdin, stdout, stderr: new PassThrough(), environment: {} }
    const ended = runCommandLine(['notify', '--json', '--data-dir', data], io)
    const answers = createInterface({ input: stdout })[Symbol.asyncIterator]()
    for (const line of [1, 2, 3]) {
      stdin.write(`${JSON.stringify(toInstalls('one'))}\n`)
      // The next line is written only when this one has its answer.
      const { value } = await answers.next()
      expect(JSON.parse(value!)).to.include({ line, status: 202 })
    }
    stdin.end()
    expect(await ended).to.equal(0)
  })

  it('skips the lines before --from-line', async () => {
    const ran = await notify(['--from-line', '3'], toEveryone('a'), '{bad', toEveryone('c'), toEveryone('d'))
    expect(ran.code).to.equal(0)
    expect(
      ran.lines<Result & { line: number }>().map(({ line, notification }) => [line, notification?.title]),
    ).to.deep.equal([
      [3, 'c'],
      [4, 'd'],
    ])
  })

  it('a line that is refused inside a shared transaction undoes no other', async () => {
    const values = Array.from({ length: 40 }, (_, i) =>
      i % 7 === 3 ? { ...toInstalls('one'), purpose: 'unheard-of' } : toInstalls('one'),
    )
    const ran = await notify([], ...values)
    expect(ran.lines<Result>().map(({ status }) => status)).to.deep.equal(
      values.map((v) => ('purpose' in v ? 422 : 202)),
    )
    expect(ran.code).to.equal(65)
  })

  describe('--url', () => {
    let server: TestServer
    let keyFile: string
    const there = (stdin: string, { url = server.address, apiKey = server.first.apiKey } = {}) =>
      runAnywhere(['notify', '--json', '--url', url, '--api-key', apiKey, '--server-key-file', keyFile], { stdin })

    before(async () => {
      server = await openTestServer()
      keyFile = join(dir, 'server-key')
      writeFileSync(keyFile, `${server.first.serverKey}\n`)
      await addInstall(server.program, server.first.id, 'far')
    })
    after(() => server.close())

    it('gives the same results over HTTP', async () => {
      const ran = await there(
        [toEveryone(), toInstalls('far', 'nobody'), toInstalls('nobody'), {}].map((v) => JSON.stringify(v)).join('\n'),
      )
      const results = ran.lines<Result>()
      expect(results.map(({ status }) => status)).to.deep.equal([202, 202, 400, 422])
      expect(results[0]).to.have.keys('line', 'status', 'notification', 'errors')
      expect(results[1]!.errors).to.deep.equal({ unknownInstallIds: ['nobody'] })
      expect(ran.code).to.equal(65)
      expect(ran.stderr).to.not.include('No server runs')
    })

    it('works with the address of the messages area too', async () => {
      const ran = await there(JSON.stringify(toEveryone()), { url: `${server.address}/messages/` })
      expect(ran.json<Result>().status).to.equal(202)
    })

    it('wrong keys end with 77', async () => {
      const ran = await there(JSON.stringify(toEveryone()), { apiKey: 'ak_wrong' })
      expect(ran.code).to.equal(77)
      expect(ran.stderr).to.include('refuses the keys')
    })

    it('an address that is none ends with 64, one where nothing answers with 69', async () => {
      expect((await there('{}', { url: 'nonsense' })).code).to.equal(64)
      expect((await there('{}', { url: 'ftp://127.0.0.1' })).code).to.equal(64)
      const far = await there('{}', { url: 'http://127.0.0.1:1' })
      expect(far.code).to.equal(69)
      expect(far.stderr).to.include('does not answer')
    })

    it('reads no answer without end', async () => {
      let sent = 0
      const endless = createServer((request, response) => {
        request.resume()
        response.writeHead(202, { 'content-type': 'application/json' })
        const piece = Buffer.alloc(1024 * 1024, ' ')
        const more = () => {
          while (!response.destroyed && sent < 1024) {
            sent++
            if (!response.write(piece)) return void response.once('drain', more)
          }
        }
        more()
      })
      await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
      const { port } = endless.address() as AddressInfo
      const ran = await there(JSON.stringify(toEveryone()), { url: `http://127.0.0.1:${port}` })
      endless.closeAllConnections()
      endless.close()
      expect(ran.code).to.equal(69)
      expect(ran.stderr).to.include('is not an appsvc server')
      // What it read, and what the two systems hold between them.
      expect(sent, 'MiB').to.be.below(128)
    })

    it('says how far it came when the server goes away', async () => {
      const leaving = createServer(async (request, response) => {
        const { content } = JSON.parse(await text(request)) as ReturnType<typeof toEveryone>
        if (content.title === 'second') return void request.socket.destroy()
        response.writeHead(202).end(JSON.stringify({ notification: { id: 1, status: 1, ...content }, errors: null }))
      })
      await new Promise<void>((resolve) => leaving.listen(0, '127.0.0.1', resolve))
      const values = ['first', 'second', 'third'].map((title) => JSON.stringify(toEveryone(title)))
      const { port } = leaving.address() as AddressInfo
      const ran = await there(values.join('\n'), { url: `http://127.0.0.1:${port}` })
      leaving.close()
      expect(ran.lines<Result>().map(({ status }) => status)).to.deep.equal([202, undefined])
      expect(ran.stderr).to.match(/^stopped at 2: it is unknown whether this and the following 1/m)
      expect(ran.code).to.equal(69)
    })

    describe('at something that answers', () => {
      let answers: { status: number; headers?: Record<string, string> }[]
      let asked: { path: string; key: string | undefined; authorization: string | undefined }[]
      let stand: Server
      let origin: string
      beforeEach(async () => {
        answers = []
        asked = []
        stand = createServer((request, response) => {
          const { authorization, 'idempotency-key': key } = request.headers
          asked.push({ path: request.url!, key: String(key), authorization })
          const { status, headers } = answers.shift() ?? { status: 202 }
          const accepted = { notification: { id: 1, status: 1, title: 'T' }, errors: null }
          request
            .resume()
            .once('end', () => response.writeHead(status, headers).end(JSON.stringify(status < 300 ? accepted : {})))
        })
        await new Promise<void>((resolve) => stand.listen(0, '127.0.0.1', resolve))
        origin = `http://127.0.0.1:${(stand.address() as AddressInfo).port}`
      })
      afterEach(() => {
        stand.closeAllConnections()
        stand.close()
      })

      for (const status of [301, 302, 307, 308]) {
        it(`${status} is not followed: the server key stays here`, async () => {
          let others = 0
          const other = createServer((_, response) => {
            others++
            response.writeHead(202).end(JSON.stringify({ notification: { id: 1, status: 1 }, errors: null }))
          })
          await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
          try {
            const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/elsewhere`
            answers = [{ status, headers: { location } }]
            const ran = await there(JSON.stringify(toEveryone()), { url: origin })
            expect([others, asked.length, ran.code]).to.deep.equal([0, 1, 69])
            expect(ran.stderr).to.include(`it answers ${status}`)
          } finally {
            other.closeAllConnections()
            other.close()
          }
        })
      }

      for (const status of [429, 503]) {
        it(`${status} is tried again as it asks, with the same Idempotency-Key`, async () => {
          const later = { status, headers: { 'retry-after': '0' } }
          answers = [later, later, { status: 202 }]
          const ran = await there(JSON.stringify(toEveryone()), { url: origin })
          expect([asked.length, ran.code]).to.deep.equal([3, 0])
          expect(new Set(asked.map(({ key }) => key)).size).to.equal(1)
          expect(asked[0]!.key).to.match(/^[0-9a-f-]{36}$/)
        })

        it(`${status} for ever is given up after five times, with an exit code that says so`, async () => {
          answers = Array.from({ length: 9 }, () => ({ status, headers: { 'retry-after': '0' } }))
          const ran = await there(JSON.stringify(toEveryone()), { url: origin })
          expect([asked.length, ran.code === 0]).to.deep.equal([5, false])
        })
      }
    })

    it('a server that is something else is told apart', async () => {
      const ran = await there('{}', { url: `${server.address}/nowhere` })
      expect(ran.code).to.equal(69)
      expect(ran.stderr).to.include('is not an appsvc server')
    })
  })
})
