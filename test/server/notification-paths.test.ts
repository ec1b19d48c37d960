import { expect } from 'chai'
import { gateways, platforms } from '../../src/domain/gateways/registry.ts'
import { buildSafariPayload } from '../../src/domain/gateways/safari/payload.ts'
import { addGateway } from '../support/gateways.ts'
import { openTestServer, type TestServer } from '../support/http.ts'
import { addInstall } from '../support/installs.ts'
import { onSqliteDaily } from '../support/program.ts'

const FORMS = [
  { path: '/messages/v2/notifications', at: 'content.url' },
  { path: '/push/v2/notifications', at: 'content.url' },
  { path: '/push/notifications', at: 'url' },
] as const
const SITE = { siteUrl: 'https://shop.example/start?from=push', websiteName: 'Shop' }

onSqliteDaily('a path as the address of a notification', (kind) => {
  let test: TestServer
  before(async () => {
    test = await openTestServer({ kind })
  })
  beforeEach(async () => {
    await test.startOver()
    await addInstall(test.program, test.first.id, 'a')
  })
  after(() => test.close())

  const configure = (siteUrl = SITE.siteUrl) => addGateway(test, 'safari', { ...SITE, siteUrl })
  const send = ({ path, at }: (typeof FORMS)[number], url: string) => {
    const texts = { title: 'T', message: 'M', url }
    const body = at === 'url' ? { broadcast: true, ...texts } : { target: { broadcast: true }, content: texts }
    return test.call('POST', path, { body })
  }
  const errorsOf = ({ body }: { body: unknown }) => (body as { errors: Record<string, string[]> }).errors
  const latest = async () => {
    const { notifications } = await test.program.notifications.list(test.first.id, { limit: 1 })
    return notifications[0]!
  }

  for (const form of FORMS) {
    describe(`at ${form.path}`, () => {
      it('is a page of the website of the Safari gateway, on every platform', async () => {
        await configure()
        expect((await send(form, '/sale?x=1#new')).status).to.be.oneOf([201, 202])
        const { id, content } = await latest()
        const whole = 'https://shop.example/sale?x=1#new'
        expect(content.url).to.equal(whole)
        const message = { content: { ...content, notificationId: id }, expiresAt: 0, replacementKey: 'n' }
        for (const platform of platforms.filter((name) => name !== 'safari')) {
          const text = JSON.stringify(gateways[platform].preview(message).payload).replaceAll('\\', '')
          expect(text, platform).to.include(`"${whole}"`)
        }
        expect(buildSafariPayload(message.content, SITE).aps['url-args']).to.deep.equal([`sale?x=1&knid=${id}#new`])
      })

      it('is refused where no website is known, with the remedy', async () => {
        const answer = await send(form, '/sale?x=1')
        expect(answer.status).to.equal(422)
        expect(errorsOf(answer)).to.have.all.keys(form.at)
        expect(errorsOf(answer)[form.at]![0]).to.include('siteUrl of the safari gateway')
      })

      it('never names another host', async () => {
        await configure()
        const wrong = [
          '//evil.example/x',
          '/\\evil.example',
          '\\\\evil.example',
          '/\t/evil.example',
          '/sale ',
          'sale?x=1',
          '',
        ]
        for (const url of wrong) {
          const answer = await send(form, url)
          expect(answer.status, JSON.stringify(url)).to.equal(422)
          expect(errorsOf(answer), JSON.stringify(url)).to.have.all.keys(form.at)
        }
        for (const url of ['/', '/a//evil.example', '/../..//evil.example/', '/@evil.example', '/:80@evil.example/']) {
          expect((await send(form, url)).status, url).to.be.oneOf([201, 202])
          expect(new URL((await latest()).content.url!).origin, url).to.equal('https://shop.example')
        }
      })

      it('is left alone when it is a whole address, whatever the website is', async () => {
        await configure()
        await send(form, 'myapp://open/1')
        expect((await latest()).content.url).to.equal('myapp://open/1')
      })
    })
  }
})
