import { expect } from 'chai'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { onEachDatabase } from '../../support/program.ts'

interface Quickstart {
  url: string
  snippets: { name: string; page: string; files: { name: string; text: string }[] }[]
  firstInstall: { installId: string; canReceive: boolean; os: string | null } | null
}

onEachDatabase('beginning with an app', (kind) => {
  let test: TestServer
  let owner: TestPerson
  let viewer: TestPerson
  before(async () => {
    test = await openTestServer({ kind })
    owner = await addPerson(test.program)
    viewer = await addPerson(test.program, { roles: [{ appId: test.first.id, role: 'viewer' }], scopes: ['see'] })
  })
  after(() => test.close())

  const read = async (who = owner): Promise<Quickstart> => {
    const path = `/admin/v1/apps/${test.first.id}/quickstart`
    const answer = await test.call('GET', path, { auth: `Bearer ${who.token}` })
    expect(answer.status).to.equal(200)
    return answer.body as Quickstart
  }

  it('has code with the address and the API key, and no other key', async () => {
    const { url, snippets, firstInstall } = await read()
    expect(url).to.equal(test.address)
    expect(firstInstall).to.equal(null)
    expect(snippets.map(({ name }) => name)).to.deep.equal(['web', 'expo', 'server', 'curl'])
    for (const { name, files } of snippets) {
      const text = files.map((file) => file.text).join('\n')
      expect(text, name).to.include(url).and.to.include(test.first.apiKey)
      expect(text, name).to.match(/SECRET_KEY|SERVER_KEY/)
      for (const key of [test.first.secretKey, test.first.serverKey]) expect(text).to.not.include(key)
    }
  })

  it('has the first install that can be reached, or else the first', async () => {
    await addInstall(test.program, test.first.id, 'silent', { subscribed: false })
    expect((await read()).firstInstall).to.include({ installId: 'silent', canReceive: false })
    await addInstall(test.program, test.first.id, 'second')
    await addInstall(test.program, test.first.id, 'third')
    expect((await read()).firstInstall).to.include({ installId: 'second', canReceive: true })
  })

  it('shows a viewer no more than the beginning of its id', async () => {
    const { firstInstall } = await read(viewer)
    expect(firstInstall!.installId).to.equal('se•••')
  })
})
