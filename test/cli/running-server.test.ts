import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { many } from '../support/depth.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { ended, firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

describe('commands beside a server', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(killAll)
  after(end)

  const environmentOf = (stdout: string) =>
    Object.fromEntries(
      stdout
        .trim()
        .split('\n')

        .map((line) => line.replaceAll("'", '').split('=')),
    )
  const created = async (data: string, name: string) => {
    const { code, stdout, stderr } = await run(['apps', 'create', name, '--env', '--data-dir', data])
    expect([code, stderr]).to.deep.equal([0, stderr])
    return environmentOf(stdout)
  }

  it('know the address that it got by flags, and forget it when it ends, also by a kill', async () => {
    const data = join(dir, 'address')
    const server = start(['serve', '--port', '0', '--no-workers', '--json', '--data-dir', data])
    const { listening } = await firstLine<{ listening: string }>(server)
    const { port } = new URL(listening)
    const first = await created(data, 'one')
    expect(first.APPSVC_URL).to.equal(listening)
    expect(first.APPSVC_LINK_HOST).to.match(new RegExp(`\\.localhost:${port}$`))
    const invited = await run(['admins', 'create', 'ann@example.com', '--role', 'owner', '--data-dir', data])
    expect(invited.stdout, 'the address of the invitation').to.match(new RegExp(`http://[a-z0-9.]+:${port}/`))
    const killed = ended(server)
    server.kill('SIGKILL')
    await killed
    const file = join(data, 'server.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.include({ pid: server.pid })
    expect((await created(data, 'two')).APPSVC_URL).to.equal('http://127.0.0.1:8080')
    // The number of a process is used again.
    const told = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...told, pid: process.pid }))
    expect((await created(data, 'three')).APPSVC_URL).to.equal('http://127.0.0.1:8080')
    for (const broken of ['', '{', '[]', 'null', '{"pid":1}', `{"pid":${process.pid},"address":{}}`]) {
      writeFileSync(file, broken)
      expect((await created(data, `with ${broken}`)).APPSVC_URL, broken).to.equal('http://127.0.0.1:8080')
    }
    rmSync(file)
    const again = start(['serve', '--port', '0', '--no-workers', '--json', '--data-dir', data])
    await firstLine(again)
    const stopped = ended(again)
    again.kill('SIGTERM')
    expect((await stopped).code).to.equal(0)
    expect(() => readFileSync(file), 'an orderly end removes it').to.throw('ENOENT')
  })

  it('read its settings, so that the doctor and the health of the console find the same', async () => {
    const data = join(dir, 'sandbox')
    const flags = ['--data-dir', data]
    const server = start(['serve', '--demo', '--port', '0', '--json', ...flags])
    const { app } = await firstLine<{ app: { id: number } }>(server)
    const found = await run(['doctor', '--json', ...flags])
    const verdict = JSON.parse(found.stdout)
    const wrong = verdict.findings.filter(({ level }: { level: string }) => level === 'error' || level === 'warning')
    const byMachine = new Set(['limits', 'disk', 'clock', 'time-zones'])
    expect(wrong.filter(({ check }: { check: string }) => !byMachine.has(check))).to.deep.equal([])
    expect(found.code).to.equal(verdict.errors > 0 ? 78 : 0)
    expect(verdict.findings.map(({ what }: { what: string }) => what).join('\n'))
      .to.include('the settings of the running server are valid')
      .and.include('app 1 android: FCM accepts the service account')
    expect((await run(['gateways', 'check', '--app', String(app.id), ...flags])).code).to.equal(0)
    server.kill('SIGKILL')
  })

  it('wait for the first start of a server, whatever it has made so far', async () => {
    for (let round = 0; round < many(1, { whole: 2, long: 10 }); round++) {
      const data = join(dir, `first-${round}`)
      const server = start(['serve', '--port', '0', '--no-workers', '--json', '--data-dir', data])
      const ready = firstLine(server)
      const command = () => ended(start(['apps', 'create', 'x', '--allow-duplicate', '--json', '--data-dir', data]))
      // Some before there is anything, some while it migrates, some behind it.
      const commands = [command(), command()]
      await Promise.race([ready, commands[0]])
      commands.push(command())
      for (const { code, stderr } of await Promise.all(commands)) expect([code, stderr]).to.deep.equal([0, stderr])
      expect(await ready).to.include({ database: 'sqlite' })
      server.kill('SIGKILL')
    }
  })
})
