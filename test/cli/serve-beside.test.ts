import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

interface Ready {
  listening: string
}

describe('appsvc serve while it runs', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const serve = (...more: string[]) => start(['serve', '--port', '0', '--data-dir', data, '--json', ...more])
  const stop = async (server: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') => {
    const exit = once(server, 'exit')
    server.kill(signal)
    return exit as Promise<[number | null, string | null]>
  }
  after(() => {
    killAll()
    end()
  })

  let server: ChildProcess
  let ready: Ready
  let said = ''

  before(async () => {
    server = serve()
    for (const stream of [server.stdout!, server.stderr!]) stream.on('data', (chunk: Buffer) => (said += chunk))
    ready = await firstLine<Ready>(server)
  })

  it('its first start does not name fifty steps', async () => {
    const short = /"steps":\d+,"newest":"\d{4}_\w+","msg":"schema migrated"/
    await eventually(() => short.test(said), 'the log tells of the schema')
  })

  it('other commands work beside it', async () => {
    expect((await run(['apps', 'create', 'x', '--data-dir', data])).code).to.equal(0)
    expect((await run(['status', '--data-dir', data, '--json'])).json()).to.include({ running: true, apps: 1 })
    const queued = await run(['notify', '--data-dir', data], {
      stdin: '{"target":{"broadcast":true},"content":{"title":"T","message":"m"}}',
    })
    expect(queued.code).to.equal(0)
    expect(queued.stderr).to.not.include('No server runs')
  })

  it('keeps its schema', async () => {
    const { code, stderr } = await run(['migrate', 'down', '--yes', '--data-dir', data])
    expect(code).to.equal(69)
    expect(stderr).to.include('stop the running server first')
  })

  it('is one for each data directory', async () => {
    const second = await run(['serve', '--port', '0', '--data-dir', data, '--json'])
    expect(second.code).to.equal(69)
    expect(second.json())
      .to.have.property('error')
      .that.includes(`another appsvc serve runs on the data directory ${data}`)
  })

  it('goes on after SIGHUP, as a service does, and says in its log how settings are changed', async () => {
    server.kill('SIGHUP')
    await eventually(() => said.includes('SIGHUP'), 'the signal is in the log')
    expect(said).to.include('restart to change them')
    expect((await fetch(`${ready.listening}/healthz`)).status).to.equal(200)
  })

  it('kill -9 frees its data directory', async () => {
    await stop(server, 'SIGKILL')
    server = serve('--no-workers')
    ready = await firstLine<Ready>(server)
  })

  it('a log that nobody reads does not stop it', async () => {
    server.stdout!.destroy()
    server.stderr!.destroy()
    expect((await fetch(`${ready.listening}/nothing`)).status).to.equal(404)
    expect((await fetch(`${ready.listening}/healthz`)).status).to.equal(200)
  })

  it('a successor waits for one that is just ending', async () => {
    const next = serve('--no-workers')
    const successor = firstLine<Ready>(next)
    expect(await stop(server)).to.deep.equal([0, null])
    await successor
    server = next
  })

  it('SIGINT ends it with status 0, too', async () => {
    expect(await stop(server, 'SIGINT')).to.deep.equal([0, null])
  })
})
