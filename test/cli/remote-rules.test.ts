import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { PLACES } from '../../src/cli/remote/rights.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { COMMAND_TYPE } from '../../src/server/admin/command-request.ts'
import { commandsDirectory } from '../../src/server/admin/command-upload.ts'
import { eventually } from '../support/eventually.ts'
import { addPerson } from '../support/people.ts'
import { capture, run, temporaryDirectory } from './cli.ts'
import { commandLines } from './command-lines.ts'
import { type CommandServer, openCommandServer } from './remote-server.ts'

/** A command line as no program of ours sends it: what the server says, without its greeting. */
const sendWords = async (address: string, token: string, words: string[]) =>
  saidIn(await postWords(address, token, words))

function postWords(address: string, token: string, words: string[]): Promise<Response> {
  const terminal = { stdin: false, stdout: false, stderr: false }
  const head = { version: '1', words, terminal, variables: {}, files: [], outputs: [], answers: [] }
  const body = new FormData()
  body.set('command', new Blob([`${JSON.stringify(head)}\n`], { type: COMMAND_TYPE }), 'command')
  const headers = { authorization: `Bearer ${token}` }
  return fetch(`${address}/admin/v1/commands`, { method: 'POST', headers, body })
}

async function saidIn(answer: Response): Promise<object[]> {
  const lines = (await answer.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line) as object).slice(1)
}

const { dir, end } = temporaryDirectory()
const file = (name: string) => join(dir, name)

describe('commands from another machine', () => {
  let server: CommandServer
  let shop: number
  before(async () => {
    server = await openCommandServer(file('data'))
    shop = (await server.there(['apps', 'create', 'Shop', '--json'])).json<{ id: number }>().id
    await server.there(['apps', 'create', 'Bakery'])
    await server.there(['channels', 'create', '--app', 'Shop', 'news'])
  })
  after(async () => {
    await server.close()
    end()
  })

  const audit = async () => (await server.program.audit.list({ limit: 10 })).entries

  it('are refused with 77 and the remedy when the token is wrong', async () => {
    const { code, stderr } = await server.there(['apps', 'list'], { token: 'appsvc_pt_wrong' })
    expect(stderr).to.match(/^appsvc: http:\S+ refuses the token: run appsvc login http:\S+ again\n$/)
    expect(code).to.equal(77)
  })

  it('are refused where a right is missing: every command for somebody who has none of the app', async () => {
    const { token } = await addPerson(server.program, { roles: [{ appId: shop + 1, role: 'owner' }] })
    for (const row of commandLines({ file })) {
      const place = PLACES[row.id]!
      if (typeof place === 'string' || place.in === 'apps' || typeof row.argv === 'function') continue
      const ran = await server.there([...row.id.split(':'), ...row.argv], { token, stdin: row.stdin ?? '' })
      const expected = place.in === 'server' ? /needs the right/ : /there is no app "Shop"|there is no file/
      expect(ran.stderr, row.id).to.match(expected)
      expect(ran.stdout, row.id).to.equal('')
    }
    expect(
      (await server.there(['apps', 'list', '--json'], { token })).json<{ name: string }[]>().map(({ name }) => name),
    ).to.deep.equal(['Bakery'])
    const byId = await server.there(['apps', 'show', String(shop)], { token })
    expect(byId.stderr).to.equal(`appsvc: there is no app ${shop}: appsvc apps list shows them\n`)
  })

  it('ask for the right that the role lacks, with the roles that have it', async () => {
    const cases = [
      {
        role: 'viewer',
        argv: ['channels', 'create', '--app', 'Shop', 'x'],
        says: 'needs the right "campaign" in app 1 (marketer or owner)',
      },
      {
        role: 'marketer',
        argv: ['gateways', 'set', '--app', 'Shop', 'web'],
        says: 'needs the right "operate" in app 1 (operator or owner)',
      },
      { role: 'operator', argv: ['apps', 'delete', 'Shop', '--yes'], says: 'needs the right "own" in app 1 (owner)' },
      {
        role: 'viewer',
        argv: ['users', 'list', '--app', 'Shop'],
        says: 'shows personal data, which your role does not see',
      },
    ] as const
    for (const { role, argv, says } of cases) {
      const { token } = await addPerson(server.program, { roles: [{ appId: shop, role }] })
      const ran = await server.there([...argv], { token })
      expect(ran.stderr).to.equal(`appsvc: appsvc ${argv.slice(0, 2).join(' ')} ${says}\n`)
      expect(ran.code).to.equal(77)
    }
  })

  it('may do no more than the token: its app, its scopes, and what asks for a confirmation', async () => {
    const ofBakery = await addPerson(server.program, { tokenApp: shop + 1 })
    expect((await server.there(['apps', 'show', 'Shop'], { token: ofBakery.token })).code).to.equal(66)
    expect((await server.there(['status'], { token: ofBakery.token })).code).to.equal(77)
    const reader = await addPerson(server.program, { scopes: ['see'] })
    expect((await server.there(['channels', 'list', '--app', 'Shop'], { token: reader.token })).code).to.equal(0)
    expect(
      (await server.there(['channels', 'delete', '--app', 'Shop', 'news', '--yes'], { token: reader.token })).code,
    ).to.equal(77)
    const hasty = await addPerson(server.program, { scopes: ['see', 'campaign', 'operate', 'own'] })
    const { stderr } = await server.there(['apps', 'delete', 'Shop', '--yes'], { token: hasty.token })
    expect(stderr).to.include('needs a personal token with the scope confirmed')
  })

  it('leave a row in the audit log: each time when they change something, once an hour when they look', async () => {
    await server.there(['channels', 'update', '--app', 'Shop', 'news', '--name', 'News'])
    const [row] = await audit()
    expect(row).to.include({ action: 'channels.update', appId: shop, role: 'owner' })
    const words = ['channels', 'update', '--app', 'Shop', 'news', '--name', 'News']
    expect(row!.after).to.deep.equal({ words, exit: 0 })
    await server.there(words)
    const [again] = await audit()
    expect(again!.id).to.be.above(row!.id)
    await server.there(['channels', 'show', '--app', 'Shop', 'news'])
    const [look] = await audit()
    expect(look).to.include({ action: 'channels.show', appId: shop })
    await server.there(['channels', 'show', '--app', 'Shop', 'news'])
    expect((await audit())[0]!.id).to.equal(look!.id)
  })

  it('leave a row when they are refused, without what they would have been given, and few of them', async () => {
    const { token, id } = await addPerson(server.program, { roles: [{ appId: shop, role: 'viewer' }] })
    const notify = ['notify', file('m.json'), '--app', 'Shop', '--url', 'http://127.0.0.1:9', '--api-key', 'ak_secret']
    // The program of the caller would send that itself.
    const refused = await sendWords(server.address, token, notify)
    expect(refused).to.deep.equal([
      { err: 'appsvc: --url cannot be combined with a server on another machine\n' },
      { exit: 64 },
    ])
    const [first] = await audit()
    expect(first).to.include({ action: 'notify', adminId: id })
    expect(first!.after).to.deep.equal({
      words: ['notify', '…', '--app', '…', '--url', '…', '--api-key', '…'],
      exit: 64,
      refused: true,
    })
    await server.there(['channels', 'delete', '--app', 'Shop', 'news', '--yes'], { token })
    expect((await audit())[0]).to.include({ action: 'channels.delete', appId: shop, adminId: id })
    const rows = async () =>
      (await server.program.audit.list({ limit: 1000 })).entries.filter((one) => one.adminId === id)
    for (let i = 0; i < 120; i++)
      await sendWords(server.address, token, [
        'channels',
        'create',
        '--app',
        'Shop',
        `--x${i}`.replace(/\d/g, (n) => 'abcdefghij'[Number(n)]!),
      ])
    expect((await rows()).length).to.equal(100)
  })

  it('call no address for anybody: the keys and the address of notify are refused', async () => {
    let calls = 0
    const target = createServer((_, response) => {
      calls++
      response.end('{}')
    })
    target.listen(0, '127.0.0.1')
    await once(target, 'listening')
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`
    const people = [
      await addPerson(server.program, { roles: [] }),
      await addPerson(server.program, { roles: [{ appId: shop, role: 'viewer' }] }),
      await addPerson(server.program, { roles: [{ appId: shop + 1, role: 'owner' }] }),
      server.owner,
    ]
    for (const { token } of people) {
      for (const more of [['--api-key', 'a', '--server-key-file', 'k'], []]) {
        const said = await sendWords(server.address, token, ['notify', 'm.json', '--url', url, ...more])
        expect(said.at(-1)).to.deep.equal({ exit: 64 })
      }
    }
    target.close()
    expect(calls).to.equal(0)
  })

  it('send no push of somebody who needs a second person, nor announce a message with one', async () => {
    const { token } = await addPerson(server.program, { roles: [{ appId: shop, role: 'marketer' }] })
    await server.program.inTransaction((tx) => tx.apps.setSecondPerson(shop, true))
    const push = '{"target":{"broadcast":true},"content":{"title":"t","message":"m"}}'
    const sent = await server.there(['notify', '--app', 'Shop'], { token, stdin: push })
    expect(sent.stderr).to.include('in this app a second person approves each push')
    expect(sent.code).to.equal(77)
    await server.there(['templates', 'create', '--app', 'Shop', '--uid', 'hello', '--starter', 'welcome'])
    const message = { target: { broadcast: true }, template: 'hello', presentedWhen: 'never' }
    const announced = JSON.stringify({ ...message, notification: { title: 't', message: 'm' } })
    const inApp = await server.there(['notify', '--in-app', '--app', 'Shop', '--json'], { token, stdin: announced })
    expect(inApp.json()).to.have.property('status', 403)
    const byHttp = await fetch(`${server.address}/admin/v1/apps/${shop}/in-app-messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: announced,
    })
    expect(byHttp.status).to.equal(403)
    expect(await byHttp.json()).to.have.property('code', 'second_person')
    const later = { strategy: 'utc', sendAt: '2040-07-01 09:00', pastTimes: 'ignore' }
    const planned = JSON.stringify({ ...JSON.parse(push), schedule: later })
    const { json } = await run(['notify', '--app', 'Shop', '--data-dir', file('data'), '--json'], { stdin: planned })
    const { id } = json<{ notification: { id: number } }>().notification
    const edited = await server.there(['schedules', 'update', String(id), '--app', 'Shop', '--file', '-'], {
      token,
      stdin: '{"content":{"title":"t","message":"m"}}',
    })
    expect(edited.stderr).to.include('cancel it and ask for approval of another one')
    expect(edited.code).to.equal(77)
    const soon = await server.there(['schedules', 'send-now', String(id), '--app', 'Shop'], { token })
    expect(soon.stdout).to.equal(`Notification ${id} is being sent.\n`)
    const made = await run(['notify', '--in-app', '--app', 'Shop', '--data-dir', file('data'), '--json'], {
      stdin: JSON.stringify({ ...JSON.parse(announced), content: { Title: 'T', Text: 't' }, schedule: later }),
    })
    const { message: waits } = made.json<{ message: { id: number } }>()
    const retold = await server.there(['in-app', 'update', String(waits.id), '--app', 'Shop', '--file', '-'], {
      token,
      stdin: '{"target":{"userIds":["a"]}}',
    })
    expect(retold.stderr).to.include('take its push out of it')
    expect(retold.code).to.equal(77)
    // Without a push, and a look at what would be sent, are no send.
    const silent = await server.there(['notify', '--in-app', '--app', 'Shop', '--json'], {
      token,
      stdin: JSON.stringify(message),
    })
    expect(silent.json()).to.have.property('status').that.is.not.equal(403)
    expect((await server.there(['notify', '--dry-run', '--app', 'Shop'], { token, stdin: push })).code).to.equal(0)
    // The machine itself is no person.
    const here = await run(['notify', '--app', 'Shop', '--data-dir', file('data')], { stdin: push })
    expect(here.stderr).to.not.include('second person')
    await server.program.inTransaction((tx) => tx.apps.setSecondPerson(shop, false))
  })

  it('end when their person has no access any more', async () => {
    const { token, id } = await addPerson(server.program)
    const answer = await postWords(server.address, token, ['events', 'tail', '--app', 'Shop', '--follow'])
    await server.program.inTransaction((tx) => tx.personalTokens.endAll(id))
    const said = await saidIn(answer)
    expect(said.slice(-2)).to.deep.equal([
      { err: 'appsvc: your session, token or role has ended: sign in again\n' },
      { exit: 77 },
    ])
    await eventually(async () => (await audit())[0]!.adminId === id, 'it is noted')
    expect((await audit())[0]).to.include({ action: 'events.tail' })
    expect((await audit())[0]!.after).to.include({ exit: 77 })
  })

  it('name no user in the audit log, which outlives them', async () => {
    await server.there(['users', 'delete', 'anna@example.com', '--app=Shop', '--yes'])
    const [row] = await audit()
    expect(row).to.include({ action: 'users.delete', target: 'users delete … --app=… --yes' })
    expect(JSON.stringify(row)).to.not.include('anna')
  })

  it('read and write files of the caller only, and those that the command line names', async () => {
    const large = file('large.csv')
    writeFileSync(large, Array.from({ length: 200_000 }, (_, i) => `user-${i}@example.com`).join('\n'))
    const ran = await server.there(['channels', 'import', '--app', 'Shop', 'news', large])
    expect(ran.stdout).to.equal('0 of 200,000 lines are subscribed to news.\n')
    expect(ran.code).to.equal(65)
    const missing = await server.there([
      'segments',
      'create',
      '--app',
      'Shop',
      '--name',
      'x',
      '--filter',
      file('none.json'),
    ])
    expect(missing.stderr).to.equal(`appsvc: --filter: there is no file ${file('none.json')}\n`)
    expect(missing.code).to.equal(66)
    const folder = await server.there(['segments', 'create', '--app', 'Shop', '--name', 'x', '--filter', dir])
    expect(folder.stderr).to.equal(`appsvc: --filter: ${dir} is a directory\n`)
    await server.there(['links', 'create', '--app', 'Shop', '--fallback', 'https://example.com', '--slug', 'offer'])
    const nowhere = file('none/offer.svg')
    const unwritten = await server.there(['links', 'qr', '--app', 'Shop', 'offer', '--output', nowhere])
    expect(unwritten.stderr).to.equal(
      `appsvc: --output: ${nowhere} cannot be written: there is no directory ${file('none')}\n`,
    )
    const png = file('offer.png')
    expect((await server.there(['links', 'qr', '--app', 'Shop', 'offer', '--output', png])).code).to.equal(0)
    expect(readFileSync(png).subarray(1, 4).toString()).to.equal('PNG')
    expect(existsSync(commandsDirectory(file('data')))).to.equal(true)
  })

  it('name no files and settings of the server', async () => {
    const { code, stderr } = await server.there(['apps', 'list', '--url', server.address, '--data-dir', '/etc'])
    expect(stderr).to.equal('appsvc: --data-dir cannot be combined with --url\n')
    expect(code).to.equal(64)
    const machine = await server.there(['backup', 'x', '--url', server.address])
    expect(machine.stderr).to.equal(
      "appsvc: appsvc backup works only on the server's own machine: run it there, without --url\n",
    )
  })

  it('ask their questions here, once, and print nothing twice', async () => {
    await server.there(['channels', 'create', '--app', 'Shop', 'old'])
    for (const { answer, code, says } of [
      { answer: 'n', code: 64, says: 'nothing was done' },
      { answer: 'y', code: 0, says: undefined },
    ]) {
      const input = Object.assign(new PassThrough(), { isTTY: true })
      const [stdout, stderr] = [capture(true), capture(true)]
      const environment = {
        APPSVC_URL: server.address,
        APPSVC_TOKEN: (await addPerson(server.program)).token,
        TERM: 'dumb',
      }
      const running = runCommandLine(['channels', 'delete', '--app', 'Shop', 'old'], {
        stdin: input,
        stdout: stdout.stream,
        stderr: stderr.stream,
        environment,
      })
      await eventually(() => stderr.text().includes('[y/N]'), 'it asks')
      input.write(`${answer}\n`)
      expect(await running).to.equal(code)
      expect(stderr.text().split('Delete channel').length).to.equal(2)
      if (says) expect(stderr.text()).to.include(says)
    }
  })

  it('stop when the caller stops', async () => {
    const stdout = capture(false)
    const stderr = capture(false)
    const { token } = await addPerson(server.program)
    const others = process.listenerCount('SIGINT')
    const running = runCommandLine(['events', 'tail', '--app', 'Shop', '--follow'], {
      stdin: new PassThrough(),
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: { APPSVC_URL: server.address, APPSVC_TOKEN: token },
    })
    await eventually(() => process.listenerCount('SIGINT') > others, 'it listens')
    // Only to the command: others in this process have listeners, too.
    ;(process.listeners('SIGINT').at(-1) as (name: string, number: number) => void)('SIGINT', 2)
    expect(await running).to.equal(0)
    expect(stderr.text()).to.equal('')
  })

  it('say what is unknown when the server is gone in the middle', async () => {
    const broken = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write('{"hello":{"version":"1"}}\n{"out":"half"}\n')
        setImmediate(() => response.destroy())
      })
    })
    broken.listen(0, '127.0.0.1')
    await once(broken, 'listening')
    const url = `http://127.0.0.1:${(broken.address() as AddressInfo).port}`
    const ran = await run(['apps', 'list'], { environment: { APPSVC_URL: url, APPSVC_TOKEN: 'x' } })
    broken.close()
    expect(ran.stderr).to.match(/broke off \(.*\): it is unknown how far the command came; look before you repeat it/)
    expect(ran.code).to.equal(69)
    const none = await run(['apps', 'list'], { environment: { APPSVC_URL: url, APPSVC_TOKEN: 'x' } })
    expect(none.stderr).to.include(`${url} cannot be reached`)
  })

  it('never send a file that the command line does not name, whatever the server asks for', async () => {
    const asked: string[] = []
    const curious = createServer((request, response) => {
      request.setEncoding('utf8').on('data', (text: string) => asked.push(text))
      request.on('end', () => response.end('{"want":{"file":"/etc/passwd"}}\n'))
    })
    curious.listen(0, '127.0.0.1')
    await once(curious, 'listening')
    const url = `http://127.0.0.1:${(curious.address() as AddressInfo).port}`
    const ran = await run(['apps', 'list'], { environment: { APPSVC_URL: url, APPSVC_TOKEN: 'x' } })
    curious.close()
    expect(ran.stderr).to.include('the server asks for the file /etc/passwd, which the command line does not name')
    expect(asked.join('')).not.to.include('root:')
  })

  it('say that another version may lack a command', async () => {
    const older = createServer((request, response) => {
      request
        .resume()
        .on('end', () =>
          response.end('{"hello":{"version":"0.0.1"}}\n{"err":"appsvc: there is no command x\\n"}\n{"exit":64}\n'),
        )
    })
    older.listen(0, '127.0.0.1')
    await once(older, 'listening')
    const url = `http://127.0.0.1:${(older.address() as AddressInfo).port}`
    const ran = await run(['apps', 'list'], { environment: { APPSVC_URL: url, APPSVC_TOKEN: 'x' } })
    older.close()
    expect(ran.stderr).to.match(/there is no command x\nThe server runs appsvc 0\.0\.1, and this is \S+\.\n$/)
  })

  it('say in plain words what is wrong with an address or a token', async () => {
    const sorry = createServer((_, response) => response.end('<!doctype html>'))
    sorry.listen(0, '127.0.0.1')
    await once(sorry, 'listening')
    const { port } = sorry.address() as AddressInfo
    const saidOf = async (url: string, token = 'x') => {
      writeFileSync(file('token'), token)
      const { stderr } = await run(['login', url, '--token-file', file('token')], {
        environment: { XDG_CONFIG_HOME: file('nowhere') },
      })
      return stderr.trim()
    }
    const said = [
      await saidOf(`http://127.0.0.1:${port}`),
      await saidOf(`https://127.0.0.1:${port}`),
      await saidOf(`http://127.0.0.1:${port}`, 'one\ntwo'),
      await saidOf(`${server.address}/console/apps/1`, 'appsvc_pt_wrong'),
    ]
    sorry.close()
    sorry.closeAllConnections()
    expect(said).to.deep.equal([
      `appsvc: http://127.0.0.1:${port} does not answer like an appsvc server: check the address`,
      `appsvc: https://127.0.0.1:${port} cannot be reached: it speaks no TLS there; http:// is for this machine only`,
      'appsvc: the token must be one word, as the console showed it: appsvc_pt_…',
      `appsvc: ${server.address} refuses the token: run appsvc login ${server.address} again`,
    ])
  })

  describe('with a login', () => {
    const environment = { XDG_CONFIG_HOME: file('config') }
    const stored = file('config/appsvc/servers.json')
    before(() => mkdirSync(file('config')))

    it('is stored for its owner only, shown by whoami, used by commands, and forgotten', async () => {
      const { token, email } = await addPerson(server.program)
      const login = await run(['login', server.address], { environment, stdin: `${token}\n` })
      expect(login.stderr).to.equal('')
      expect(login.stdout)
        .to.match(/^You are signed in to http:\S+ as Person \d+; the token is in /)
        .and.not.include(token)
      expect(statSync(stored).mode & 0o777).to.equal(0o600)
      expect((await run(['whoami', '--json'], { environment })).json()).to.include({ url: server.address, email })
      expect((await run(['apps', 'list'], { environment })).stdout).to.include('Shop')
      const local = await run(['apps', 'list', '--data-dir', file('nothing')], { environment })
      expect(local.stderr).to.include('there is no database in')
      chmodSync(stored, 0o644)
      expect((await run(['apps', 'list'], { environment })).stderr).to.include('chmod 600')
      chmodSync(stored, 0o600)
      expect((await run(['logout'], { environment })).code).to.equal(0)
      expect(readFileSync(stored, 'utf8')).not.to.include(token)
      expect((await run(['logout'], { environment })).code).to.equal(66)
    })

    it('is refused for a wrong token and for an address on which others could read it', async () => {
      const wrong = await run(['login', server.address], { environment, stdin: 'appsvc_pt_wrong' })
      expect(wrong.code).to.equal(77)
      const plain = await run(['login', 'http://push.example.com'], { environment, stdin: 'x' })
      expect(plain.stderr).to.include('must begin with https://')
      expect(plain.code).to.equal(64)
    })

    it('is asked for when there is none', async () => {
      const { code, stderr } = await run(['apps', 'list', '--url', 'https://push.example.com'], { environment })
      expect(stderr).to.equal(
        'appsvc: there is no token for https://push.example.com: run appsvc login https://push.example.com, or set APPSVC_TOKEN_FILE\n',
      )
      expect(code).to.equal(77)
    })
  })
})
