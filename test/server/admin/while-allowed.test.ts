import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { COMMAND_TYPE } from '../../../src/server/admin/command-request.ts'
import { offerCommands } from '../../../src/server/admin/command-runner.ts'
import { mayStill } from '../../../src/server/admin/while-allowed.ts'
import { createHandler, type Handler } from '../../../src/server/handler.ts'
import { routes } from '../../../src/server/routes.ts'
import { eventsOf, get, type LiveEvent, linesOf, type Route } from '../../../src/server/routing/route.ts'
import { basic } from '../../support/basic.ts'
import { eventually } from '../../support/eventually.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { onSqliteDaily, openTestProgram, type TestProgram } from '../../support/program.ts'
import { column } from '../../support/tables.ts'

/** Longer than a piece, so that the head of the answer goes out. */
const PIECE = 'x'.repeat(100_000)

async function* withoutEnd(): AsyncGenerator<string> {
  yield PIECE
  await new Promise(() => {})
}

/** Answers that go on for ever. */
const ENDLESS: readonly Route[] = [
  get('/v1/apps/:appId/endless', {
    area: 'admin',
    needs: 'person',
    right: 'see',
    summary: 'x',
    description: 'x',
    run: async () => linesOf(withoutEnd(), (one) => one),
  }),
  get('/v1/apps/:appId/live', {
    area: 'admin',
    needs: 'person',
    right: 'campaign',
    summary: 'x',
    description: 'x',
    run: async () =>
      eventsOf(async function* (signal): AsyncGenerator<LiveEvent> {
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
        yield* []
      }),
  }),
  get('/v1/endless', {
    area: 'messages',
    needs: 'server-key',
    scope: 'read',
    summary: 'x',
    description: 'x',
    run: async () => linesOf(withoutEnd(), (one) => one),
  }),
]

onSqliteDaily('what ended, ends everywhere:', (kind) => {
  let test: TestProgram
  let handler: Handler
  let server: Server
  let address: string
  before(async () => {
    test = await openTestProgram({ kind })
    handler = createHandler(test.program, [...routes, ...ENDLESS])
    server = createServer({ keepAliveTimeout: 0 }, handler.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    // A command that goes on until it is told to stop.
    offerCommands(test.program, async ({ program, person, signal, ended, say, audit, command }) => {
      const place = (await program.apps.list()).find(({ name }) => name === command.request.words[0])!
      person.began?.(place.id)
      await say({ out: 'first' })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      await audit({
        action: 'test',
        appId: null,
        words: ['test'],
        exit: ended.aborted ? 77 : 0,
        isRefused: false,
        isNotedAlways: true,
      })
      await say({ out: 'more' })
    })
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await handler.close()
    await test.close()
  })

  type Access = { appId: number; name: string; person: TestPerson }

  /** Everything that somebody can hold open; each resolves to what was read when it ends. */
  async function openAll({ appId, name, person }: Access, headers: Record<string, string>): Promise<Promise<string>[]> {
    const head = {
      version: '1',
      words: [name],
      terminal: { stdin: false, stdout: false, stderr: false },
      variables: {},
      files: [],
      outputs: [],
      answers: [],
    }
    const body = new FormData()
    body.set('command', new Blob([`${JSON.stringify(head)}\n`], { type: COMMAND_TYPE }), 'command')
    const answers = await Promise.all([
      fetch(`${address}/admin/v1/apps/${appId}/endless`, { headers }),
      fetch(`${address}/admin/v1/apps/${appId}/live`, { headers }),
      fetch(`${address}/admin/v1/commands`, { method: 'POST', headers: { ...headers, origin: address }, body }),
    ])
    expect(
      answers.map(({ status }) => status),
      person.name,
    ).to.deep.equal([200, 200, 200])
    return answers.map((answer) => readAll(answer))
  }

  const ends: Record<string, (access: Access) => Promise<unknown>> = {
    'the session was ended': ({ person: { id } }) => test.program.inTransaction((tx) => tx.sessions.endAll(id)),
    'the password was changed elsewhere': ({ person: { id } }) =>
      test.program.inTransaction((tx) => tx.admins.change(id, { password: 'a digest' })),
    'the person was removed': ({ person: { id } }) => test.program.inTransaction((tx) => tx.admins.remove(id)),
    'the role in the app was taken away': ({ person: { id } }) =>
      test.program.inTransaction((tx) => tx.admins.setRoles(id, [])),
    'the role shows less than before': ({ person: { id }, appId }) =>
      test.program.inTransaction((tx) => tx.admins.setRoles(id, [{ appId, role: 'viewer' }])),
    'the app was deleted': ({ appId }) => test.program.inTransaction((tx) => tx.apps.delete(appId)),
    'the token was deleted': ({ person: { id } }) => test.program.inTransaction((tx) => tx.personalTokens.endAll(id)),
  }

  async function access(): Promise<Access> {
    // Somebody has to own the server when this person is gone.
    await addPerson(test.program)
    const { id: appId, name } = await test.program.inTransaction((tx) =>
      tx.apps.create({ name: `App ${Math.random()}` }),
    )
    const person = await addPerson(test.program, { roles: [{ appId, role: 'marketer' }] })
    return { appId, name, person }
  }

  for (const [why, end] of Object.entries(ends)) {
    const isOfToken = why.includes('token')
    it(`a long answer, a live page and a command, when ${why}`, async () => {
      const one = await access()
      const { cookie, token } = one.person
      const open = await openAll(one, isOfToken ? { authorization: `Bearer ${token}` } : { cookie })
      const other = await access()
      const untouched = await openAll(other, { cookie: other.person.cookie })
      let isOver = false
      for (const going of untouched) void going.then(() => (isOver = true))
      await end(one)
      const [list, page, command] = await Promise.all(open)
      expect(list).to.include('broken off')
      expect(page).to.equal(': open\n\n')
      const lines = command!
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as object)
      expect(lines.slice(1)).to.deep.equal([
        { out: 'first' },
        { err: 'appsvc: your session, token or role has ended: sign in again\n' },
        { exit: 77 },
      ])
      expect(isOver, 'what others have open').to.equal(false)
      await test.program.inTransaction((tx) => tx.sessions.endAll(other.person.id))
      await Promise.all(untouched)
    })
  }

  it('what a token holds open ends on its day', async () => {
    const one = await access()
    const parts = { name: 'short', scopes: ['see', 'campaign'] as const, appId: null, days: 1 }
    const { text } = await test.program.inTransaction((tx) => tx.personalTokens.create(one.person.id, parts))
    const open = await openAll(one, { authorization: `Bearer ${text}` })
    test.clock.advance(86_400_000)
    await Promise.all(open)
  })

  it('a long answer to a server, when its key is revoked', async () => {
    const { id, apiKey } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Keys' }))
    const made = await test.program.inTransaction((tx) => tx.serverKeys.create(id, { permissions: ['read'] }))
    const answer = await fetch(`${address}/messages/v1/endless`, {
      headers: { authorization: basic(apiKey, made.key) },
    })
    expect(answer.status).to.equal(200)
    const read = readAll(answer)
    await test.program.inTransaction((tx) => tx.serverKeys.revoke(id, made.id))
    test.clock.advance(1000)
    expect(await read).to.include('broken off')
  })

  it('a server that waits for events, when its key is revoked, hears that instead of them', async () => {
    const { id, apiKey } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Waiting' }))
    const made = await test.program.inTransaction((tx) => tx.serverKeys.create(id, { permissions: ['read'] }))
    const waiting = fetch(`${address}/messages/v1/events?wait=20`, {
      headers: { authorization: basic(apiKey, made.key) },
    })
    await eventually(() => test.program.logWatch.waiting() > 0, 'it waits')
    await test.program.inTransaction((tx) => tx.serverKeys.revoke(id, made.id))
    test.clock.advance(1000)
    expect((await waiting).status).to.equal(401)
  })

  it('somebody who waits for events, when their session ends, hears that instead of them', async () => {
    const { appId } = await access()
    const admin = await addPerson(test.program, { roles: [{ appId, role: 'operator' }] })
    const headers = { cookie: admin.cookie }
    const waiting = fetch(`${address}/admin/v1/apps/${appId}/events?wait=20`, { headers })
    await eventually(() => test.program.logWatch.waiting() > 0, 'it waits')
    await test.program.inTransaction((tx) => tx.sessions.endAll(admin.id))
    expect((await waiting).status).to.equal(401)
  })

  it('an upload breaks off when its person has no access any more', async () => {
    const one = await access()
    const { cookie } = one.person
    const table = await test.program.inTransaction((tx) =>
      tx.tables.create(one.appId, 'books', [column('n', 'integer')]),
    )
    const begun = Promise.withResolvers<void>()
    const body = new ReadableStream({
      async pull(controller) {
        controller.enqueue(
          Buffer.from(
            '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\nContent-Type: text/csv\r\n\r\nid\r\n',
          ),
        )
        begun.resolve()
        await new Promise(() => {})
      },
    })
    const sent = fetch(`${address}/admin/v1/apps/${one.appId}/tables/${table.alias}/imports`, {
      method: 'POST',
      headers: { cookie, origin: address, 'content-type': 'multipart/form-data; boundary=b' },
      body,
      duplex: 'half',
    })
    await begun.promise
    await test.program.inTransaction((tx) => tx.sessions.endAll(one.person.id))
    await sent.then(
      ({ status }) => expect(status).to.be.within(400, 499),
      () => {},
    )
  })
})

/** The text of an answer; `broken off` at its end when it has none. */
async function readAll(answer: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) text += decoder.decode(chunk)
  } catch {
    text += 'broken off'
  }
  return text
}

describe('access while something goes on', () => {
  it('lasts while all rights of the beginning are there, in an app that exists', () => {
    const apps = new Set([1])
    const at = { appId: 1, rights: ['see', 'campaign'] } as const
    expect(mayStill([{ appId: 1, role: 'marketer' }], at, apps)).to.equal(true)
    expect(mayStill([{ appId: null, role: 'owner' }], at, apps)).to.equal(true)
    expect(mayStill([{ appId: null, role: 'operator' }], at, apps)).to.equal(false)
    expect(mayStill([{ appId: 2, role: 'marketer' }], at, apps)).to.equal(false)
    expect(mayStill([{ appId: 1, role: 'marketer' }], at, new Set())).to.equal(false)
    expect(mayStill([], { appId: null, rights: [] }, apps)).to.equal(true)
  })
})
