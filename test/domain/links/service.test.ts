import { expect } from 'chai'
import { linksRepository } from '../../../src/domain/links/repository.ts'
import { linksService } from '../../../src/domain/links/service.ts'
import { linkSettingsRepository } from '../../../src/domain/links/settings/repository.ts'
import type { NewLink } from '../../../src/domain/links/types.ts'
import { newLink } from '../../support/links.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

onEachDatabase('deep links', (kind) => {
  let test: TestProgram
  let appId: number
  before(async () => {
    test = await openTestProgram({ kind })
    appId = test.first.id
  })
  after(() => test.close())

  const create = (...links: NewLink[]) => test.program.inTransaction((tx) => tx.links.create(appId, links))
  const createOne = async (link: NewLink) => (await create(link))[0]!
  const lookUp = (linkId: number, now = test.clock.now()) =>
    test.program.inTransaction((tx) => tx.links.countLookup(appId, linkId, now))
  const eventsOf = async (linkId: number) => {
    const { program } = test
    return (await program.events.after(appId, 0, 10_000)).filter(({ data }) => data?.linkId === linkId)
  }

  it('come back as they were made, found by slug and by id', async () => {
    const made = await createOne(
      newLink({
        slug: 'Sommer/2026',
        linkData: { screen: 'offer', nested: [{ deep: null }], text: 'ä😀' },
        content: { title: 'T', description: '' },
        reportingMeta: { campaign: 7 },
        expiresAt: 1_900_000_000_000,
        lookupLimit: 3,
        pictureUrl: 'https://example.com/p.png',
      }),
    )
    expect(made).to.deep.equal({
      id: made.id,
      appId,
      pictureUrl: 'https://example.com/p.png',
      slug: 'Sommer/2026',
      linkData: { screen: 'offer', nested: [{ deep: null }], text: 'ä😀' },
      content: { title: 'T' },
      desktopWebFallbackUrl: 'https://example.com/desktop',
      mobileWebFallbackUrl: 'https://example.com/mobile',
      reportingMeta: { campaign: 7 },
      expiresAt: 1_900_000_000_000,
      lookupLimit: 3,
      isEnabled: true,
      lookups: 0,
      clicks: 0,
      createdAt: test.clock.now(),
      updatedAt: test.clock.now(),
    })
    expect(await test.program.links.find(appId, 'Sommer/2026')).to.deep.equal(made)
    expect(await test.program.links.get(appId, made.id)).to.deep.equal(made)
    expect(await test.program.links.find(appId, 'sommer/2026'), 'case matters').to.equal(undefined)
  })

  it('belong to their app: another app does not see them and may have the same slug', async () => {
    const { id } = await createOne(newLink({ slug: 'shared' }))
    const { id: other } = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    expect(await test.program.links.find(other, 'shared')).to.equal(undefined)
    const theirs = await test.program.inTransaction((tx) => tx.links.create(other, [newLink({ slug: 'shared' })]))
    expect(theirs[0]!.id).to.not.equal(id)
    await expectCode(test.program.links.get(other, id), 'not_found')
    await expectCode(
      test.program.inTransaction((tx) => tx.links.countLookup(other, id, 0)),
      'not_found',
    )
    await test.program.inTransaction((tx) => tx.links.recordClicks([{ appId: other, linkId: id, at: 1 }]))
    expect((await test.program.links.get(appId, id)).clicks).to.equal(0)
  })

  it('of a batch are stored all or none, and every taken slug is named', async () => {
    await create(newLink({ slug: 'taken-1' }), newLink({ slug: 'taken-2' }))
    const before = (await test.program.links.list(appId, { limit: 1000 })).links.length
    const error = await failure(
      create(newLink({ slug: 'taken-2' }), newLink({ slug: 'fresh' }), newLink({}), newLink({ slug: 'taken-1' })),
    )
    expect(error.details.fields).to.deep.equal({
      '[0].slug': ['is taken: the app has a link "taken-2"'],
      '[3].slug': ['is taken: the app has a link "taken-1"'],
    })
    expect((await test.program.links.list(appId, { limit: 1000 })).links.length).to.equal(before)
  })

  it('of many requests at once for the same slugs, in any order, are made by one', async () => {
    const slugs = ['race-1', 'race-2', 'race-3']
    const orders = Array.from({ length: 12 }, (_, i) => (i % 2 ? slugs : slugs.toReversed()))
    const done = await Promise.allSettled(orders.map((order) => create(...order.map((slug) => newLink({ slug })))))
    expect(done.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    for (const one of done) if (one.status === 'rejected') expect((one.reason as Failed).code).to.equal('invalid')
  })

  it('without a slug get one nobody has, also when the first try is taken', async () => {
    const tries = ['taken-1', 'given', 'one', 'one', 'two']
    const made = await test.program.kernel.db.write((sql) => {
      const { kernel } = test.program
      const links = linksService({
        repo: linksRepository(sql),
        settings: linkSettingsRepository(sql),
        record: async () => {},
        count: async () => {},
        clock: kernel.clock,
        at: { domain: '', baseUrl: '', port: 8080, linksHost: '' },
        ownHosts: () => [],
        makeSlug: () => tries.shift()!,
      })
      return links.create(appId, [newLink({}), newLink({ slug: 'given' }), newLink({})])
    })
    expect(made.map(({ slug }) => slug)).to.deep.equal(['two', 'given', 'one'])
    expect(new Set(made.map(({ id }) => id)).size).to.equal(3)
    const [plain] = await create(newLink({}))
    expect(plain!.slug).to.match(/^[\w-]{16}$/)
  })

  it('list in the order of their creation, page by page', async () => {
    const app = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Lists' }))
    const made = await test.program.inTransaction((tx) =>
      tx.links.create(
        app.id,
        Array.from({ length: 5 }, (_, i) => newLink({ slug: `${9 - i}` })),
      ),
    )
    const first = await test.program.links.list(app.id, { limit: 3 })
    const second = await test.program.links.list(app.id, { limit: 3, after: first.next! })
    expect([...first.links, ...second.links]).to.deep.equal(made)
    expect(second.next).to.equal(null)
  })

  it('with a limit of 1 are matched by exactly one of 100 look-ups at once', async () => {
    const { id } = await createOne(newLink({ lookupLimit: 1 }))
    const states = await Promise.all(Array.from({ length: 100 }, () => lookUp(id)))
    expect(states.filter((state) => state === 'active')).to.have.length(1)
    expect(states.filter((state) => state === 'over_limit')).to.have.length(99)
    expect((await test.program.links.get(appId, id)).lookups).to.equal(1)
    expect((await eventsOf(id)).filter(({ type }) => type === 'link.matched')).to.have.length(1)
  })

  it('are expired from the very millisecond on, and expired comes before over the limit', async () => {
    const { id } = await createOne(newLink({ expiresAt: 5000, lookupLimit: 1 }))
    expect(await lookUp(id, 4999)).to.equal('active')
    expect(await lookUp(id, 4999)).to.equal('over_limit')
    expect(await lookUp(id, 5000)).to.equal('expired')
    const link = await test.program.links.get(appId, id)
    expect(link.lookups).to.equal(1)
    const { stateOf } = test.program.links
    expect([stateOf(link, 4999), stateOf(link, 5000)]).to.deep.equal(['over_limit', 'expired'])
    expect(stateOf({ ...link, lookups: 0 }, 4999)).to.equal('active')
  })

  it('count clicks and looks-ups, and tell of each with their reportingMeta', async () => {
    const { id, slug } = await createOne(newLink({ reportingMeta: { campaign: 'spring' } }))
    const plain = await createOne(newLink({}))
    const at = test.clock.now() - 60_000
    await test.program.inTransaction((tx) =>
      tx.links.recordClicks([
        { appId, linkId: id, at, data: { platform: 'ios' } },
        { appId, linkId: plain.id, at: at + 1 },
        { appId, linkId: id, at: at + 2 },
        { appId, linkId: 999_999, at },
      ]),
    )
    await test.program.inTransaction((tx) => tx.links.countLookup(appId, id, at + 3, { data: { route: 'link' } }))
    expect(await test.program.links.get(appId, id)).to.deep.include({ clicks: 2, lookups: 1 })
    expect(await test.program.links.get(appId, plain.id)).to.deep.include({ clicks: 1, lookups: 0 })
    const about = { linkId: id, slug, reportingMeta: { campaign: 'spring' } }
    expect((await eventsOf(id)).map(({ type, data, happenedAt }) => [type, data, happenedAt])).to.deep.equal([
      ['link.created', about, test.clock.now()],
      ['link.clicked', { ...about, platform: 'ios' }, at],
      ['link.clicked', about, at + 2],
      ['link.matched', { ...about, route: 'link' }, at + 3],
    ])
    expect((await eventsOf(plain.id)).map(({ data }) => data)).to.deep.equal([
      { linkId: plain.id, slug: plain.slug },
      { linkId: plain.id, slug: plain.slug },
    ])
  })

  it('of a full batch keep their order', async () => {
    const links = Array.from({ length: 500 }, (_, i) => newLink({ linkData: { i }, reportingMeta: { i } }))
    const made = await create(...links)
    expect(made.map(({ linkData }) => linkData.i)).to.deep.equal(links.map((_, i) => i))
    expect(new Set(made.map(({ slug }) => slug)).size).to.equal(500)
  })
})

interface Failed {
  code: string
  details: { fields?: Record<string, string[]> }
}

async function failure(work: Promise<unknown>): Promise<Failed> {
  try {
    await work
  } catch (error) {
    return error as Failed
  }
  throw new Error('it did not fail')
}

async function expectCode(work: Promise<unknown>, code: string): Promise<void> {
  expect((await failure(work)).code).to.equal(code)
}
