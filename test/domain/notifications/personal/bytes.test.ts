import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { PLATFORM_TYPES, type Platform, platforms } from '../../../../src/domain/gateways/registry.ts'
import { SOURCE } from '../../../../src/domain/notifications/types.ts'
import { deliverDue, fanOut } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { addInstall } from '../../../support/installs.ts'
import { parse } from '../../../support/notification-forms.ts'
import { onSqliteDaily, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'
import { WIRE_SENDERS } from '../../../support/wire-senders.ts'

/** More than stay prepared: what a vendor gets for each of them is written another way than for few. */
const PHONES = 70
const LAST = PHONES - 1
/** Everything that is escaped in JSON or longer in UTF-8, for the last of them. */
const HARD = 'Ü"\\ 😀\u2028\t</b>{{ x }}'

const PLAIN = {
  content: { title: 'Fresh “bread”', message: 'Until\nsix', url: 'https://shop.example/a?b=1', data: { n: 1 } },
}
const PERSONAL = {
  personalize: {},
  content: {
    title: 'Hello {{ user.attributes.name }}',
    message: 'Until\nsix, {{ user.identifier }}',
    url: 'https://shop.example/o/{{ user.attributes.name }}',
    data: { who: '{{ user.attributes.name }}', n: 1 },
  },
}

/** Messages as they were sent before there were ways to write many messages at once, with the id of the notification as ID: never to be recorded again. */
const SAID = JSON.parse(readFileSync(join(import.meta.dirname, 'bytes.json'), 'utf8')) as Record<
  Platform,
  { plain: string; first: string; last: string }
>

onSqliteDaily('the bytes of a push', (kind) => {
  let test: TestProgram

  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  /** Sends a body to phones of a platform, of which the last has the name `hard`. Returns what each got, and the report. */
  async function send(platform: Platform, body: object, hard = HARD) {
    const { program, first: app, clock } = test
    const { sender, bodies, tokenOf } = WIRE_SENDERS[platform]!(() => clock.now())
    await addGateway(test, platform)
    for (let i = 0; i < PHONES; i++) {
      const row = await addInstall(program, app.id, `i${i}`, { user: `u${i}` })
      await program.inTransaction((tx) => tx.crm.putAttributes(app.id, `u${i}`, { name: i === LAST ? hard : `N${i}` }))
      const token = { platform: PLATFORM_TYPES[platform], ...tokenOf(i) }
      await program.kernel.db.write((trx) => trx('installs').where({ id: row }).update(token))
    }
    const request = parse.messages({ target: { broadcast: true }, ttl: 3600, ...body })
    const { notification } = await program.inTransaction((tx) => tx.sends.accept(app.id, SOURCE.messages, request))
    await fanOut(test)
    await deliverDue(test, sender)
    const { id } = notification!
    const ownId = new RegExp(String.raw`(id\\*":|i\\*":\\*"|"n|knid=)${id}\b`, 'g')
    const said = (i: number) => {
      const { token } = tokenOf(i)
      return bodies.get(token)?.replaceAll(token, 'TOKEN').replaceAll(ownId, '$1ID')
    }
    return { said, report: await program.notifications.report(app.id, id) }
  }

  for (const platform of platforms) {
    it(`is the same as ever for everybody, and for each of many: ${platform}`, async () => {
      const plain = await send(platform, PLAIN)
      const own = await send(platform, PERSONAL)
      expect({ plain: plain.said(0), first: own.said(0), last: own.said(LAST) }).to.deep.equal(SAID[platform])
      expect(plain.said(LAST)).to.equal(SAID[platform].plain)
    })
  }

  for (const platform of ['android', 'ios', 'safari'] as const) {
    it(`is too large for one of many, and for nobody else: ${platform}`, async () => {
      const { said, report } = await send(platform, PERSONAL, 'x'.repeat(5000))
      expect(said(LAST)).to.equal(undefined)
      expect(said(0)).to.equal(SAID[platform].first)
      expect(report.counts).to.include({ audience: PHONES, accepted: LAST, failed: 1 })
      expect(report.failures.map(({ kind, count }) => ({ kind, count }))).to.deep.equal([
        { kind: 'payload_error', count: 1 },
      ])
    })
  }
})
