import { expect } from 'chai'
import { COMMAND_TYPE } from '../../../src/server/admin/command-request.ts'
import { offerCommands } from '../../../src/server/admin/command-runner.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

/** What the command line of another machine sends, without it: test/cli/remote.test.ts has both ends. */
describe('commands from another machine', () => {
  let test: TestServer
  let owner: TestPerson

  beforeEach(async () => {
    test = await openTestServer()
    owner = await addPerson(test.app)
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
    offerCommands(test.app, async ({ command, say }) => {
      await say({ out: command.request.words.join(' ') })
      await say({ exit: 0 })
    })
    const answer = await send()
    expect(answer.status).to.equal(200)
    const lines = (await answer.text()).trimEnd().split('\n')
    expect(lines.slice(1).map((line) => JSON.parse(line) as unknown)).to.deep.equal([{ out: 'apps list' }, { exit: 0 }])
    expect((await send({ ...HEAD, words: 'apps list' })).status).to.equal(422)
  })

  it('do with a session what asks for a fresh sign-in only while it is fresh', async () => {
    const confirmed: boolean[] = []
    offerCommands(test.app, async ({ person, say }) => {
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
    offerCommands(test.app, () => held.promise)
    const running = await Promise.all([send(), send(), send(), send()])
    expect(running.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200])
    expect((await send()).status).to.equal(429)
    held.resolve()
    for (const answer of running) await answer.text()
    const next = await send()
    expect(next.status).to.equal(200)
    await next.text()
  })
})
