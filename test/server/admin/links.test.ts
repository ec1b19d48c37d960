import { expect } from 'chai'
import { readPicture } from '../../../src/domain/pictures/schema.ts'
import { addLinks } from '../../console/support/links.ts'
import { openTestServer, type TestServer } from '../../support/http.ts'
import { addPerson, type TestPerson } from '../../support/people.ts'
import { smallPng } from '../../support/pictures.ts'

describe('routes of links for people', () => {
  let test: TestServer
  let owner: TestPerson
  let base: string
  let link: string

  before(async () => {
    test = await openTestServer()
    owner = await addPerson(test.program)
    base = `/admin/v1/apps/${test.first.id}`
    link = `/deep-links/${(await addLinks({ server: test, appId: test.first.id })).linkId}`
  })
  after(() => test.close())

  const call = (method: string, path: string, body?: unknown) =>
    test.call(method, `${base}${path}`, { auth: `Bearer ${owner.token}`, ...(body !== undefined && { body }) })
  const text = async (path: string) => {
    const answer = await fetch(`${test.address}${base}${path}`, { headers: { authorization: `Bearer ${owner.token}` } })
    return { answer, body: await answer.text() }
  }

  it('show the jump page to a frame of the console only, and count no click', async () => {
    const { answer, body } = await text(`${link}/page?device=ios`)
    expect(body).to.include('Spring sale').and.to.include('https://apps.apple.com/app/id1234567890')
    expect(answer.headers.get('content-security-policy')).to.include("frame-ancestors 'self'")
    expect((await text(`${link}/page?device=desktop`)).answer.status).to.equal(409)
    expect((await call('GET', link)).body).to.include({ clicks: 100 })
  })

  it('preview the icon of the app where the link settings have none, which chats then show', async () => {
    const { settings } = await test.program.links.site(test.first.id)
    const { name, picture } = readPicture('icon.png', smallPng())
    const url = await test.program.inTransaction(async (tx) => {
      const made = await tx.pictures.add(test.first.id, name, picture)
      await tx.pictures.setIcon(test.first.id, made.picture.uid)
      await tx.links.configure(test.first.id, { icon: null })
      return tx.pictures.urlOf(made.picture)
    })
    expect((await call('GET', `${link}/preview`)).body).to.have.nested.property('card.image', url)
    const { body } = await text(`${link}/page?device=ios`)
    expect(body).to.include(`<img class="mark" src="${new URL(url).pathname}"`)
    await test.program.inTransaction(async (tx) => {
      await tx.pictures.setIcon(test.first.id, null)
      await tx.links.configure(test.first.id, { icon: settings.icon })
    })
  })

  it('draw the QR code with the icon of the app in its middle', async () => {
    expect((await text(`${link}/qr?logo=true`)).body).to.include('href="data:image/png;base64,')
    expect((await text(`${link}/qr`)).body).to.not.include('<image')
    expect((await text(`${link}/qr?format=png`)).answer.headers.get('content-type')).to.equal('image/png')
  })

  it('find a link by slug, address and number, and nothing else', async () => {
    const { url, id } = (await call('GET', link)).body as { url: string; id: number }
    const slugs = async (q: string | number) => {
      const { body } = await call('GET', `/link-search?q=${encodeURIComponent(q)}`)
      return (body as { items: { slug: string }[] }).items.map(({ slug }) => slug)
    }
    for (const q of ['spring-sale', '/spring-sale', url, id]) expect(await slugs(q)).to.deep.equal(['spring-sale'])
    expect(await slugs('spring')).to.deep.equal([])
  })

  it('change a banner and a prompt, and delete them', async () => {
    const { items: banners } = (await call('GET', '/banners')).body as { items: { uuid: string }[] }
    const { items: prompts } = (await call('GET', '/prompts')).body as { items: { name: string }[] }
    for (const [path, change, shown] of [
      [`/banners/${banners[0]!.uuid}`, { position: 'top' }, 'position'],
      [`/prompts/${prompts[0]!.name}`, { type: 'bell' }, 'type'],
    ] as const) {
      const changed = await call('PATCH', path, change)
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200)
      expect(changed.body).to.have.nested.property(shown, Object.values(change)[0])
      expect((await call('GET', path)).body).to.deep.equal(changed.body)
      expect((await call('DELETE', path)).status).to.equal(204)
      expect((await call('GET', path)).status).to.equal(404)
    }
  })

  it('tell the audit log what a banner and a prompt were', async () => {
    const made = await call('POST', '/prompts/corner', { type: 'bell' })
    expect(made.status).to.equal(201)
    expect((await call('POST', '/prompts/corner', { type: 'bell' })).status).to.equal(409)
    expect((await call('DELETE', '/prompts/corner')).status).to.equal(204)
    const [row] = (await test.program.audit.list({ limit: 1 })).entries
    expect(row).to.include({ action: 'prompts.delete', target: 'corner' })
    expect(row!.before).to.have.nested.property('design.type', 'bell')
  })
})
