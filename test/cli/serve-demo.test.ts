import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../support/eventually.ts'
import { PROGRAMS_MS } from '../support/programs.ts'
import { firstLine, killAll, run, start, temporaryDirectory } from './cli.ts'

describe('appsvc serve --demo', function () {
  this.timeout(PROGRAMS_MS)
  const { dir, end } = temporaryDirectory()
  after(() => {
    killAll()
    end()
  })

  it('has an app with gateways, devices and a month, and an address that signs in once', async () => {
    const data = join(dir, 'data')
    const server = start(['serve', '--demo', '--port', '0', '--data-dir', data, '--json'])
    const ready = await firstLine<{ listening: string; sandbox: string; signIn: string; app: { id: number } }>(server)
    expect((await fetch(ready.sandbox)).status).to.equal(200)
    const [page, token] = ready.signIn.split('#token=')
    expect(page).to.equal(`${ready.listening}/console/link`)
    const signIn = () => post(`${ready.listening}/admin/v1/sessions/link`, { token })
    const signedIn = await signIn()
    expect(signedIn.status).to.equal(200)
    expect((await signIn()).status).to.equal(401)
    const headers = { cookie: signedIn.headers.getSetCookie()[0]!.split(';')[0]! }
    const read = async <T>(path: string): Promise<T> =>
      (await (await fetch(`${ready.listening}/admin/v1/apps/${ready.app.id}/${path}`, { headers })).json()) as T
    const { items } = await read<{ items: { name: string; installId: string }[] }>('test-devices')
    expect(items.map(({ name }) => name)).to.include.members(["Anna's iPhone", "Emi's Chrome"])
    const tried = await run(['push', 'test', '--install', items[0]!.installId, '--data-dir', data, '--json'])
    expect(tried.json()).to.deep.include({ outcome: { kind: 'accepted' } })
    const begun = await run(['apps', 'quickstart', '--for', 'web', '--wait', '30s', '--data-dir', data, '--json'])
    expect(begun.json())
      .to.deep.include({ outcome: { kind: 'accepted' } })
      .and.to.have.property('install')
    // The month is on its way, and stopping does not wait for its end.
    await eventually(async () => JSON.stringify(await read('channels')).includes('Courses and events'), 'no month')
    const exit = once(server, 'exit')
    server.kill('SIGTERM')
    expect(await exit).to.deep.equal([0, null])
  })
})

const post = (url: string, body: object) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(body),
  })
