import { type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { reaches } from '../support/depth.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

interface Ready {
  listening: string
  pid: number
  dataDir: string
}

describe('appsvc serve', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  let n = 0
  const fresh = () => join(dir, `data${++n}`)
  const stop = async (server: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') => {
    const exit = once(server, 'exit')
    server.kill(signal)
    return exit as Promise<[number | null, string | null]>
  }
  after(() => {
    killAll()
    end()
  })

  it('needs no configuration, says where it listens, and SIGTERM ends it with status 0', async () => {
    const data = fresh()
    const server = start(['serve', '--port', '0', '--data-dir', data, '--json'])
    const ready = await firstLine<Ready>(server)
    expect(ready).to.include({ dataDir: data, workers: true, database: 'sqlite' })
    expect((await fetch(`${ready.listening}/healthz`)).status).to.equal(200)
    expect((await fetch(`${ready.listening}/readyz`)).status).to.equal(200)
    const waiting = fetch(`${ready.listening}/healthz`).catch(() => {})
    expect(await stop(server)).to.deep.equal([0, null])
    await waiting
  })

  // Threads that other tests start in their own process are from the sources always. How it ends is not asked: while a starved machine still loads
  // the threads from the sources, the limit of the shutdown passes.
  if (reaches('whole')) {
    it('starts from the sources, too', async () => {
      const server = start(['serve', '--port', '0', '--data-dir', fresh(), '--json'], { fromSources: true })
      const ready = await firstLine<Ready>(server)
      expect((await fetch(`${ready.listening}/readyz`)).status).to.equal(200)
      await stop(server, 'SIGKILL')
    })
  }

  it('a port that somebody has ends it with 69 and the flag to use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    const data = fresh()
    const { code, stderr } = await run(['serve', '--port', String(port), '--data-dir', data])
    other.close()
    expect(code).to.equal(69)
    expect(stderr).to.include('--port')
    expect(existsSync(join(data, 'master.key')) || existsSync(join(data, 'appsvc.sqlite'))).to.equal(false)
  })
})
