import { expect } from 'chai'
import type { Outcome, PushContent } from '../../../../src/domain/gateways/gateway.ts'
import { SOURCE } from '../../../../src/domain/notifications/types.ts'
import type { AppError } from '../../../../src/platform/errors.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { erase } from '../../../support/erasures.ts'
import { addGateway } from '../../../support/gateways.ts'
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
    await addGateway(test)
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

  /** Delivers; returns what each phone got, by its install. */
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

  it('gives the same to people of whom it reads the same, and only to them', async () => {
    await phone('anna', { attributes: { plan: 1, seen: 'x' }, details: { locale: 'de_AT' } })
    await phone('ben', { attributes: { plan: '1', city: { name: 'Graz' } } })
    await phone('cleo', { attributes: { seen: 'y', plan: 1 } })
    await phone('dora', { attributes: { plan: 2, city: 'Graz' } })
    await phone('emil', { attributes: { seen: 'x' } })
    await phone('fay')
    await phone('gus', { attributes: { plan: 1 }, details: { locale: 'de_AT' } })
    const id = await send({
      personalize: {},
      content: {
        title: "{% if user.attributes.plan == '1' %}text{% else %}{{ user.attributes.plan }}{% endif %}",
        message: '{{ user.attributes.city.name | default: "somewhere" }}',
        languages: { de: { title: 'Stufe {{ user.attributes.plan }}', message: 'N' } },
      },
    })
    const got = await deliver()
    const texts = Object.fromEntries([...got].map(([name, { title, message }]) => [name, [title, message]]))
    expect(texts).to.deep.equal({
      anna: ['Stufe 1', 'N'],
      ben: ['text', 'Graz'],
      cleo: ['1', 'somewhere'],
      dora: ['2', 'somewhere'],
      gus: ['Stufe 1', 'N'],
    })
    const { missing, skips } = await report(id)
    expect(skips).to.deep.equal([{ reason: 'missing_value', count: 2 }])
    expect(missing).to.deep.equal([{ expression: 'user.attributes.plan', count: 2 }])
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

  it('shows every root', async () => {
    await phone('anna', {
      attributes: { a: { b: ['x', 'y'] } },
      details: {
        os: 'android',
        os_version: '15',
        app_version: '2.1',
        locale: 'pt_BR',
        country_iso_code: 'BR',
        timezone: 'America/Sao_Paulo',
      },
    })
    const roots = [
      'user.identifier',
      'user.attributes.a.b[1]',
      'install.os',
      'install.osVersion',
      'install.appVersion',
      'install.locale',
      'install.language',
      'install.country',
      'install.timezone',
      'meta.seat',
      'app.name',
      'now | date: "%Y"',
    ]
    await send({
      personalize: {},
      userMeta: { anna: { seat: 12 } },
      content: { title: 'T', message: roots.map((root) => `{{ ${root} }}`).join(';') },
    })
    expect((await deliver()).get('anna')!.message.split(';')).to.deep.equal([
      'anna',
      'y',
      'android',
      '15',
      '2.1',
      'pt_BR',
      'pt',
      'BR',
      'America/Sao_Paulo',
      '12',
      test.first.name,
      new Date(test.clock.now()).toISOString().slice(0, 4),
    ])
  })

  it('reads nothing of a value that is written like a text', async () => {
    const value = '{{ user.identifier }} {% if true %}"\\<b>\u202e__proto__'
    await phone('anna', { attributes: { value } })
    await send({ personalize: {}, content: { title: '{{ user.attributes.value }}', message: 'M' } })
    expect((await deliver()).get('anna')!.title).to.equal(value)
  })

  it('fails for the one whose text is too long, and nobody else', async () => {
    await phone('anna', { attributes: { bio: 'x'.repeat(20_000) } })
    await phone('ben', { attributes: { bio: 'short' } })
    const id = await send({ personalize: {}, content: { title: 'T', message: '{{ user.attributes.bio }}' } })
    expect([...(await deliver()).keys()]).to.deep.equal(['ben'])
    const { counts, failures } = await report(id)
    expect(counts).to.include({ accepted: 1, failed: 1 })
    expect(failures).to.deep.equal([{ kind: 'payload_error', reason: 'a text is too long for any push', count: 1 }])
  })

  it('gives nobody up because a vendor refuses the words of one', async () => {
    await phone('anna', { attributes: { name: 'bad' } })
    await phone('ben', { attributes: { name: 'good' } })
    const id = await send({ personalize: {}, content: { title: '{{ user.attributes.name }}', message: 'M' } })
    await deliver((token) =>
      token === 'token-anna' ? { kind: 'payload_error', reason: 'INVALID_ARGUMENT', everyone: true } : ACCEPTED,
    )
    expect((await report(id)).counts).to.include({ accepted: 1, failed: 1 })
  })

  it('says in a later attempt what is stored by then, and nothing to the erased', async () => {
    for (const name of ['anna', 'ben']) await phone(name, { attributes: { name } })
    const id = await send({ personalize: {}, content: { title: '{{ user.attributes.name }}', message: 'M' } })
    await deliver(() => ({ kind: 'throttled_recipient', reason: 'later', afterMs: 1000 }))
    await erase(test, 'anna')
    await test.program.inTransaction((tx) => tx.crm.putAttributes(test.first.id, 'ben', { name: 'Benedict' }))
    test.clock.advance(3_600_000)
    const got = await deliver()
    expect([...got].map(([install, { title }]) => [install, title])).to.deep.equal([['ben', 'Benedict']])
    expect((await report(id)).counts).to.include({ accepted: 1 })
  })

  it('skips whoever would get a blank title, also where missing values print nothing', async () => {
    await phone('anna', { attributes: { name: '  ' } })
    await phone('clara', { attributes: { name: '\u200f\u200b\u2060 \ufe0f' } })
    await phone('ben', { attributes: { name: 'Ben' } })
    const id = await send({
      personalize: { missing: 'empty' },
      content: { title: '{% if user.attributes.name %}{{ user.attributes.name }}{% endif %}', message: 'M' },
    })
    expect([...(await deliver()).keys()]).to.deep.equal(['ben'])
    expect((await report(id)).missing).to.deep.equal([{ expression: 'content.title', count: 2 }])
  })

  it('leaves out an address that became empty, and whoever has none where it is missing', async () => {
    await phone('anna')
    const content = { title: 'T', message: 'M', url: '{{ meta.link }}' }
    await send({ personalize: { missing: 'empty' }, content })
    expect((await deliver()).get('anna')).to.not.have.property('url')
    const id = await send({ personalize: {}, userMeta: { anna: { link: 'javascript:alert(1)' } }, content })
    expect((await deliver()).size).to.equal(0)
    expect((await report(id)).skips).to.deep.equal([{ reason: 'missing_value', count: 1 }])
  })

  it('counts the language of whoever opens it', async () => {
    await phone('anna', { details: { locale: 'de_AT' } })
    await phone('ben')
    const id = await send({
      content: { title: 'Hello', message: 'M', languages: { de: { title: 'Hallo', message: 'N' } } },
    })
    await deliver()
    const opened = (installId: string) => ({
      type: 'k.push.opened',
      uuid: `open-${installId}`,
      timestamp: test.clock.now(),
      data: { id },
    })
    for (const name of ['anna', 'ben', 'anna']) {
      await test.program.inTransaction((tx) => tx.events.ingest(test.first.id, name, [opened(name)]))
    }
    expect((await report(id)).languages).to.deep.equal([
      { language: 'de', accepted: 1, opened: 1 },
      { language: 'default', accepted: 1, opened: 1 },
    ])
  })

  it('prefers the attribute that the app names for the language', async () => {
    await test.program.inTransaction((tx) => tx.apps.restrain(test.first.id, { languageAttribute: 'profile.language' }))
    await phone('anna', { attributes: { profile: { language: 'de' } }, details: { locale: 'fr_FR' } })
    await send({
      content: {
        title: 'Hello',
        message: 'M',
        languages: { de: { title: 'Hallo', message: 'N' }, fr: { title: 'Salut', message: 'O' } },
      },
    })
    expect((await deliver()).get('anna')!.title).to.equal('Hallo')
  })

  it('refuses at once what is no template text, a look-up of nothing, and what is too large for everyone', async () => {
    const refusal = async (body: object) => {
      try {
        await send(body)
      } catch (error) {
        return (error as AppError).details.fields
      }
      return undefined
    }
    const personalize = {}
    expect(
      await refusal({
        personalize,
        content: { title: 'a {{ user.', message: '\n{{ nobody.x }}', data: { a: ['{% for %}'] } },
      }),
    ).to.have.all.keys('content.title', 'content.message', 'content.data.a[0]')
    const wrong = await refusal({ personalize, content: { title: 'T', message: 'b\n{{ nobody.x }}' } })
    expect(wrong!['content.message']![0]).to.match(/^line 2, column 4: /)
    const lookup = { product: { table: 'no_table', by: 'sku', value: 'x' } }
    expect(
      await refusal({ personalize, lookup, content: { title: 'T', message: '{{ lookup.product.name }}' } }),
    ).to.have.all.keys('lookup.product.table')
    const long = 'x'.repeat(5000)
    expect(await refusal({ personalize, content: { title: 'T {{ meta.x }}', message: long } })).to.have.all.keys(
      'content',
    )
    expect(
      await refusal({ content: { title: 'T', message: 'M', languages: { de: { title: 'T', message: long } } } }),
    ).to.have.all.keys('content.languages.de')
  })
})
