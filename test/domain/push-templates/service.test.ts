import { expect } from 'chai'
import {
  fromLegacyForm,
  fromMessagesForm,
  fromPushForm,
  legacyForm,
  messagesForm,
  pushForm,
} from '../../../src/domain/notifications/schema.ts'
import { SOURCE } from '../../../src/domain/notifications/types.ts'
import { previewPushTemplate } from '../../../src/domain/push-templates/schema.ts'
import type { NewPushTemplate } from '../../../src/domain/push-templates/types.ts'
import { AppError } from '../../../src/platform/errors.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { onEachDatabase, openTestProgram, type TestProgram } from '../../support/program.ts'

/** The error that a promise is rejected with. */
async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(AppError)
  return error as AppError
}

const BODY = {
  content: {
    title: 'On its way',
    message: 'We have sent your order.',
    url: 'https://example.com/o',
    data: { a: 1, b: 2 },
  },
  ios: { subtitle: 'Your order', sound: 'bell.caf', badge: { type: 'incrementBy', count: 1 } },
  android: { channelId: 'orders' },
  buttons: [{ id: 'track', text: 'Track it' }],
}

onEachDatabase('push templates', (kind) => {
  let test: TestProgram
  let appId: number
  before(async () => {
    test = await openTestProgram({ kind })
  })
  beforeEach(async () => {
    appId = (await test.program.inTransaction((tx) => tx.apps.create({ name: 'App' }))).id
  })
  after(() => test.close())

  const create = (more: Partial<NewPushTemplate> = {}) =>
    test.program.inTransaction((tx) =>
      tx.pushTemplates.create(appId, { uid: 'shipped', name: 'Shipped', body: BODY, ...more }),
    )
  const update = (change: Parameters<TestProgram['program']['pushTemplates']['update']>[2], uid = 'shipped') =>
    test.program.inTransaction((tx) => tx.pushTemplates.update(appId, uid, change))

  it('are stored as they were given', async () => {
    const made = await create()
    expect(made).to.deep.include({ appId, uid: 'shipped', name: 'Shipped', version: 1, body: BODY })
    expect(await test.program.pushTemplates.get(appId, 'shipped')).to.deep.equal(made)
    expect(await test.program.pushTemplates.newest(appId, 'shipped')).to.deep.equal({ version: 1, body: BODY })
  })

  it('get a uid, and are called by it, when they come without', async () => {
    const { uid, name } = await create({ uid: undefined, name: undefined })
    expect(uid).to.match(/^[0-9a-f-]{36}$/)
    expect(name).to.equal(uid)
  })

  it('have a uid that no other push template of the app has, and that a template of in-app messages may have', async () => {
    await create()
    expect((await refusal(create())).code).to.equal('conflict')
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    await test.program.inTransaction((tx) => tx.pushTemplates.create(other.id, { uid: 'shipped', body: BODY }))
    expect((await test.program.pushTemplates.get(appId, 'shipped')).name).to.equal('Shipped')
    expect((await refusal(test.program.templates.get(appId, 'shipped'))).code).to.equal('not_found')
  })

  it('are found by their uid only, capitals included, and only in their app', async () => {
    await create()
    const other = await test.program.inTransaction((tx) => tx.apps.create({ name: 'Other' }))
    for (const uid of ['Shipped', 'no', '', 'shipped ', '\u0000', '\ud800']) {
      expect(await test.program.pushTemplates.exists(appId, uid)).to.equal(false)
      expect(await test.program.pushTemplates.newest(appId, uid)).to.equal(undefined)
      expect((await refusal(test.program.pushTemplates.get(appId, uid))).code, uid).to.equal('not_found')
      expect((await refusal(update({ name: 'x', body: {} }, uid))).code).to.equal('not_found')
      const deleted = test.program.inTransaction((tx) => tx.pushTemplates.delete(appId, uid))
      expect((await refusal(deleted)).code).to.equal('not_found')
    }
    expect(await test.program.pushTemplates.exists(appId, 'shipped')).to.equal(true)
    expect((await refusal(test.program.pushTemplates.get(other.id, 'shipped'))).code).to.equal('not_found')
  })

  it('make a new version of every change of what they say, and of nothing else', async () => {
    await create()
    test.clock.advance(1000)
    const content = { title: 'Sent', message: 'It is on its way.' }
    const changed = await update({ body: { content, buttons: null } })
    expect(changed).to.deep.include({ version: 2, body: { content, ios: BODY.ios, android: BODY.android } })
    expect(changed.updatedAt - changed.createdAt).to.equal(1000)
    expect(await update({ name: 'Sent', body: { content, ios: BODY.ios } })).to.include({ version: 2, name: 'Sent' })
    const { body } = await test.program.pushTemplates.version(appId, 'shipped', 1)
    expect(body).to.deep.equal(BODY)
    expect((await refusal(update({ uid: 'other', body: { content } }))).details.fields).to.have.all.keys('uid')
  })

  it('are refused when the app could not send them as they stand', async () => {
    const personal = { content: { title: 'Hello {{ name', message: 'M' }, personalize: {} }
    expect((await refusal(create({ body: personal }))).details.fields).to.have.all.keys('content.title')
    const critical = { content: BODY.content, ios: { interruptionLevel: 'critical' } }
    expect((await refusal(create({ body: critical }))).details.fields).to.have.all.keys('ios.interruptionLevel')
    const content = { title: 'T', message: 'M', url: '{{ meta.link }}' }
    await create({ body: { content, personalize: {} } })
    expect((await refusal(update({ body: { personalize: null } }))).details.fields).to.have.all.keys('content.url')
    expect(await test.program.pushTemplates.newest(appId, 'shipped')).to.include({ version: 1 })
  })

  it('keep the newest hundred versions', async () => {
    await create()
    await test.program.inTransaction(async (tx) => {
      for (let i = 0; i < 101; i++) {
        await tx.pushTemplates.update(appId, 'shipped', { body: { content: { title: `${i}`, message: 'M' } } })
      }
    })
    const { versions } = await test.program.pushTemplates.versions(appId, 'shipped', { limit: 1000 })
    expect([versions.length, versions[0]!.version, versions.at(-1)!.version]).to.deep.equal([100, 3, 102])
    expect((await refusal(test.program.pushTemplates.version(appId, 'shipped', 2))).code).to.equal('not_found')
  })

  it('are at most 64 KiB large, and at most a thousand in an app', async () => {
    const content = { title: 'T', message: 'x'.repeat(64 * 1024) }
    expect((await refusal(create({ body: { content } }))).details.fields).to.have.all.keys('')
    await create()
    expect((await refusal(update({ body: { content } }))).details.fields).to.have.all.keys('')
    await test.program.kernel.db.write(async (trx) => {
      const rows = Array.from({ length: 999 }, (_, i) => {
        return { app_id: appId, uid: `u${i}`, name: 'N', version: 1, created_at: 1, updated_at: 1 }
      })
      for (let i = 0; i < rows.length; i += 100) await trx('push_templates').insert(rows.slice(i, i + 100))
    })
    const full = await refusal(create({ uid: 'more' }))
    expect([full.code, full.message]).to.deep.equal([
      'conflict',
      'the app has 1000 push templates: delete one that is not used',
    ])
  })

  it('go with their app', async () => {
    const { id } = await create()
    await test.program.kernel.db.write((trx) => trx('apps').where({ id: appId }).delete())
    const { db } = test.program.kernel
    expect(await db.read('push_templates').where({ app_id: appId })).to.deep.equal([])
    expect(await db.read('push_template_versions').where({ push_template_id: id })).to.deep.equal([])
  })

  describe('named by a send', () => {
    const target = { installIds: ['phone'] }
    const judged = async (body: object) => {
      const judged = await test.program.sends.judge(
        appId,
        fromMessagesForm(parseJson(messagesForm, { target, ...body })),
      )
      return judged.content
    }
    const template = { uid: 'shipped', version: 1 }
    const stored = {
      title: 'On its way',
      message: 'We have sent your order.',
      background: false,
      url: 'https://example.com/o',
      data: { a: 1, b: 2 },
      buttons: BODY.buttons,
      ios: { subtitle: 'Your order', sound: 'bell.caf', badge: { type: 'incrementBy', count: 1 } },
      android: { channelId: 'orders' },
    }

    it('give it everything that they say', async () => {
      await create()
      expect(await judged({ content: { template: 'shipped' } })).to.deep.equal({ ...stored, template })
    })

    it('yield key by key to what it says itself', async () => {
      await create()
      const content = { template: 'shipped', title: 'Your bread', data: { c: 3 } }
      const own = { content, ios: { subtitle: 'Bread' }, android: { highPriority: true }, buttons: [] }
      expect(await judged({ ...own, collapseId: 'x' })).to.deep.equal({
        ...stored,
        template,
        title: 'Your bread',
        data: { c: 3 },
        collapseId: 'x',
        buttons: [],
        ios: { ...stored.ios, subtitle: 'Bread' },
        android: { channelId: 'orders', highPriority: true },
      })
      const without = await judged({ content: { template: 'shipped', data: null } })
      expect(without).to.not.have.property('data')
    })

    it('bring languages and personalised texts, which what the send says itself replaces whole', async () => {
      const personal = {
        content: {
          title: 'Hello {{ user.attributes.name }}',
          message: 'M',
          languages: { de: { title: 'Hallo', message: 'N' } },
        },
        personalize: { missing: 'empty' },
      }
      await create({ body: personal })
      const whole = await judged({ content: { template: 'shipped', url: 'https://example.com/{{ meta.order }}' } })
      expect(whole).to.deep.include({
        ...personal.content,
        url: 'https://example.com/{{ meta.order }}',
        personalize: { missing: 'empty' },
      })
      const languages = { fr: { title: 'Bonjour', message: 'O' } }
      const own = await judged({ content: { template: 'shipped', languages }, personalize: {} })
      expect(own).to.deep.include({ languages, personalize: { missing: 'skip' } })
      const wrong = await refusal(judged({ content: { template: 'shipped', title: 'Hello {{ name }}' } }))
      expect(wrong.details.fields).to.have.all.keys('content.title')
      await update({ body: { personalize: null } })
      const plain = await refusal(judged({ content: { template: 'shipped', url: '{{ meta.link }}' } }))
      expect(plain.details.fields).to.have.all.keys('content.url')
    })

    it('mean the same in all three forms', async () => {
      await create()
      const forms = [
        fromMessagesForm(parseJson(messagesForm, { target, content: { template: 'shipped' } })),
        fromPushForm(parseJson(pushForm, { target, content: { template: 'shipped' } })),
        fromLegacyForm(parseJson(legacyForm, { ...target, template: 'shipped' })),
      ]
      for (const form of forms) {
        expect((await test.program.sends.judge(appId, form)).content).to.deep.equal({ ...stored, template })
      }
      const own = { ...target, template: 'shipped', message: 'Soon.', soundConfig: { iosSound: 'own.caf' } }
      const { content } = await test.program.sends.judge(appId, fromLegacyForm(parseJson(legacyForm, own)))
      expect(content).to.deep.equal({ ...stored, template, message: 'Soon.', ios: { ...stored.ios, sound: 'own.caf' } })
    })

    it('are refused by name when there is none, or when the two do not go together', async () => {
      await create()
      const unknown = await refusal(judged({ content: { template: 'gone' } }))
      expect(unknown.details.fields).to.have.all.keys('content.template')
      const flat = fromLegacyForm(parseJson(legacyForm, { ...target, template: 'gone' }))
      expect((await refusal(test.program.sends.judge(appId, flat))).details.fields).to.have.all.keys('template')
      const large = await refusal(judged({ content: { template: 'shipped', data: { x: 'y'.repeat(5000) } } }))
      expect(large.details.fields).to.have.all.keys('content')
      const empty = () => parseJson(messagesForm, { target, content: { template: 'shipped', title: '' } })
      expect(empty).to.throw(AppError).with.nested.property('details.fields').that.has.all.keys('content.title')
      const misplaced = () =>
        parseJson(messagesForm, { target, template: 'shipped', content: { title: 'T', message: 'M' } })
      expect(misplaced).to.throw(AppError).with.nested.property('details.fields').that.has.all.keys('template')
      expect(parseJson(previewPushTemplate, { cron: '0 9 * * *' }), 'has no schedule to put it into').to.deep.equal({})
    })

    it('are kept with it by uid and version, and it keeps what it says when they go', async () => {
      await create()
      await update({ body: { android: null } })
      const { notification } = await test.program.inTransaction(async (tx) => {
        await tx.crm.ensureInstall(appId, 'phone', test.clock.now())
        const body = { ...target, template: 'shipped' }
        return tx.sends.accept(appId, SOURCE.legacy, fromLegacyForm(parseJson(legacyForm, body)))
      })
      await test.program.inTransaction((tx) => tx.pushTemplates.delete(appId, 'shipped'))
      const { notification: kept } = await test.program.notifications.report(appId, notification!.id)
      expect(kept.content).to.deep.equal({ ...stored, android: {}, template: { uid: 'shipped', version: 2 } })
    })
  })
})
