import { expect } from 'chai'
import type { PushContent } from '../../../../src/domain/gateways/gateway.ts'
import { STATUS } from '../../../../src/domain/in-app/types.ts'
import type { ContentDocument, Tag } from '../../../../src/domain/templates/types.ts'
import { collect } from '../../../../src/platform/concurrency/chunks.ts'
import { presentInAppReport } from '../../../../src/present/api/in-app.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { accept, addUser, handOut, holders } from '../../../support/in-app.ts'
import { addInstall } from '../../../support/installs.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const BUTTON = 'https://shop.example/'
const OFFER: ContentDocument = {
  ver: 1,
  frame: {
    type: 'alert',
    nodes: [
      { type: 'heading', text: '{{Title}}' },
      { type: 'text', text: 'Only {{Price}} €' },
      { type: 'image', src: '{{Picture}}', alt: 'Offer' },
      { type: 'button', text: 'Open', actions: [{ type: 'openUrl', data: { url: '{{Link}}' } }] },
    ],
  },
}
const OFFER_TAGS: Tag[] = [
  { title: 'Title', type: 'text', required: true },
  { title: 'Price', type: 'number', required: true, default: 9 },
  { title: 'Picture', type: 'image', required: false, default: 'https://cdn.example/0.png' },
  { title: 'Link', type: 'url', required: false, default: BUTTON },
]

onEachDatabase('a personalised in-app message', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await test.program.inTransaction((tx) =>
      tx.templates.create(test.first.id, { uid: 'offer', content: OFFER, tags: OFFER_TAGS, sample: { Title: 'T' } }),
    )
  })
  afterEach(() => test.close())

  async function user(name: string, attributes: object = {}, details: object = {}): Promise<number> {
    const id = await addUser(test, name)
    await test.program.inTransaction((tx) =>
      tx.crm.putAttributes(test.first.id, name, attributes as Record<string, unknown>),
    )
    if (Object.keys(details).length > 0) await setInstall(`${name}-phone`, details)
    return id
  }

  const setInstall = (installId: string, details: object) =>
    test.program.kernel.db.write((trx) =>
      trx('installs').where({ app_id: test.first.id, install_id: installId }).update(details),
    )

  async function send(extra: object): Promise<number> {
    const { message } = await accept(test, { template: 'offer', ...extra })
    await handOut(test)
    return message!.id
  }

  /** The messages of a user as a device gets them. */
  async function synced(name: string) {
    const messages = await test.program.inAppSync.messages(test.first.id, name, undefined)
    return collect(messages)
  }

  /** The texts of the document that a user is shown: heading, text, picture, link. */
  async function shown(name: string): Promise<unknown[]> {
    const [message] = await synced(name)
    const { nodes } = (message!.content as unknown as ContentDocument).frame
    return nodes.map((node) =>
      'text' in node && node.type !== 'button' ? node.text : 'src' in node ? node.src : JSON.stringify(node.actions),
    )
  }

  const linkTo = (url: string) => JSON.stringify([{ type: 'openUrl', data: { url } }])
  const report = async (id: number) => presentInAppReport(await test.program.inApp.report(test.first.id, id))

  it('says to each user what is stored about them, by every root', async () => {
    const { program, first } = test
    const column = { type: 'string', required: false, unique: false, indexed: false, default: null, references: null }
    const table = await program.inTransaction((tx) =>
      tx.tables.create(first.id, 'products', [
        { ...column, name: 'sku', type: 'string', indexed: true },
        { ...column, name: 'picture', type: 'string' },
      ]),
    )
    await program.inTransaction((tx) =>
      tx.records.create(first.id, table.alias, [{ sku: 'b1', picture: 'https://cdn.example/rye.png' }]),
    )
    await user('anna', { firstName: 'Anna', sku: 'b1', price: 2.5 }, { os_version: '17.2' })
    await user('ben', { firstName: 'Ben', sku: 'b1', price: 3 })
    await user("o'brien", { firstName: 'Pat', sku: 'b1', price: 4 })
    await send({
      personalize: {},
      lookup: { product: { table: table.alias, by: 'sku', value: '{{ user.attributes.sku }}' } },
      content: {
        Title:
          'Hello {{ user.attributes.firstName }} ({{ user.identifier }}), {{ app.name }} on {{ install.osVersion | default: "?" }}',
        Price: '{{ user.attributes.price }}',
        Picture: '{{ lookup.product.picture }}',
        Link: 'https://shop.example/{{ user.identifier }}/{{ now | date: "%Y" }}',
      },
      data: { who: ['{{ user.attributes.firstName | upcase }}'], same: 1 },
    })
    const year = new Date(test.clock.now()).getUTCFullYear()
    expect(await shown('anna')).to.deep.equal([
      `Hello Anna (anna), ${first.name} on 17.2`,
      'Only 2.5 €',
      'https://cdn.example/rye.png',
      linkTo(`https://shop.example/anna/${year}`),
    ])
    expect((await shown('ben'))[0]).to.equal(`Hello Ben (ben), ${first.name} on ?`)
    expect((await shown("o'brien"))[3]).to.deep.equal(linkTo(`https://shop.example/o%27brien/${year}`))
    expect((await synced('anna'))[0]!.data).to.deep.equal({ who: ['ANNA'], same: 1 })
  })

  it('leaves out users for whom a value is missing or no number or address, and reports which', async () => {
    await user('anna', { firstName: 'Anna', price: '1,5', link: '/x' })
    await user('ben', { price: 1 })
    await user('cleo', { firstName: 'Cleo', price: 'cheap' })
    const id = await send({
      personalize: {},
      content: { Title: 'Hi {{ user.attributes.firstName }}', Price: '{{ user.attributes.price }}' },
    })
    expect(await holders(test, id)).to.deep.equal(['anna'])
    const { counts, personalization } = await report(id)
    expect(counts).to.deep.include({
      recipients: 1,
      skipped: 2,
      skips: [{ reason: 'missing_value', count: 2 }],
    })
    expect(personalization).to.deep.equal({
      missing: [
        { expression: 'user.attributes.firstName', count: 1 },
        { expression: 'content.Price', count: 1 },
      ],
    })
  })

  it('prints nothing for a missing value when the request says so, but never an empty title of an inbox entry', async () => {
    await user('anna', { firstName: 'Anna' })
    await user('ben')
    const content = { Title: 'Hi{{ user.attributes.firstName | prepend: " " }}' }
    const id = await send({
      personalize: { missing: 'empty' },
      content: { Title: 'Hi {{ user.attributes.firstName }}' },
    })
    expect(await holders(test, id)).to.deep.equal(['anna', 'ben'])
    expect((await shown('ben'))[0]).to.equal('Hi ')
    const other = await send({
      personalize: { missing: 'empty' },
      content,
      inbox: { title: '{{ user.attributes.firstName }}', subtitle: '' },
    })
    expect(await holders(test, other)).to.deep.equal(['anna'])
  })

  it('leaves out users for whom it would be too large, and counts them', async () => {
    await user('anna', { long: 'x'.repeat(1500) })
    await user('ben', { long: 'x'.repeat(2001) })
    const id = await send({
      personalize: {},
      content: { Title: '{{ user.attributes.long }}' },
      data: { a: '{{ user.attributes.long }}' },
    })
    expect(await holders(test, id)).to.deep.equal(['anna'])
    expect((await report(id)).counts).to.deep.include({ skipped: 1, skips: [{ reason: 'too_large', count: 1 }] })
    const many = await send({
      personalize: {},
      content: { Title: 'T' },
      data: { a: '{{ user.attributes.long }}', b: '{{ user.attributes.long }}', c: '{{ user.attributes.long }}' },
    })
    const none = await report(many)
    expect(none).to.include({ status: STATUS.failed })
    expect(none.statusReason).to.equal('for everybody who is meant a value is missing or too large')
  })

  it('says the same on all devices of a user, whatever is stored about them later', async () => {
    await user('anna', { firstName: 'Anna' }, { locale: 'de_AT', last_active: 10 })
    await addInstall(test.program, test.first.id, 'anna-tablet', { user: 'anna' })
    await setInstall('anna-tablet', { locale: 'fr_FR', last_active: 20 })
    await send({
      personalize: {},
      content: { Title: 'Hello {{ user.attributes.firstName }}' },
      languages: {
        de: { Title: 'Hallo {{ user.attributes.firstName }}' },
        fr: { Title: 'Bonjour {{ user.attributes.firstName }}', Price: 7 },
      },
    })
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'anna', { firstName: 'Eve' }))
    await setInstall('anna-phone', { last_active: 30 })
    expect((await shown('anna')).slice(0, 2)).to.deep.equal(['Bonjour Anna', 'Only 7 €'])
    expect((await shown('anna')).slice(0, 2)).to.deep.equal(['Bonjour Anna', 'Only 7 €'])
  })

  it('speaks the language of each user, and counts by language who got it, saw it and read it', async () => {
    await user('anna', {}, { locale: 'de_AT' })
    await user('ben', {}, { locale: 'fr-FR' })
    await user('cleo', { language: 'de' }, { locale: 'en' })
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { languageAttribute: 'language' }))
    const id = await send({
      content: { Title: 'Hello {{ name }}' },
      languages: { de: { Title: 'Hallo' } },
      inbox: { title: 'Offer', subtitle: 'Now', languages: { de: { title: 'Angebot' } } },
    })
    expect((await shown('anna'))[0]).to.equal('Hallo')
    expect((await shown('cleo'))[0]).to.equal('Hallo')
    expect((await shown('ben'))[0]).to.equal('Hello {{ name }}')
    expect((await synced('anna'))[0]!.inbox).to.include({ title: 'Angebot', subtitle: 'Now', imagePath: null })
    expect((await synced('ben'))[0]!.inbox).to.include({ title: 'Offer' })
    const event = (type: string) => ({ type, uuid: type, timestamp: test.clock.now(), data: { id, type: 2 } })
    for (const times of [1, 2]) {
      await test.program.inTransaction((tx) =>
        tx.events.ingest(test.first.id, 'anna-phone', [
          { ...event('k.message.opened'), uuid: `o${times}` },
          { ...event('k.message.read'), uuid: `r${times}` },
        ]),
      )
    }
    const { languages, personalization } = await report(id)
    expect(languages).to.deep.equal([
      { language: 'de', recipients: 2, shown: 1, read: 1 },
      { language: 'default', recipients: 1, shown: 0, read: 0 },
    ])
    expect(personalization).to.equal(undefined)
  })

  it('personalises the inbox entry', async () => {
    await user('anna', { firstName: 'Anna' })
    await send({
      personalize: {},
      content: { Title: 'T' },
      inbox: {
        title: 'For {{ user.attributes.firstName }}',
        subtitle: '{{ user.attributes.nothing | default: "-" }}',
        imageUrl: 'https://cdn.example/{{ user.identifier }}.png',
      },
    })
    expect((await synced('anna'))[0]!.inbox).to.deep.equal({
      title: 'For Anna',
      subtitle: '-',
      imagePath: 'https://cdn.example/anna.png',
      from: null,
      to: null,
    })
  })

  it('is announced by a push that says each user their own words, to those who get the message', async () => {
    await addGateway(test)
    for (const [name, firstName, locale] of [
      ['anna', 'Anna', 'de'],
      ['ben', 'Ben', 'en'],
      ['cleo', undefined, 'en'],
    ] as const) {
      await addUser(test, name, { subscribed: true })
      await test.program.inTransaction((tx) =>
        tx.crm.putAttributes(test.first.id, name, firstName ? { firstName } : {}),
      )
      await setInstall(`${name}-phone`, { locale })
    }
    const id = await send({
      personalize: {},
      content: { Title: '{{ user.attributes.firstName }}' },
      notification: {
        title: 'Hi {{ user.attributes.firstName }}',
        message: 'Look inside',
        android: { pictureUrl: 'https://cdn.example/{{ user.identifier }}.png' },
        languages: { de: { title: 'Hallo {{ user.attributes.firstName }}', message: 'Schau' } },
      },
    })
    const got = new Map<string, PushContent>()
    const { sender } = scriptedSender((token, { content }) => {
      got.set(token, content)
      return { kind: 'accepted' }
    })
    await fanOut(test)
    await deliverDue(test, sender)
    expect([...got.keys()].sort()).to.deep.equal(['token-anna-phone', 'token-ben-phone'])
    expect(got.get('token-anna-phone')).to.deep.include({
      title: 'Hallo Anna',
      message: 'Schau',
      inAppMessageId: id,
      android: { pictureUrl: 'https://cdn.example/anna.png' },
    })
    expect(got.get('token-ben-phone')).to.deep.include({ title: 'Hi Ben', message: 'Look inside' })
  })

  it('is gone with the user, and exported with their texts', async () => {
    await user('anna', { firstName: 'Anna' })
    await send({ personalize: {}, content: { Title: 'Hello {{ user.attributes.firstName }}' } })
    const rows = await collect(await test.program.exporting.of(test.first.id, 'anna'))
    const kept = rows.find(({ table }) => table === 'user_messages')!.row
    expect(kept.texts).to.deep.equal({ 'content.Title': 'Hello Anna' })
  })

  it('gives a message without the new keys as ever', async () => {
    await user('anna')
    const id = await send({ content: { Title: 'Hi {{ user.identifier }}' }, data: { a: '{{ b }}' } })
    const { read } = test.program.kernel.db
    expect(await read('user_messages').first('language', 'texts')).to.deep.equal({ language: null, texts: null })
    expect(await read('in_app_messages').where({ id }).first('personal', 'left_out')).to.deep.equal({
      personal: null,
      left_out: null,
    })
    expect((await shown('anna'))[0]).to.equal('Hi {{ user.identifier }}')
    const shownReport = await report(id)
    expect(shownReport).to.not.have.any.keys('languages', 'personalization')
  })

  it('lets no attribute extend the host of an address that a look-up gives', async () => {
    const { program, first } = test
    const column = { type: 'string', required: false, unique: false, indexed: true, default: null, references: null }
    const link = { type: 'button', text: 'Open', actions: [{ type: 'openUrl', data: { url: '{{Link}}{{Title}}' } }] }
    const content = { ver: 1, frame: { type: 'alert', nodes: [link] } } as unknown as ContentDocument
    const table = await program.inTransaction(async (tx) => {
      await tx.templates.create(first.id, { uid: 'joined', content, tags: OFFER_TAGS, sample: {} })
      return tx.tables.create(first.id, 'shops', [
        { ...column, name: 'city', type: 'string' },
        { ...column, name: 'site', type: 'string' },
      ])
    })
    await program.inTransaction((tx) =>
      tx.records.create(first.id, table.alias, [
        { city: 'Bonn', site: 'https://bonn.example' },
        { city: 'Köln', site: 'https://koeln.example/' },
      ]),
    )
    await user('anna', { city: 'Bonn', page: '.evil.example' })
    await user('ben', { city: 'Köln', page: '.evil.example' })
    const id = await send({
      template: 'joined',
      personalize: {},
      lookup: { shop: { table: table.alias, by: 'city', value: '{{ user.attributes.city }}' } },
      content: { Title: '{{ user.attributes.page }}', Link: '{{ lookup.shop.site }}' },
    })
    expect(await holders(test, id)).to.deep.equal(['ben'])
    expect(JSON.stringify(await synced('ben'))).to.include('https://koeln.example/.evil.example')
    expect((await test.program.inApp.report(first.id, id)).message.leftOut!.missing).to.deep.equal({
      'content.Title': 1,
    })
  })
})
