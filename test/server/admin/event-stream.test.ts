import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { endEventStreams, eventStream } from '../../../src/server/admin/event-stream.ts'
import { createHandler } from '../../../src/server/handler.ts'
import { eventsOf, get, type LiveEvent, type Person } from '../../../src/server/routing/route.ts'
import { openTestProgram, type TestProgram } from '../../support/program.ts'

const person = { id: 1, session: { id: 7 } } as Person

describe('an answer of server-sent events', () => {
  let test: TestProgram
  beforeEach(async () => {
    test = await openTestProgram()
  })
  afterEach(() => test.close())

  /** Never ends by itself. */
  const silence = () =>
    eventsOf(async function* (signal): AsyncGenerator<LiveEvent> {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      yield* []
    })

  it('is said in the form of the format, and ends when there is nothing more', async () => {
    const events = eventsOf(async function* () {
      yield { event: 'progress', data: { sent: 3 }, id: '7' }
      await setImmediate()
      yield { event: 'end', data: 'two\nlines' }
    })
    let text = ''
    for await (const piece of eventStream(test.program, events, person, new AbortController().signal)) text += piece
    expect(text).to.equal(': open\n\nid: 7\nevent: progress\ndata: {"sent":3}\n\nevent: end\ndata: "two\\nlines"\n\n')
  })

  it('ends when the caller goes, and tells its source', async () => {
    const caller = new AbortController()
    let ended = false
    const events = eventsOf(async function* (signal): AsyncGenerator<LiveEvent> {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      ended = true
      yield* []
    })
    const stream = eventStream(test.program, events, person, caller.signal)
    stream.resume()
    await new Promise((resolve) => stream.once('data', resolve))
    const closed = new Promise((resolve) => stream.once('close', resolve))
    caller.abort()
    await closed
    await setImmediate()
    expect(ended).to.equal(true)
  })

  it('is refused to a session with four, until one of them ends', async () => {
    const begin = (of = person) => eventStream(test.program, silence(), of, new AbortController().signal)
    const open = [begin(), begin(), begin(), begin()]
    expect(() => begin())
      .to.throw('too many live pages')
      .with.property('code', 'too_many')
    const other = begin({ ...person, session: { id: 8 } } as Person)
    const closed = new Promise((resolve) => open[0]!.once('close', resolve))
    open[0]!.destroy()
    await closed
    begin().destroy()
    for (const one of [...open, other]) one.destroy()
  })

  it('is refused to a person with eight, however many sessions and tokens they have', async () => {
    const begin = (session: number, id = 1) =>
      eventStream(
        test.program,
        silence(),
        { ...person, id, session: { id: session } } as Person,
        new AbortController().signal,
      )
    const open = [1, 1, 1, 1, 2, 2, 2, 3].map((session) => begin(session))
    expect(() => begin(3))
      .to.throw('too many live pages')
      .with.property('code', 'too_many')
    open.push(begin(3, 2))
    const closed = new Promise((resolve) => open[0]!.once('close', resolve))
    open[0]!.destroy()
    await closed
    open.push(begin(4))
    for (const one of open) one.destroy()
  })

  it('is refused to everybody when the server has a hundred', () => {
    const begin = (id: number) => eventStream(test.program, silence(), { ...person, id }, new AbortController().signal)
    const open = Array.from({ length: 100 }, (_, i) => begin(i))
    expect(() => begin(1000)).to.throw('too many live pages')
    for (const one of open) one.destroy()
  })

  it('goes over the wire piece by piece, and ends when the server stops', async () => {
    const live = get('/v1/live', {
      area: 'admin',
      needs: 'nobody',
      summary: 'x',
      description: 'x',
      run: () =>
        Promise.resolve(
          eventsOf(async function* (signal) {
            yield { event: 'first', data: 1 }
            await new Promise((resolve) => signal.addEventListener('abort', resolve))
          }),
        ),
    })
    const handler = createHandler(test.program, [live])
    const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      const answer = await fetch(`http://127.0.0.1:${port}/admin/v1/live`)
      expect(answer.headers.get('content-type')).to.match(/^text\/event-stream/)
      expect(answer.headers.get('cache-control')).to.equal('no-store')
      let text = ''
      const read = (async () => {
        for await (const piece of answer.body!) {
          text += Buffer.from(piece as Uint8Array).toString()
          if (text.includes('event: first')) endEventStreams(test.program)
        }
      })()
      await read.catch(() => {})
      expect(text).to.equal(': open\n\nevent: first\ndata: 1\n\n')
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
    }
  })
})
