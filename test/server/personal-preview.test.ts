import { expect } from 'chai'
import { platforms } from '../../src/domain/gateways/registry.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { addPerson } from '../support/people.ts'
import { onEachDatabase } from '../support/program.ts'

interface Rendered {
  userId: string | null
  installId: string | null
  language: string | null
  leftOut: string | null
  missing: string[]
  defaults: { expression: string; text: string }[]
  title: string | null
  message: string | null
  gateways: { platform: string; request: { payload: object; bytes: number } }[]
}

interface Coverage {
  sampled: number
  expressions: { expression: string; path: string; missing: number; defaults: number; defaultText: string | null }[]
  skipped: number
  tooLarge: number
  longest: { platform: string; bytes: number; limit: number }
  languages?: { language: string; count: number }[]
  examples: { userId: string; language: string | null; title: string; message: string }[]
}

interface Preview {
  recipients: number
  rendered?: Rendered
  warnings?: string[]
  personalization?: Coverage
}

const PREVIEW = '/messages/v2/notifications/preview'
const EVERYBODY = { target: { broadcast: true } }
const HELLO = {
  ...EVERYBODY,
  personalize: {},
  content: {
    title: "Hello {{ user.attributes.firstName | default: 'you' }}",
    message: 'Order {{ meta.order }} in {{ user.attributes.city }}',
    url: 'https://shop.example/o/{{ meta.order }}',
  },
  userMeta: { anna: { order: 'A/1' }, ben: { order: 'B2' } },
}

/** The answer of the preview of the plain push before there were personalised ones. */
const PLAIN = JSON.stringify({
  recipients: 3,
  isComplete: true,
  confirm: null,
  gateways: [
    {
      platform: 'android',
      recipients: 3,
      configured: true,
      request: {
        headers: { 'content-type': 'application/json' },
        payload: {
          message: {
            data: {
              title: 'Hi',
              alert: 'there',
              custom: '{"a":{"k.message":{"type":1,"data":{"id":9999999999}}},"u":null,"i":"9999999999"}',
            },
            android: { priority: 'normal', ttl: '0s' },
          },
        },
        bytes: 104,
        limit: 4096,
      },
    },
  ],
  leftOut: [],
  mayBeSkipped: [],
  errors: {},
})

onEachDatabase('the preview of a personalised push', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
    const { program, first } = test
    await withAndroids(test, 0)
    for (const [name, attributes, locale] of [
      ['anna', { firstName: 'Anna', city: 'Wien' }, 'de_AT'],
      ['ben', { city: 'Paris' }, 'fr-FR'],
      ['cleo', { firstName: 'Cleo' }, 'en-GB'],
    ] as const) {
      const id = await addInstall(program, first.id, `${name}-phone`, { user: name })
      await program.inTransaction((tx) => tx.crm.putAttributes(first.id, name, attributes))
      await program.kernel.db.write((trx) => trx('installs').where({ id }).update({ locale }))
    }
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, 'nobody', { city: 'Rom' }))
  })
  after(() => test.close())

  const preview = async (query: string, body: object = HELLO) => {
    const { status, body: found } = await test.call('POST', `${PREVIEW}${query}`, { body })
    expect(status, JSON.stringify(found)).to.equal(200)
    return found as Preview
  }

  it('answers a plain request without query byte for byte as before', async () => {
    const found = await preview('', { ...EVERYBODY, content: { title: 'Hi', message: 'there' }, ttl: 0 })
    expect(JSON.stringify(found)).to.equal(PLAIN)
  })

  it('renders it for a user, for every platform, with the metadata of the request', async () => {
    const { rendered, warnings, personalization } = await preview('?userId=anna')
    expect(rendered).to.deep.include({
      userId: 'anna',
      installId: null,
      language: null,
      leftOut: null,
      missing: [],
      defaults: [],
      title: 'Hello Anna',
      message: 'Order A/1 in Wien',
    })
    expect(rendered!.gateways.map(({ platform }) => platform)).to.deep.equal(platforms)
    for (const { platform, request } of rendered!.gateways) {
      expect(JSON.stringify(request.payload), platform).to.include('Hello Anna').and.include('Order A/1 in Wien')
      expect(request.bytes).to.be.above(0)
    }
    expect(warnings).to.deep.equal([])
    expect(personalization).to.equal(undefined)
  })

  it('says what is missing, what a default says, and that the person gets nothing', async () => {
    const { rendered } = await preview('?installId=ben-phone')
    expect(rendered).to.deep.include({ userId: 'ben', installId: 'ben-phone', title: 'Hello you' })
    expect(rendered!.defaults).to.deep.equal([
      { expression: "user.attributes.firstName | default: 'you'", text: 'you' },
    ])
    const { rendered: cleo } = await preview('?userId=cleo')
    expect(cleo).to.deep.include({
      leftOut: 'missing_value',
      missing: ['meta.order', 'user.attributes.city'],
      title: null,
      message: null,
      gateways: [],
    })
    const empty = await preview('?userId=cleo', { ...HELLO, personalize: { missing: 'empty' } })
    expect(empty.rendered).to.deep.include({
      leftOut: null,
      missing: ['meta.order', 'user.attributes.city'],
      title: 'Hello Cleo',
      message: 'Order  in ',
    })
    expect((await preview('?userId=nobody', { ...HELLO, userMeta: { nobody: { order: '7' } } })).rendered).to.include({
      message: 'Order 7 in Rom',
    })
  })

  it('renders it in the language of the person, or in another one', async () => {
    const content = {
      title: 'Hi {{ install.language }}',
      message: 'M',
      languages: { de: { title: 'Hallo {{ 1234.5 | number: 1 }}', message: 'N' } },
    }
    const body = { ...EVERYBODY, personalize: {}, content }
    const of = async (query: string) => (await preview(query, body)).rendered
    expect(await of('?userId=anna')).to.include({ language: 'de', title: 'Hallo 1.234,5', message: 'N' })
    expect(await of('?userId=cleo')).to.include({ language: 'default', title: 'Hi en' })
    expect(await of('?userId=cleo&language=de-CH')).to.include({ language: 'de', title: 'Hallo 1.234,5' })
    expect(await of('?installId=anna-phone&language=pt')).to.include({ language: 'default', title: 'Hi pt' })
    const nobody = await of('?language=de')
    expect(nobody).to.include({ userId: null, language: 'de', title: 'Hallo {{ 1234.5 | number: 1 }}' })
    expect(nobody!.gateways).to.have.length(platforms.length)
  })

  it('renders a plain push for a person, too', async () => {
    const { rendered, warnings } = await preview('?userId=anna', {
      ...EVERYBODY,
      content: { title: 'Hi', message: 'there' },
    })
    expect(rendered).to.include({ title: 'Hi', message: 'there', leftOut: null, language: null })
    expect(warnings).to.deep.equal([])
  })

  it('answers 404 for a person whom there is not, before it counts anybody', async () => {
    for (const query of ['?userId=who', '?installId=who', `?userId=${'x'.repeat(300)}`, '?userId=who&sample=5']) {
      const { status, body } = await test.call('POST', `${PREVIEW}${query}`, { body: HELLO })
      expect(status, `${query} ${JSON.stringify(body)}`).to.equal(404)
    }
  })

  it('refuses every wrong value of the query, and names it', async () => {
    for (const [query, key] of [
      ['?userId=', 'userId'],
      ['?installId=', 'installId'],
      ['?installId=%00', 'installId'],
      ['?userId=anna&installId=anna-phone', 'installId'],
      ['?language=', 'language'],
      ['?language=german', 'language'],
      ['?language=jp', 'language'],
      ['?language=de_DE', 'language'],
      ['?sample=0', 'sample'],
      ['?sample=10001', 'sample'],
      ['?sample=-1', 'sample'],
      ['?sample=1.5', 'sample'],
      ['?sample=many', 'sample'],
      ['?sample=', 'sample'],
    ] as const) {
      const { status, body } = await test.call('POST', `${PREVIEW}${query}`, { body: HELLO })
      expect(status, query).to.equal(422)
      expect(Object.keys((body as { errors: object }).errors), query).to.deep.equal([key])
    }
  })

  it('says of a sample how many lack which value, and what stands there instead', async () => {
    const { recipients, personalization, warnings } = await preview('?sample=1000')
    expect(recipients).to.equal(3)
    expect(personalization).to.deep.include({ sampled: 3, skipped: 1, tooLarge: 0 })
    expect(personalization!.expressions).to.deep.equal([
      {
        expression: "user.attributes.firstName | default: 'you'",
        path: 'user.attributes.firstName',
        missing: 0,
        defaults: 1,
        defaultText: 'you',
      },
      { expression: 'meta.order', path: 'meta.order', missing: 1, defaults: 0, defaultText: null },
      { expression: 'user.attributes.city', path: 'user.attributes.city', missing: 1, defaults: 0, defaultText: null },
    ])
    expect(personalization).to.not.have.property('languages')
    expect(personalization!.longest.platform).to.equal('android')
    expect(personalization!.longest.bytes).to.be.above(100).and.below(personalization!.longest.limit)
    expect(personalization!.examples).to.have.deep.members([
      { userId: 'anna', language: null, title: 'Hello Anna', message: 'Order A/1 in Wien' },
      { userId: 'ben', language: null, title: 'Hello you', message: 'Order B2 in Paris' },
    ])
    expect(warnings).to.deep.equal([])
    expect((await preview('?sample=2')).personalization!.sampled).to.equal(2)
    const one = await preview('?sample=1000', { ...HELLO, target: { userIds: ['anna'] } })
    expect(one.personalization).to.deep.include({ sampled: 1, skipped: 0 })
  })

  it('says how many get which language, also of texts that are the same for everybody', async () => {
    const content = { title: 'Hi', message: 'M', languages: { de: { title: 'Hallo', message: 'N' } } }
    const { personalization } = await preview('?sample=10', { ...EVERYBODY, content })
    expect(personalization).to.deep.include({ sampled: 3, expressions: [], skipped: 0 })
    expect(personalization!.languages).to.deep.equal([
      { language: 'default', count: 2 },
      { language: 'de', count: 1 },
    ])
    expect(personalization!.examples.map(({ userId, title }) => [userId, title])).to.have.deep.members([
      ['anna', 'Hallo'],
      ['ben', 'Hi'],
      ['cleo', 'Hi'],
    ])
  })

  it('counts defaults that say different things, and a push that is too large for one person', async () => {
    const { personalization } = await preview('?sample=10', {
      ...EVERYBODY,
      personalize: {},
      content: { title: '{{ user.attributes.nick | default: user.identifier | upcase }}', message: '{{ meta.long }}' },
      userMeta: { anna: { long: 'x'.repeat(5000) }, ben: { long: 'y'.repeat(20_000) }, cleo: { long: 'z' } },
    })
    expect(personalization).to.deep.include({ sampled: 3, skipped: 0, tooLarge: 2 })
    expect(personalization!.expressions[0]).to.include({ missing: 0, defaults: 3, defaultText: null })
    expect(personalization!.longest).to.include({ platform: 'android' })
    expect(personalization!.longest.bytes).to.be.above(5000)
    expect(
      personalization!.examples.map(({ userId }) => userId),
      'who gets it',
    ).to.deep.equal(['cleo'])
  })

  it('warns of braces that nothing replaces, of unknown attributes, and of metadata that nobody gives', async () => {
    const braces = { ...EVERYBODY, content: { title: 'Hi {{ user.identifier }}', message: '{% if x %}y{% endif %}' } }
    const [warning] = (await preview('', braces)).warnings!
    expect(warning).to.match(/^content\.title, content\.message look like template texts, but .*"personalize": \{\}/)
    const { userMeta: _, ...without } = HELLO
    expect((await preview('', without)).warnings).to.deep.equal([
      'the texts read meta, but the request has no userMeta: these values are missing for everybody',
    ])
    const typo = {
      ...EVERYBODY,
      personalize: {},
      content: { title: "{% if user.attributes.plann == 'gold' %}A{% else %}B{% endif %}", message: '{{ meta.oder }}' },
      userMeta: HELLO.userMeta,
    }
    expect((await preview('?sample=5', typo)).warnings).to.deep.equal([
      'nobody of the 3 who were looked at has user.attributes.plann: compare its name with the attributes of a user',
      'nobody of the 3 who were looked at has meta.oder: compare its name with those in userMeta',
    ])
    expect((await preview('', typo)).warnings).to.deep.equal([])
    const inIds = {
      ...EVERYBODY,
      personalize: {},
      content: { title: 'T', message: 'M' },
      collapseId: '{{ user.identifier }}',
      ios: { threadId: '{{ user.identifier }}', category: 'plain', sound: { name: '{{ a }}' } },
      buttons: [{ id: '{{ user.identifier }}', text: 'B' }],
    }
    expect((await preview('', inIds)).warnings).to.deep.equal([
      'nothing replaces the braces in collapseId, ios.sound, ios.threadId and 1 more: only texts, addresses and data are personalised',
    ])
  })

  it('counts and renders on the reader thread', async () => {
    const calls: unknown[] = []
    const pace = (turns: number) => ({ turn: async () => turns-- > 0, monotonic: () => 0, seconds: 60 })
    const using = async <T>(turns: number, work: () => Promise<T>): Promise<T> => {
      test.program.kernel.longReads = {
        async ask<R>(call: string, args: readonly unknown[], { seconds }: { seconds: number }) {
          calls.push([call, seconds])
          const cloned = structuredClone(args) as [number, never, never, number]
          return (await test.program.drafts.measure(...cloned, pace(turns))) as R
        },
        close() {},
      }
      try {
        return await work()
      } finally {
        test.program.kernel.longReads = undefined
      }
    }
    const whole = await using(100, () => preview('?sample=3'))
    expect(whole.personalization).to.include({ sampled: 3 })
    expect(calls).to.deep.equal([['notifications.measure', 60]])
    expect(await using(0, () => preview('?sample=3'))).to.deep.include({ recipients: 0, isComplete: false })
  })

  describe('in the console', () => {
    let call: (path: string, body: object) => Promise<{ status: number; body: Record<string, never> }>
    before(async () => {
      const ben = await addPerson(test.program, {
        roles: [{ appId: test.first.id, role: 'marketer' }],
        scopes: ['see', 'campaign'],
      })
      call = async (path, body) => {
        const options = { auth: `Bearer ${ben.token}`, body }
        return (await test.call('POST', `/admin/v1/apps/${test.first.id}${path}`, options)) as never
      }
    })
    const { target: _, ...SAYING } = HELLO

    it('shows payloads as a person gets them, beside those of the texts as they are written', async () => {
      const found = await call('/notifications/payloads?installId=anna-phone', SAYING)
      expect(found.body.rendered).to.include({ title: 'Hello Anna', message: 'Order A/1 in Wien' })
      expect(JSON.stringify(found.body.items)).to.include('{{ user.attributes.city }}')
      expect(found.body.warnings).to.deep.equal([])
      const plain = await call('/notifications/payloads', { content: { title: 'Hi', message: 'there' } })
      expect(Object.keys(plain.body)).to.deep.equal(['items'])
      expect((await call('/notifications/payloads?userId=who', SAYING)).status).to.equal(404)
      expect((await call('/notifications/payloads?language=xx-1', SAYING)).status).to.equal(422)
      expect((await call(`/notifications/preview?userId=anna`, HELLO)).body.rendered).to.include({
        title: 'Hello Anna',
      })
    })

    it('sends to a test device what its user gets', async () => {
      const device = await call('/test-devices', { name: 'Phone of Anna', installId: 'anna-phone' })
      const sent = await call('/test-pushes', { ...SAYING, devices: [device.body.id] })
      expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
      const { id } = sent.body.notification as unknown as { id: number }
      const got: string[] = []
      const { sender } = scriptedSender((_token, { content }) => {
        got.push(`${content.title} | ${content.message}`)
        return { kind: 'accepted' }
      })
      await fanOut(test)
      await deliverDue(test, sender)
      expect(got).to.deep.equal(['Hello Anna | Order A/1 in Wien'])
      expect((await test.program.notifications.report(test.first.id, id)).counts).to.include({ accepted: 1 })
    })

    it('estimates what recipients get, if it knows what the push says', async () => {
      const plain = await call('/notifications/estimate', EVERYBODY)
      expect(plain.body).to.not.have.any.keys('personalization', 'warnings')
      const found = await call('/notifications/estimate', HELLO)
      expect(found.status, JSON.stringify(found.body)).to.equal(200)
      expect(found.body.personalization).to.deep.include({ sampled: 3, skipped: 1 })
      expect(found.body.warnings).to.deep.equal([])
      expect((await call('/notifications/estimate?sample=2', HELLO)).body.personalization).to.include({ sampled: 2 })
      const wrong = { ...HELLO, content: { title: '{{ user.x }}', message: 'M' } }
      expect((await call('/notifications/estimate', wrong)).body).to.have.nested.property('errors.content\\.title')
      expect((await call('/notifications/estimate?sample=0', HELLO)).status).to.equal(422)
      const half = await call('/notifications/estimate', { ...EVERYBODY, content: { title: 'T' } })
      expect(half.body).to.have.nested.property('errors.content\\.message')
    })
  })
})
