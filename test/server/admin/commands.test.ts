import { existsSync, readdirSync } from 'node:fs'
import { expect } from 'chai'
import { COMMAND_TYPE, MAX_FILES_SIZE } from '../../../src/server/admin/command-request.ts'
import { takeRoom } from '../../../src/server/admin/command-room.ts'
import { offerCommands } from '../../../src/server/admin/command-runner.ts'
import { commandsDirectory, receiveCommand } from '../../../src/server/admin/command-upload.ts'
import { eventually } from '../../support/eventually.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

const MIB = 1024 * 1024

/** Requests of the command line of another machine, without it: test/cli/remote.test.ts has both ends. */
describe('commands from another machine', () => {
  let test: TestServer
  let owner: TestPerson

  beforeEach(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
  })
  afterEach(() => test.close())

  const HEAD = {
    version: '0.1.0',
    words: ['apps', 'list'],
    terminal: { stdin: false, stdout: false, stderr: false },
    variables: {},
    files: [],
    outputs: [],
    answers: [],
  }
  const send = (head: object = HEAD, as?: Record<string, string>) => {
    const form = new FormData()
    form.set('command', new Blob([`${JSON.stringify(head)}\n`], { type: COMMAND_TYPE }), 'command')
    const headers = as ?? { authorization: `Bearer ${owner.token}` }
    return fetch(`${test.address}/admin/v1/commands`, { method: 'POST', headers, body: form })
  }

  it('are refused by a server that was started without them', async () => {
    expect((await send()).status).to.equal(503)
  })

  it('say what they print, line by line, and need a first line that makes sense', async () => {
    offerCommands(test.program, async ({ command, say }) => {
      await say({ out: command.request.words.join(' ') })
      await say({ exit: 0 })
    })
    const answer = await send()
    expect(answer.status).to.equal(200)
    const lines = (await answer.text()).trimEnd().split('\n')
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).to.deep.equal([{ out: 'apps list' }, { exit: 0 }])
    expect((await send({ ...HEAD, words: 'apps list' })).status).to.equal(422)
  })

  it('may have empty words, and answers that are only Enter', async () => {
    const heard: unknown[] = []
    offerCommands(test.program, async ({ command: { request }, say }) => {
      heard.push([request.words, request.answers])
      await say({ exit: 0 })
    })
    const answer = await send({ ...HEAD, words: ['users', 'list', '--search', ''], answers: [''] })
    expect(answer.status, await answer.text()).to.equal(200)
    expect(heard).to.deep.equal([[['users', 'list', '--search', ''], ['']]])
    expect((await send({ ...HEAD, words: [null] })).status).to.equal(422)
  })

  it('are not copied again for each of the pieces in which they come', async () => {
    const line = Buffer.from(`${JSON.stringify({ ...HEAD, words: ['x'.repeat(60_000)] })}\n`)
    const sink = receiveCommand({ program: test.program, personId: owner.id, admit: async () => {}, leave() {} })
    const { concat } = Buffer
    let copied = 0
    Buffer.concat = (list, length) => {
      const joined = concat(list, length)
      copied += joined.length
      return joined
    }
    try {
      for (let i = 0; i < line.length; i++) await sink.write(line.subarray(i, i + 1))
    } finally {
      Buffer.concat = concat
    }
    expect(copied).to.be.within(line.length, 4 * line.length)
    expect((await sink.end()).request.words).to.deep.equal(['x'.repeat(60_000)])
    await sink.discard()
  })

  it('do with a session what asks for a fresh sign-in only while it is fresh', async () => {
    const confirmed: boolean[] = []
    offerCommands(test.program, async ({ person, say }) => {
      confirmed.push(person.isConfirmed)
      await say({ exit: 0 })
    })
    const asSession = async () => (await send(HEAD, { cookie: owner.cookie, origin: test.address })).text()
    await asSession()
    test.clock.advance(11 * 60_000)
    await asSession()
    expect(confirmed).to.deep.equal([true, false])
    expect((await send(HEAD, { cookie: owner.cookie })).status, 'without an Origin').to.equal(403)
  })

  it('run four at once of one person', async () => {
    const held = Promise.withResolvers<void>()
    offerCommands(test.program, () => held.promise)
    const running = await Promise.all([send(), send(), send(), send()])
    expect(running.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    expect((await send()).status).to.equal(429)
    held.resolve()
    for (const answer of running) await answer.text()
    const next = await send()
    expect(next.status).to.equal(200)
    await next.text()
  })

  it('take files in only from somebody who may run the command, and while there is room for them', async () => {
    const begun: string[] = []
    let isAllowed = false
    offerCommands(test.program, async ({ command, onlyAdmit, say }) => {
      begun.push(onlyAdmit ? 'asked' : command.paths.has('x.csv') ? 'ran' : 'ran without')
      if (!isAllowed) await say({ err: 'appsvc: you may not\n' })
      await say({ exit: isAllowed ? 0 : 77 })
    })
    const kept = () => readdirSync(commandsDirectory(test.dir)).length
    const withFile = (size: number, content: string) => {
      const form = new FormData()
      const head = { ...HEAD, files: [{ name: 'x.csv', size }] }
      form.set('command', new Blob([`${JSON.stringify(head)}\n${content}`], { type: COMMAND_TYPE }), 'command')
      const headers = { authorization: `Bearer ${owner.token}` }
      return fetch(`${test.address}/admin/v1/commands`, { method: 'POST', headers, body: form })
    }
    const refused = await withFile(3, 'abc')
    expect(refused.status).to.equal(403)
    expect(await refused.json()).to.deep.equal({ error: 'you may not' })
    expect(begun).to.deep.equal(['asked'])
    expect(existsSync(commandsDirectory(test.dir)), 'nothing of it was written').to.equal(false)

    isAllowed = true
    await (await withFile(3, 'abc')).text()
    expect(begun.slice(1)).to.deep.equal(['asked', 'ran'])
    await eventually(() => kept() === 0, 'the files are gone')

    const { disk } = test.program.kernel
    const { look } = disk
    disk.look = () => ({ free: 100 * MIB, mark: 99 * MIB })
    const full = await withFile(2 * MIB, 'abc')
    disk.look = look
    expect(full.status).to.equal(503)
    expect(full.headers.get('retry-after')).to.equal('30')
    expect(kept()).to.equal(0)
    // A place is given back, whatever became of the command.
    for (let i = 0; i < 6; i++) expect((await withFile(3, 'abcd')).status).to.equal(422)
    await (await withFile(3, 'abc')).text()
  })

  it('keep files of one person up to a size, until the commands have ended', async () => {
    const { disk } = test.program.kernel
    disk.look = () => undefined
    const first = takeRoom(test.program, 1, MAX_FILES_SIZE - 10)
    expect(() => takeRoom(test.program, 1, 11))
      .to.throw('wait until one ends')
      .with.property('code', 'too_many')
    const other = takeRoom(test.program, 2, MAX_FILES_SIZE)
    first.written(MAX_FILES_SIZE)
    expect(() => takeRoom(test.program, 1, 11)).to.throw('wait until one ends')
    first.leave()
    first.leave()
    takeRoom(test.program, 1, MAX_FILES_SIZE).leave()
    other.leave()
    // What was promised to others counts as if it were on the disk already.
    disk.look = () => ({ free: 100, mark: 10 })
    const promised = takeRoom(test.program, 1, 60)
    expect(() => takeRoom(test.program, 2, 60)).to.throw('no room')
    promised.written(60)
    takeRoom(test.program, 2, 60).leave()
    promised.leave()
  })
})
