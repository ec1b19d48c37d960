import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addTemplates, addUser, inAppBody } from '../support/in-app.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

interface Message {
  id: number
  status: number
  template: string
  nextAt?: string
}

interface Result {
  status: number
  message: Message | null
  errors: Record<string, unknown[]> | null
  preview?: { recipients: number; first: string[]; pushes: number; content: object }
}

const body = (extra: object = {}) => JSON.stringify(inAppBody(extra))
const HELLO = { template: 'hello', content: { Name: 'Ann' } }

describe('appsvc notify --in-app and in-app', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], options?: RunOptions) => runAnywhere([...argv, '--data-dir', data], options)
  const notify = (argv: string[], ...values: string[]) =>
    run(['notify', '--in-app', '--json', ...argv], { stdin: values.join('\n') })

  before(async () => {
    await run(['apps', 'create', 'First'])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    const test = { program, clock: program.kernel.clock, first: { id: 1 } }
    await addTemplates(test)
    for (const name of ['ann', 'bob']) await addUser(test, name, { subscribed: true })
    await addUser(test, 'off', { enabled: false })
    await program.close()
  })
  after(end)

  it('queues messages, and gives one result for each line', async () => {
    const ran = await notify(
      [],
      body(HELLO),
      '{bad',
      body({ target: { userIds: ['ann', 'nobody'] } }),
      body({ target: { userIds: ['off'] } }),
      body({ template: 'gone' }),
      body({ template: 'hello' }),
    )
    const results = ran.lines<Result>()
    expect(ran.code).to.equal(65)
    expect(results.map(({ status }) => status)).to.deep.equal([202, 422, 202, 400, 404, 422])
    expect(results[0]).to.have.keys('line', 'status', 'message', 'errors')
    expect(results[0]!.message).to.include({ template: 'hello', status: 1 })
    expect(results[2]!.errors).to.deep.equal({ unknownUserIds: ['nobody'] })
    expect(results[3]).to.deep.equal({ line: 4, status: 400, message: null, errors: { unsubscribedUserIds: ['off'] } })
    expect(results[4]!.errors).to.deep.equal({ '': ['there is no template "gone"'] })
    expect(results[5]!.errors).to.include.keys('content', 'content.Name')
    expect(ran.stderr).to.include('4 of 6 refused')
  })

  it('for people it prints a line for each', async () => {
    const ran = await run(['notify', '--in-app'], { stdin: `${body()}\n${body({ target: { userIds: ['off'] } })}` })
    expect(ran.stdout).to.match(/^202 1: in-app message \d+ \(plain\) is queued$/m)
    expect(ran.stdout).to.match(/^400 2: none of the named recipients can get it$/m)
    const schedule = { sendAt: '2099-01-01 09:00', strategy: 'utc', pastTimes: 'ignore' }
    const later = await run(['notify', '--in-app'], { stdin: body({ schedule, target: { userIds: ['ann'] } }) })
    expect(later.stdout).to.match(/^202 1: in-app message \d+ \(plain\) is scheduled$/m)
  })

  it('--dry-run says who would get it and what devices would show, and stores nothing', async () => {
    const before = await run(['in-app', 'list', '--json'])
    const notification = { title: 'T', message: 'M' }
    const named = { userIds: ['ann'], installIds: ['ann-phone', 'bob-phone'] }
    const ran = await notify(['--dry-run'], body({ ...HELLO, notification }), body({ target: named }), '{}')
    const [everyone, some, empty] = ran.lines<Result>()
    expect(everyone).to.deep.include({ status: 202, message: null })
    expect(everyone!.preview).to.deep.equal({
      recipients: 2,
      first: ['ann', 'bob'],
      pushes: 2,
      confirm: null,
      content: { ver: 1, frame: { type: 'alert', nodes: [{ type: 'heading', text: 'Hello Ann' }] } },
    })
    expect(some!.preview).to.include({ recipients: 2, pushes: 0 })
    expect(empty!.status).to.equal(422)
    const words = await run(['notify', '--in-app', '--dry-run'], { stdin: body(HELLO) })
    expect(words.stdout).to.include('2 users (ann, bob)').and.to.include('"Hello Ann"')
    expect((await run(['in-app', 'list', '--json'])).stdout).to.equal(before.stdout)
  })

  it('lists, shows and withdraws messages', async () => {
    const { message } = (await notify([], body(HELLO))).json<Result>()
    const id = String(message!.id)
    const { messages } = (await run(['in-app', 'list', '--limit', '1', '--json'])).json<{ messages: Message[] }>()
    expect(messages).to.have.lengthOf(1)
    const { nextAt, ...listed } = messages[0]!
    expect(listed).to.deep.equal({ ...message, title: 'Hello Ann' })
    expect(nextAt).to.be.a('string')
    expect((await run(['in-app', 'list'])).stdout).to.match(new RegExp(`^\\s*${id}\\s+queued\\s+hello`, 'm'))
    const shown = await run(['in-app', 'show', id])
    expect(shown.stdout).to.match(/template\s+hello \(version 1\)/)
    expect(shown.stdout).to.match(/expires\s+1 day after delivery/)
    expect((await run(['in-app', 'show', id, '--json'])).json()).to.have.property('presentedWhen', 'immediately')
    expect((await run(['in-app', 'withdraw', id])).stdout).to.equal(`In-app message ${id} is withdrawn.\n`)
    expect((await run(['in-app', 'withdraw', id, '--json'])).json()).to.deep.equal({ id: message!.id, withdrawn: true })
    expect((await run(['in-app', 'show', id])).stdout).to.match(/state\s+withdrawn/)
  })

  it('updates one that is scheduled, sends it now, and says when it is too late', async () => {
    const schedule = { sendAt: '2040-07-01 09:00', strategy: 'local', pastTimes: 'ignore' }
    const { message } = (await notify([], body({ ...HELLO, schedule }))).json<Result>()
    const id = String(message!.id)
    const update = (change: unknown, ...more: string[]) =>
      run(['in-app', 'update', id, '--file', '-', ...more], { stdin: JSON.stringify(change) })
    const edited = await update({ content: { Name: 'Bob' }, schedule: { ...schedule, sendAt: '2040-07-02 09:00' } })
    expect(edited.stdout).to.equal(`In-app message ${id} is edited: it is due 2040-07-02 09:00 local.\n`)
    const json = await update({ labels: ['x'] }, '--json')
    expect(json.json()).to.deep.include({ title: 'Hello Bob', labels: ['x'] })
    expect((await run(['in-app', 'show', id])).stdout).to.match(/edited +\d{4}-/)
    const wrong = await update({ contents: {} })
    expect(wrong.code).to.equal(65)
    expect(wrong.stderr).to.include('contents is no key of the request of an in-app message')
    expect((await update([])).stderr).to.include('one JSON object')
    const nobody = await update({ target: { installIds: ['gone'] } })
    expect(nobody.stderr).to.include(`nobody that the target names can get it: in-app message ${id} is unchanged`)
    await run(['apps', 'restrain', '1', '--confirm-above', '1'])
    const change = { content: { Name: 'Eve' } }
    expect((await update(change)).stderr).to.include('confirm must be the number of recipients or more: at least 2')
    expect((await update(change, '--confirm', '2')).code).to.equal(0)
    await run(['apps', 'restrain', '1', '--confirm-above', 'off'])
    expect((await run(['in-app', 'send-now', id])).stdout).to.equal(`In-app message ${id} is being sent.\n`)
    const again = await run(['in-app', 'send-now', id])
    expect(again.code).not.to.equal(0)
    expect(again.stderr).to.include(`in-app message ${id} is not scheduled and cannot be edited`)
  })

  it('says that there is no such message, or that this is no number', async () => {
    for (const verb of ['show', 'withdraw']) {
      expect((await run(['in-app', verb, '999'])).code).to.equal(66)
      const { code, stderr } = await run(['in-app', verb, 'x'])
      expect(code).to.equal(64)
      expect(stderr).to.include('"x" is not the id of an in-app message')
    }
  })

  describe('against a server', () => {
    let server: TestServer
    before(async () => {
      server = await openTestServer()
      await addTemplates(server)
      await addUser(server, 'ann')
    })
    after(() => server.close())

    it('gives the same results over HTTP', async () => {
      const keyFile = join(dir, 'key.txt')
      writeFileSync(keyFile, server.first.serverKey)
      const keys = ['--api-key', server.first.apiKey, '--server-key-file', keyFile]
      const ran = await notify(
        ['--url', server.address, ...keys],
        body(HELLO),
        body({ target: { userIds: ['nobody'] } }),
        body({ template: 'gone' }),
      )
      const results = ran.lines<Result>()
      expect(results.map(({ status }) => status)).to.deep.equal([202, 400, 404])
      expect(results[0]!.message).to.include({ template: 'hello' })
      expect(results[1]).to.deep.equal({ line: 2, status: 400, message: null, errors: { unknownUserIds: ['nobody'] } })
      expect(results[2]!.errors).to.deep.equal({ '': ['there is no template "gone"'] })
    })
  })

  it('shows a message as one user would get it, and warns of braces that would be read', async () => {
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    await program.inTransaction((tx) => tx.crm.putAttributes(1, 'ann', { name: 'Ann' }))
    await program.close()
    const personal = { template: 'hello', personalize: {}, content: { Name: '{{ user.attributes.name }}' } }
    const preview = (argv: string[], value: string) => run(['in-app', 'preview', '-', ...argv], { stdin: value })
    const shown = await preview(['--user', 'ann'], body(personal))
    expect(shown.code).to.equal(0)
    expect(shown.stdout).to.contain('Hello Ann')
    const none = await preview(['--user', 'bob'], body(personal))
    expect(none.code).to.equal(65)
    expect(none.stdout).to.contain('user.attributes.name').and.contain('would get nothing')
    expect((await preview(['--user', 'nobody'], body(personal))).code).to.equal(66)
    expect((await preview([], body(personal))).stdout).to.contain('Hello {{ user.attributes.name }}')
    const plain = await preview([], body({ ...HELLO, content: { Name: '{{ user.attributes.name }}' } }))
    expect(plain.stderr).to.contain('content.Name looks like a template text')

    const words = await run(['notify', '--in-app', '--dry-run'], { stdin: body(personal) })
    expect(words.stdout)
      .to.include('  looked at 2 recipients\n')
      .and.include('    user.attributes.name is missing for 1 of 2\n')
    const [covered] = (await notify(['--dry-run'], body(personal))).lines<{ preview: { personalization: object } }>()
    expect(covered!.preview.personalization).to.include({ sampled: 2, skipped: 1, tooLarge: 0 })

    const [tried] = (await notify(['--dry-run'], body(personal))).lines<Result & { preview: { as: object } }>()
    expect(tried!.preview.as).to.deep.equal({ user: 'ann', language: null, missing: [] })
    expect(JSON.stringify(tried!.preview.content)).to.contain('Hello Ann')
  })
})
