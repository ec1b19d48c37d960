import { expect } from 'chai'
import type { ContentDocument, Tag } from '../../../src/domain/templates/types.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'
import { alert, heading, newTemplate } from '../../support/templates.ts'

/** The error that a promise is rejected with. */
async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(AppError)
  return error as AppError
}

onEachDatabase('templates', (kind) => {
  let test: TestProgram
  let appId: number
  before(async () => {
    test = await openTestProgram({ kind })
  })
  beforeEach(async () => {
    appId = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'App' }))).id
  })
  after(() => test.close())

  const create = (more: Parameters<typeof newTemplate>[0] = {}) =>
    test.program.inTransaction((tx) => tx.templates.create(appId, newTemplate(more)))
  const update = (change: Parameters<TestProgram['program']['templates']['update']>[2], uid = 'note') =>
    test.program.inTransaction((tx) => tx.templates.update(appId, uid, change))

  it('are stored as they were given', async () => {
    const made = await create()
    expect(made).to.deep.include({ appId, uid: 'note', name: 'Note', version: 1, ...newTemplate() })
    expect(await test.program.templates.get(appId, 'note')).to.deep.equal(made)
  })

  it('get a uid, and are called by it, when they come without', async () => {
    const { uid, name } = await create({ uid: undefined, name: undefined })
    expect(uid).to.match(/^[0-9a-f-]{36}$/)
    expect(name).to.equal(uid)
  })

  it('have a uid that no other template of the app has', async () => {
    await create()
    expect((await refusal(create())).details.fields).to.have.all.keys('uid')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await test.program.inTransaction((tx) => tx.templates.create(other.id, newTemplate({ name: 'Theirs' })))
    expect((await test.program.templates.get(appId, 'note')).name).to.equal('Note')
  })

  it('are found by their uid only, capitals included, and only in their app', async () => {
    await create()
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    for (const uid of ['Note', 'no', '', 'note ', '\u0000', '\ud800']) {
      expect((await refusal(test.program.templates.get(appId, uid))).code, uid).to.equal('not_found')
      expect((await refusal(test.program.templates.preview(appId, uid, {}))).message).to.match(
        /^there is no template "/,
      )
      expect((await refusal(update({ name: 'x' }, uid))).code).to.equal('not_found')
      expect((await refusal(test.program.inTransaction((tx) => tx.templates.delete(appId, uid)))).code).to.equal(
        'not_found',
      )
    }
    expect((await refusal(test.program.templates.get(other.id, 'note'))).code).to.equal('not_found')
  })

  it('make a new version of every change, and keep the old ones', async () => {
    await create()
    test.clock.advance(1000)
    const content = alert([heading('New: {{Title}}')]) as ContentDocument
    const changed = await update({ content })
    expect(changed).to.deep.include({ version: 2, content, tags: newTemplate().tags, sample: { Title: 'Sample' } })
    expect(changed.updatedAt - changed.createdAt).to.equal(1000)
    expect(await test.program.templates.get(appId, 'note')).to.deep.equal(changed)
    expect(await test.program.templates.version(appId, 'note', 1)).to.deep.include({
      version: 1,
      content: newTemplate().content,
    })
    expect((await test.program.templates.preview(appId, 'note', { Title: 'x' })).version).to.equal(2)
    expect((await refusal(test.program.templates.version(appId, 'note', 3))).message).to.equal(
      'template "note" has no version 3',
    )
  })

  it('list their versions in pages', async () => {
    await create()
    for (const Title of ['b', 'c']) await update({ sample: { Title } })
    const first = await test.program.templates.versions(appId, 'note', { limit: 2 })
    expect(first.versions.map(({ version }) => version)).to.deep.equal([1, 2])
    const rest = await test.program.templates.versions(appId, 'note', { after: first.next!, limit: 2 })
    expect(rest).to.deep.include({ next: null })
    expect(rest.versions.map(({ version }) => version)).to.deep.equal([3])
  })

  it('stay at their version when only the name changes, or nothing', async () => {
    await create()
    expect(await update({ name: 'Other' })).to.deep.include({ name: 'Other', version: 1 })
    const { content, tags } = newTemplate()
    const sample = { Title: 'Sample' }
    expect(await update({ content, tags, sample })).to.deep.include({ version: 1, content, tags, sample })
    expect((await test.program.templates.versions(appId, 'note', { limit: 9 })).versions).to.have.length(1)
  })

  it('count every one of several changes at once', async () => {
    await create()
    const made = await Promise.all(['a', 'b', 'c', 'd'].map((Title) => update({ sample: { Title } })))
    expect(made.map(({ version }) => version).toSorted((a, b) => a - b)).to.deep.equal([2, 3, 4, 5])
  })

  it('refuse tags that do not go with the document that stays, and the other way round', async () => {
    await create()
    const { fields } = (await refusal(update({ tags: [{ title: 'Title', type: 'text', required: true }] }))).details
    expect(fields).to.deep.equal({
      tags: ['does not fit: content.frame.nodes[1].text uses an undeclared tag: {{Text}}; declare it in tags'],
    })
    const content = alert([heading('{{Nobody}}')]) as ContentDocument
    expect((await refusal(update({ content }))).details.fields).to.have.all.keys('content.frame.nodes[0].text')
    const empty = alert([heading('{{Text}}')]) as ContentDocument
    expect((await refusal(update({ content: empty, sample: { Title: 'x' } }))).details.fields).to.have.all.keys(
      'content',
    )
    const tags: Tag[] = [
      { title: 'Title', type: 'text', required: true },
      { title: 'Text', type: 'text', required: false, default: 'ä'.repeat(700) },
    ]
    await create({ uid: 'long', tags })
    const image = { type: 'image', src: 'https://example.com/{{Text}}', alt: '' }
    const long = alert([image, heading('{{Title}}')]) as ContentDocument
    expect((await refusal(update({ content: long }, 'long'))).details.fields!.content![0]).to.match(
      /^does not fit: tags\[1\]\.default makes frame\.nodes\[0\]\.src of the document wrong/,
    )
    expect((await refusal(update({ sample: { Nobody: 1 } }))).details.fields).to.have.all.keys('sample.Nobody')
    expect((await refusal(update({ uid: 'other', name: 'x' }))).details.fields).to.have.all.keys('uid')
    expect((await test.program.templates.get(appId, 'note')).version).to.equal(1)
  })

  it('drop the sample values of tags that left', async () => {
    await create({ sample: { Title: 'a', Text: 'b' } })
    const content = alert([heading('{{Title}}')]) as ContentDocument
    const { sample } = await update({ content, tags: [{ title: 'Title', type: 'text', required: true }] })
    expect(sample).to.deep.equal({ Title: 'a' })
  })

  it('are rendered with values, or with their sample values for a preview', async () => {
    await create()
    const { version, content, tags } = await test.program.templates.preview(appId, 'note', { Title: 'A', Text: 'B' })
    expect({ version, tags }).to.deep.equal({ version: 1, tags: newTemplate().tags })
    expect(content.frame.nodes.map((node) => 'text' in node && node.text)).to.deep.equal(['A', 'B', 'OK'])
    const preview = await test.program.templates.preview(appId, 'note')
    expect(preview.content.frame.nodes.map((node) => 'text' in node && node.text)).to.deep.equal(['Sample', 'OK'])
    const wrong = await refusal(test.program.templates.preview(appId, 'note', { Text: 5, Other: 1 }))
    expect(wrong.code).to.equal('invalid')
    expect(wrong.details.fields).to.have.all.keys('content.Title', 'content.Text', 'content.Other')
    expect((await refusal(test.program.templates.preview(appId, 'note', {}))).details.fields).to.have.all.keys(
      'content.Title',
    )
  })

  it('are listed in the order of their creation, in pages', async () => {
    for (const uid of ['c', 'a', 'b']) await create({ uid })
    const first = await test.program.templates.list(appId, { limit: 2 })
    expect(first.templates.map(({ uid }) => uid)).to.deep.equal(['c', 'a'])
    const rest = await test.program.templates.list(appId, { after: first.next!, limit: 2 })
    expect(rest.templates.map(({ uid }) => uid)).to.deep.equal(['b'])
    expect(rest.next).to.equal(null)
  })

  it('go with all their versions, and begin anew', async () => {
    await create()
    await update({ sample: {} })
    await test.program.inTransaction((tx) => tx.templates.delete(appId, 'note'))
    expect((await refusal(test.program.templates.version(appId, 'note', 1))).code).to.equal('not_found')
    expect((await create()).version).to.equal(1)
    expect(
      await test.program.kernel.db
        .read('template_versions')
        .whereNotIn('template_id', test.program.kernel.db.read('templates').select('id')),
    ).to.deep.equal([])
  })

  it('go with their app', async () => {
    await create()
    await test.program.inTransaction((tx) => tx.apps.delete(appId))
    expect(await test.program.kernel.db.read('templates').where({ app_id: appId })).to.deep.equal([])
  })
})
