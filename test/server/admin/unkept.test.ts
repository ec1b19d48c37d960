import { expect } from 'chai'
import { COMMAND_TYPE } from '../../../src/server/admin/command-request.ts'
import { offerCommands } from '../../../src/server/admin/command-runner.ts'
import { routes } from '../../../src/server/routes.ts'
import { reaches } from '../../support/depth.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'

const admin = routes.filter(({ area }) => area === 'admin')

describe('answers below /admin', () => {
  let test: TestServer
  let owner: TestPerson
  let viewer: TestPerson
  before(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
    viewer = await addPerson(test.program, { roles: [{ appId: null, role: 'viewer' }] })
  })
  after(() => test.close())

  /** The head of an answer; its body is left, because some go on. */
  async function headOf(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const leave = new AbortController()
    const answer = await fetch(test.address + path, { method, signal: leave.signal, redirect: 'manual', ...init })
    leave.abort()
    return answer
  }
  const by = ({ token }: TestPerson) => ({ headers: { authorization: `Bearer ${token}` } })

  it('are kept by nobody, of every route, whether it answers or refuses', async () => {
    const kinds = new Set<string>()
    for (const { method, path, needs, right } of admin) {
      const at = `/admin${path.replace(/:(\w+)/g, (_, name: string) => (name === 'appId' ? String(test.first.id) : '1'))}`
      const verb = method.toUpperCase()
      const kind = `${method} ${needs} ${right}`
      const isFirst = !kinds.has(kind)
      kinds.add(kind)
      const asked = [await headOf(verb, at, by(viewer))]
      // What a whole run asks of every route, `npm test` asks of one of each kind.
      if (isFirst || reaches('whole')) {
        asked.push(
          await headOf(verb, at),
          await headOf('OPTIONS', at),
          await headOf('HEAD', at, by(owner)),
          ...(verb === 'GET' ? [await headOf('GET', at, by(owner))] : []),
        )
      }
      for (const [i, { status, headers }] of asked.entries()) {
        expect(headers.get('cache-control'), `${verb} ${at}, call ${i}: ${status}`).to.equal('no-store')
      }
    }
  })

  it('are kept by nobody where there is nothing', async () => {
    for (const path of [
      '/admin',
      '/admin/',
      '/admin/v1',
      '/admin/v1/none',
      '/admin/%zz',
      '/admin/v1/session?x=%',
      '/admin//v1',
    ]) {
      expect((await headOf('GET', path)).headers.get('cache-control'), path).to.equal('no-store')
      expect((await headOf('PATCH', path)).headers.get('cache-control'), path).to.equal('no-store')
    }
  })

  it('are kept by nobody when they are the output of a command', async () => {
    offerCommands(test.program, async ({ say }) => say({ exit: 0 }))
    const terminal = { stdin: false, stdout: false, stderr: false }
    const head = { version: '1', words: ['apps'], terminal, variables: {}, files: [], outputs: [], answers: [] }
    const body = new FormData()
    body.set('command', new Blob([`${JSON.stringify(head)}\n`], { type: COMMAND_TYPE }), 'command')
    const answer = await fetch(`${test.address}/admin/v1/commands`, { method: 'POST', body, ...by(owner) })
    await answer.text()
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('cache-control')).to.equal('no-store')
  })

  it('leave the answers of others as they are', async () => {
    expect((await headOf('GET', '/healthz')).headers.get('cache-control')).to.equal(null)
  })
})
