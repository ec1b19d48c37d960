import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { NewLink } from '../../src/domain/links/types.ts'
import { createProgram } from '../../src/program.ts'
import { createHandler } from '../../src/server/handler.ts'
import { routes } from '../../src/server/routes.ts'
import { DESKTOPS } from '../domain/links/agents.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { newLink } from '../support/links.ts'
import { onSqliteDaily } from '../support/program.ts'
import { visit } from '../support/visit.ts'

type Json = Record<string, unknown>

onSqliteDaily('changing deep links', (kind) => {
  let test: TestServer
  let host: string

  before(async () => {
    test = await openTestServer({ kind, settings: { 'links.domain': 'lnk.example.com' } })
    host = `${test.first.linkHostLabel}.lnk.example.com`
  })
  after(() => test.close())

  const PATH = '/links/v1/deep-links'
  const make = async (given: Partial<NewLink> = {}) =>
    (await test.program.inTransaction((tx) => tx.links.create(test.first.id, [newLink(given)])))[0]!
  const change = (id: number, body: unknown) => test.call('PATCH', `${PATH}/${id}`, { body })
  const go = (slug: string, address = test.address) =>
    visit(address, { host, path: `/${slug}`, agent: DESKTOPS['Chrome on Windows'] })
  const lookUp = (slug: string) =>
    test.call('GET', `/links/v1/deeplinks/${encodeURIComponent(slug)}`, { auth: 'device' })

  it('leaves what is not given, replaces what is, and clears what is null', async () => {
    const { id } = await make({
      slug: 'one',
      linkData: { a: 1 },
      content: { title: 'T', description: 'D' },
      reportingMeta: { m: 1 },
      expiresAt: test.clock.now() + 60_000,
      lookupLimit: 3,
    })
    const before = (await test.call('GET', `${PATH}/${id}`)).body as Json
    test.clock.advance(1000)
    const first = (await change(id, { linkData: { b: 2 }, desktopWebFallbackUrl: 'https://example.com/new' })).body
    expect(first).to.deep.equal({
      ...before,
      linkData: { b: 2 },
      desktopWebFallbackUrl: 'https://example.com/new',
      updatedAt: '2026-03-01T12:00:01+0000',
    })
    const cleared = (await change(id, { content: null, reportingMeta: null, expiresAt: null, lookupLimit: null })).body
    expect(cleared).to.deep.include({ content: {}, reportingMeta: null, expiresAt: null, lookupLimit: null })
    expect((await test.call('GET', `${PATH}/${id}`)).body).to.deep.equal(cleared)
    expect((await change(id, cleared)).body, 'the record can be sent back').to.deep.equal(cleared)
  })

  it('an expired link works again with a later time, and one over its limit with a higher one', async () => {
    const { id, slug } = await make({ expiresAt: test.clock.now() + 1000, lookupLimit: 1 })
    test.clock.advance(2000)
    expect((await lookUp(slug)).status).to.equal(410)
    const later = new Date(test.clock.now() + 60_000).toISOString()
    expect((await change(id, { expiresAt: later })).body).to.include({ state: 'active' })
    expect((await lookUp(slug)).status).to.equal(200)
    expect((await lookUp(slug)).status).to.equal(429)
    expect((await change(id, { lookupLimit: 2 })).body).to.include({ lookups: 1, state: 'active' })
    expect((await lookUp(slug)).status).to.equal(200)
    expect((await change(id, { expiresAt: '2020-01-01' })).body).to.include({ state: 'expired' })
    expect((await go(slug)).status, 'visitors are still served').to.equal(302)
  })

  it('a link that is switched off answers as an unknown one, at once, and works when it is on again', async () => {
    const { id, slug } = await make()
    // Kept in memory from the second visit on.
    for (let i = 0; i < 3; i++) expect((await go(slug)).status).to.equal(302)
    const off = (await change(id, { isEnabled: false })).body
    expect(off).to.include({ isEnabled: false, state: 'disabled' })
    const unknown = await go('there-is-none')
    const seen = await go(slug)
    expect([seen.status, seen.headers['cache-control'], seen.headers['content-type']]).to.deep.equal([
      404,
      'no-store',
      unknown.headers['content-type'],
    ])
    const [found, none] = [await lookUp(slug), await lookUp('there-is-none')]
    expect([found.status, found.body]).to.deep.equal([none.status, none.body])
    expect((await change(id, off)).body, 'the record can be sent back').to.include({ state: 'disabled' })
    expect((await change(id, { isEnabled: true })).body)
      .to.include({ state: 'active' })
      .and.not.have.property('isEnabled')
    expect((await go(slug)).status).to.equal(302)
    expect((await lookUp(slug)).status).to.equal(200)
  })

  it('another process shows a change within a second', async () => {
    const { config, clock, log, vault, db } = test.program.kernel
    // Another program on the same database: it hears of no change.
    const other = createProgram({ config, clock, log, vault, db })
    const handler = createHandler(other, routes)
    const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    try {
      const { id, slug } = await make()
      for (let i = 0; i < 3; i++) expect((await go(slug, address)).status).to.equal(302)
      await change(id, { isEnabled: false })
      test.clock.advance(1000)
      expect((await go(slug, address)).status).to.equal(404)
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
    }
  })

  it('a deleted link is gone for everybody, its slug is free, and its taps are deleted after it', async () => {
    const { id, slug } = await make({ slug: 'gone/for-good' })
    for (let i = 0; i < 2; i++) expect((await go(slug)).status).to.equal(302)
    const taps = (link: number) =>
      test.program.kernel.db.read('link_taps').where({ link_id: link }).count({ n: '*' }).first() as Promise<{
        n: unknown
      }>
    await test.program.kernel.db.write(async (trx) => {
      for (let i = 0; i < 5; i++) {
        await trx('link_taps').insert({ app_id: test.first.id, web_install_id: `w${i}`, link_id: id, tapped_at: 1 })
      }
    })
    expect((await test.call('DELETE', `${PATH}/${id}`)).status).to.equal(204)
    expect((await go(slug)).status).to.equal(404)
    expect((await lookUp(slug)).status).to.equal(404)
    expect((await test.call('GET', `${PATH}/${id}`)).status).to.equal(404)
    expect((await test.call('DELETE', `${PATH}/${id}`)).status).to.equal(404)
    expect((await change(id, { lookupLimit: 5 })).status).to.equal(404)
    const listed = (await test.call('GET', `${PATH}?limit=1000`)).body as { deepLinks: Json[] }
    expect(listed.deepLinks.map((one) => one['id'])).not.to.include(id)
    expect((await go(`/${id}`)).status, 'under no other name').to.equal(404)

    const again = await make({ slug })
    expect(again.id).not.to.equal(id)
    expect((await go(slug)).status).to.equal(302)

    const sweep = (limit: number) => test.program.inTransaction((tx) => tx.taps.clearDeleted(limit))
    expect(await sweep(3)).to.equal(3)
    expect(Number((await taps(id)).n)).to.equal(2)
    expect(await sweep(3)).to.equal(3)
    expect(await sweep(3)).to.equal(0)
    expect(await test.program.kernel.db.read('deep_links').where({ id })).to.deep.equal([])
    expect(await test.program.kernel.db.read('deleted_links')).to.deep.equal([])
  })

  it('a link that a banner leads to is not deleted, and its banner is not shown while it is off', async () => {
    const { id, slug } = await make()
    const { createBanner, newBanner } = await import('../../src/domain/links/banners/schema.ts')
    const { parseJson } = await import('../../src/platform/values/parse.ts')
    const labels = { heading: 'a', body: 'b', acceptAction: 'c', declineAction: 'd' }
    const form = newBanner(parseJson(createBanner, { link: slug, labels }))
    const banner = await test.program.inTransaction((tx) => tx.banners.create(test.first.id, form))
    const refused = await test.call('DELETE', `${PATH}/${id}`)
    expect([refused.status, (refused.body as { error: string }).error]).to.deep.equal([
      409,
      `banner ${banner.uuid} leads to deep link ${id}: delete or change the banner first`,
    ])
    const shown = async () =>
      ((await test.call('GET', '/links/v1/banners', { auth: 'device' })).body as unknown[]).length
    expect(await shown()).to.equal(1)
    await change(id, { isEnabled: false })
    expect(await shown()).to.equal(0)
    await test.program.inTransaction((tx) => tx.banners.delete(test.first.id, banner.uuid))
    expect((await test.call('DELETE', `${PATH}/${id}`)).status).to.equal(204)
  })

  it('a slash at the beginning of a slug counts for nothing', async () => {
    const post = (...slugs: string[]) => test.call('POST', PATH, { body: slugs.map((slug) => newLink({ slug })) })
    const wrong = async (...slugs: string[]) => ((await post(...slugs)).body as { errors: Json }).errors
    const { body } = await post('/slashed/one')
    const [{ id, url }] = body as [{ id: number; url: string }]
    expect(url.endsWith('/slashed/one')).to.equal(true)
    expect((await go('slashed/one')).status).to.equal(302)
    expect((await change(id, { slug: '/slashed/one' })).status).to.equal(200)
    expect(await wrong('slashed/one')).to.have.property('[0].slug')
    expect(await wrong('/same', 'same')).to.have.property('[1].slug')
    expect(await wrong('//two')).to.have.property('[0].slug')
    expect(await wrong('/')).to.have.property('[0].slug')
    const longest = 'x'.repeat(255)
    expect((await post(`/${longest}`)).status).to.equal(200)
    expect(await wrong(`y${longest}`)).to.have.property('[0].slug')
  })

  it('refuses another slug, wrong values, and the links of another app', async () => {
    const { id } = await make({ slug: 'fixed' })
    const wrong = {
      slug: 'other',
      expiresAt: 'soon',
      lookupLimit: 0,
      desktopWebFallbackUrl: 'ftp://x',
      isEnabled: 'no',
    }
    const { status, body } = await change(id, wrong)
    expect(status).to.equal(422)
    expect((body as { errors: Json }).errors).to.have.all.keys(
      'expiresAt',
      'lookupLimit',
      'desktopWebFallbackUrl',
      'isEnabled',
    )
    expect((await change(id, { slug: 'other' })).body).to.have.nested.property('errors.slug')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    const theirs = (await test.program.inTransaction((tx) => tx.links.create(other.id, [newLink()])))[0]!
    expect((await change(theirs.id, { lookupLimit: 5 })).status).to.equal(404)
    expect((await test.call('DELETE', `${PATH}/${theirs.id}`)).status).to.equal(404)
    expect(await test.program.links.get(other.id, theirs.id)).to.include({ lookupLimit: null })
  })
})
