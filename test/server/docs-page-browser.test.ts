import { expect } from 'chai'
import type { BrowserContext, Page } from 'puppeteer-core'
import { needsChromium, openBrowser } from '../support/browser.ts'
import { openTestServer, type TestServer } from '../support/http.ts'

describe('the page of the interface, in a browser', () => {
  let server: TestServer
  let browser: BrowserContext
  let page: Page
  const problems: string[] = []

  before(async function () {
    await needsChromium(this)
    server = await openTestServer()
    browser = await openBrowser()
    page = await browser.newPage()
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(`${server.address}/docs`)
  })
  after(async () => {
    await browser?.close()
    await server?.close()
  })

  const shown = () =>
    page.$$eval('main section > details:not([hidden])', (entries) =>
      entries.filter((entry) => entry.closest('section[hidden]') === null).map(({ id }) => id),
    )
  const search = async (text: string) => {
    await page.$eval('#search', (box) => ((box as unknown as { value: string }).value = ''))
    await page.focus('#search')
    // In one piece: the page is searched anew with every key.
    await page.keyboard.sendCharacter(text)
  }

  it('search finds operations by the words of their path, their text and their fields', async () => {
    const all = (await shown()).length
    await page.keyboard.press('/')
    expect(await page.evaluate('document.activeElement.id')).to.equal('search')
    await search('users attributes PUT')
    const found = await shown()
    expect(found.length).to.be.within(1, all / 4)
    expect(await page.$eval('#found', (text) => text.textContent)).to.equal(`${found.length} found`)
    await search('no-such-word')
    expect(await shown()).to.deep.equal([])
    await page.keyboard.press('Escape')
    expect(await shown()).to.have.length(all)
  })

  it('an address with the name of an operation opens it', async () => {
    const [first] = await shown()
    await page.goto(`${server.address}/docs#${first}`)
    await page.waitForSelector(`details#${first}[open]`)
  })

  it('on a phone and on a desk, the bar hides no heading that an address leads to, and nothing is too wide', async () => {
    const [first] = await shown()
    for (const width of [360, 1280]) {
      await page.setViewport({ width, height: 800 })
      await page.$eval(`details#${first}`, (entry) => entry.scrollIntoView({ behavior: 'instant' }))
      const [bar, heading, wide] =
        (await page.evaluate(`[innerWidth < 1024 ? document.querySelector('aside').getBoundingClientRect().bottom : 0,
        document.querySelector('details#${first} summary').getBoundingClientRect().top,
        Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('details#${first} :is(td, pre)')].map((cell) => cell.getBoundingClientRect().right))]`)) as number[]
      expect(heading).to.be.at.least(bar!)
      expect(wide).to.be.at.most(width)
    }
  })

  it('every example has a button that copies it', async () => {
    const origin = new URL(server.address).origin
    await browser.setPermission(origin, {
      permission: { name: 'clipboard-write' },
      state: 'granted',
    })
    const [first] = await shown()
    await page.waitForSelector(`details#${first} .copy`)
    await page.click(`details#${first} .copy`)
    await page.waitForFunction(`document.querySelector('details#${first} .copy').textContent !== 'Copy'`)
    expect(await page.$$(`details#${first} .copy`)).to.have.length(
      (await page.$$(`details#${first} pre:not(.try pre)`)).length,
    )
  })

  it('an example is shown in the language that was chosen for another', async () => {
    const [first, second] = await shown()
    await page.evaluate(`document.querySelector('details#${first} .languages button:last-child').click()`)
    await page.evaluate(`document.querySelector('details#${second}').open = true`)
    for (const id of [first, second]) {
      await page.waitForFunction(
        `document.querySelector('details#${id} pre[data-call]').textContent.includes('import base64')`,
      )
    }
  })

  it('a request can be sent to this server, with the keys that somebody types', async () => {
    const app = await server.program.inTransaction((tx) => tx.apps.create({ name: 'Tried' }))
    const entry = 'details#getCrmV2Users'
    await page.evaluate(`document.querySelector('${entry}').open = true`)
    await page.waitForSelector(`${entry} .try`)
    await page.evaluate(`document.querySelector('${entry} .try').open = true`)
    await page.waitForSelector(`${entry} .try input`)
    const said = async (key: string) => {
      await page.evaluate(`{
        const [user, password] = document.querySelectorAll('${entry} .try input')
        user.value = ${JSON.stringify(app.apiKey)}
        password.value = ${JSON.stringify(key)}
        document.querySelector('${entry} .try form').requestSubmit()
      }`)
      const answer = `document.querySelector('${entry} .try pre').textContent`
      await page.waitForFunction(`/^\\d{3} /.test(${answer})`)
      return (await page.evaluate(answer)) as string
    }
    expect(await said('wrong')).to.match(/^401 Unauthorized\n\n\{/)
    // Chromium writes down every answer of this kind.
    expect(problems.splice(0)).to.satisfy((all: string[]) => all.every((one) => one.includes('401')))
    expect(await said(app.serverKey)).to.match(/^200 OK\n\n\{/)
  })

  it('keys that somebody typed are offered again where keys of that kind are asked for, and nowhere else', async () => {
    const fieldsOf = async (id: string) => {
      await page.evaluate(`document.querySelector('details#${id}').open = true`)
      await page.waitForSelector(`details#${id} .try`)
      await page.evaluate(`document.querySelector('details#${id} .try').open = true`)
      await page.waitForSelector(`details#${id} .try input`)
      const values = `[...document.querySelectorAll('details#${id} .try label:has(input)')].slice(0, 2).map((one) =>
        [one.textContent, one.querySelector('input').type, one.querySelector('input').value !== ''])`
      return page.evaluate(values)
    }
    const of = (key: string) =>
      page.$eval(
        `pre[data-call*='"key":"${key}"']:not(details#getCrmV2Users pre)`,
        (example) => example.closest('section > details')!.id,
      )
    expect(await fieldsOf(await of('serverKey'))).to.deep.equal([
      ['API key', 'text', true],
      ['Server key', 'password', true],
    ])
    const rest = await of('restKey')
    expect(await fieldsOf(rest)).to.deep.equal([
      ['REST key', 'password', false],
      ['Path', 'text', true],
    ])
  })

  it('loads nothing else, and no part of it breaks its policy', () => {
    expect(problems).to.deep.equal([])
  })
})
