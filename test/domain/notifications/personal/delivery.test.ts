import { expect } from 'chai'
import type { Outcome, PushContent } from '../../../../src/domain/gateways/gateway.ts'
import { SOURCE } from '../../../../src/domain/notifications/types.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addInstall } from '../../../support/installs.ts'
import { parse } from '../../../support/notification-forms.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }

onEachDatabase('a personalised push', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
    await test.program.inTransaction((tx) =>
      tx.gateways.configure(test.first.id, { android: { secret: {}, facts: { warnings: [] }, sendable: true } }),
    )
  })
  afterEach(() => test.close())

  async function phone(
    installId: string,
    { attributes, details = {} }: { attributes?: object; details?: object } = {},
  ): Promise<void> {
    await addInstall(test.program, test.first.id, installId, { user: installId })
    if (attributes) {
      await test.program.inTransaction((tx) =>
        tx.crm.putAttributes(test.first.id, installId, attributes as Record<string, unknown>),
      )
    }
    if (Object.keys(details).length > 0) {
      await test.program.kernel.db.write((trx) =>
        trx('installs').where({ app_id: test.first.id, install_id: installId }).update(details),
      )
    }
  }

  async function send(body: object): Promise<number> {
    const found = await test.program.inTransaction((tx) =>
      tx.sends.accept(test.first.id, SOURCE.messages, parse.messages({ target: { broadcast: true }, ...body })),
    )
    return found.notification!.id
  }

  /** What each phone got, by its install. */
  async function deliver(answer: (token: string) => Outcome = () => ACCEPTED): Promise<Map<string, PushContent>> {
    const got = new Map<string, PushContent>()
    const { sender } = scriptedSender((token, { content }) => {
      got.set(token.replace('token-', ''), content)
      return answer(token)
    })
    await fanOut(test)
    await deliverDue(test, sender)
    return got
  }

  const report = (id: number) => test.program.notifications.report(test.first.id, id)

  it('says to everyone what is stored about them', async () => {
    await phone('anna', { attributes: { firstName: 'Anna', plan: 'gold' } })
    await phone('ben', { attributes: { firstName: 'Ben' }, details: { os_version: '17.2' } })
    const id = await send({
      personalize: {},
      content: {
        title: 'Hello {{ user.attributes.firstName }}',
        message: "{% if user.attributes.plan == 'gold' %}Free{% else %}2 €{% endif %} delivery",
        data: { who: '{{ user.identifier }}', deep: [{ os: '{{ install.osVersion | default: "?" }}' }] },
        url: 'https://shop.example/o/{{ user.identifier }}',
      },
    })
    const got = await deliver()
    expect(got.get('anna')).to.include({
      title: 'Hello Anna',
      message: 'Free delivery',
      url: 'https://shop.example/o/anna',
    })
    expect(got.get('ben')).to.include({ title: 'Hello Ben', message: '2 € delivery' })
    expect(got.get('ben')!.data).to.deep.equal({ who: 'ben', deep: [{ os: '17.2' }] })
    expect((await report(id)).counts).to.include({ audience: 2, accepted: 2 })
  })

  it('leaves out whoever lacks a value, and reports which', async () => {
    await phone('anna', { attributes: { firstName: 'Anna' } })
    await phone('ben')
    const id = await send({ personalize: {}, content: { title: 'Hi {{ user.attributes.firstName }}', message: 'M' } })
    expect([...(await deliver()).keys()]).to.deep.equal(['anna'])
    const { counts, skips, missing, failures } = await report(id)
    expect(counts).to.include({ audience: 2, accepted: 1, skipped: 1, failed: 0 })
    expect(skips).to.deep.equal([{ reason: 'missing_value', count: 1 }])
    expect(missing).to.deep.equal([{ expression: 'user.attributes.firstName', count: 1 }])
    expect(failures).to.deep.equal([])
  })

  it('gives each user their own part of the metadata of the request', async () => {
    await phone('anna')
    await phone('ben')
    await send({
      personalize: { missing: 'empty' },
      userMeta: { anna: { order: 'A/1' } },
      content: { title: 'Order {{ meta.order }}', message: 'M', url: 'https://shop.example/o/{{ meta.order }}' },
    })
    const got = await deliver()
    expect(got.get('anna')).to.include({ title: 'Order A/1', url: 'https://shop.example/o/A%2F1' })
    expect(got.get('ben')).to.include({ title: 'Order ' })
  })

  it('speaks the language of each phone, and counts by language', async () => {
    await phone('anna', { details: { locale: 'de_AT' } })
    await phone('ben', { details: { locale: 'fr-FR' } })
    const id = await send({
      content: { title: 'Hello', message: 'M', languages: { de: { title: 'Hallo', message: 'N' } } },
    })
    const got = await deliver()
    expect(got.get('anna')).to.include({ title: 'Hallo', message: 'N' })
    expect(got.get('ben')).to.include({ title: 'Hello', message: 'M' })
    expect(got.get('ben')).to.not.have.property('languages')
    expect((await report(id)).languages).to.deep.equal([
      { language: 'de', accepted: 1, opened: 0 },
      { language: 'default', accepted: 1, opened: 0 },
    ])
  })

  it('shows what the tables of the app know', async () => {
    const { program, first } = test
    const table = await program.inTransaction((tx) =>
      tx.tables.create(first.id, 'products', [
        { name: 'sku', type: 'string', required: true, unique: true, indexed: false, default: null, references: null },
        {
          name: 'name',
          type: 'string',
          required: false,
          unique: false,
          indexed: false,
          default: null,
          references: null,
        },
      ]),
    )
    await program.inTransaction((tx) =>
      tx.records.create(first.id, table.alias, [{ sku: 'b1', name: 'Rye bread' }, { sku: 'c2' }]),
    )
    for (const [name, sku] of [
      ['anna', 'b1'],
      ['ben', 'c2'],
      ['cleo', 'none'],
    ] as const)
      await phone(name, { attributes: { sku } })
    const id = await send({
      personalize: {},
      lookup: { product: { table: table.alias, by: 'sku', value: '{{ user.attributes.sku }}' } },
      content: { title: '{{ lookup.product.name }} is back', message: 'M' },
    })
    const got = await deliver()
    expect([...got]).to.have.length(1)
    expect(got.get('anna')!.title).to.equal('Rye bread is back')
    expect((await report(id)).missing).to.deep.equal([{ expression: 'lookup.product.name', count: 2 }])
  })
})
