import { expect } from 'chai'
import type { BrowserContext, Page } from 'puppeteer-core'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { axe } from '../support/axe.ts'
import { needsChromium, openBrowser } from '../support/browser.ts'
import { lowContrasts } from '../support/contrast.ts'
import { connectApns, connectFcm, payloadOf, push, sandboxWith, stopAll, TOKEN } from './senders.ts'

const PHONE = 'fcm-token-of-clara'

describe('the page of the sandbox, in a browser', () => {
  let sandbox: Sandbox
  let browser: BrowserContext
  let page: Page
  const problems: string[] = []

  before(async function () {
    await needsChromium(this)
    sandbox = await sandboxWith()
    sandbox.declareDevice({ token: TOKEN, gateway: 'apns', name: "Anna's iPhone" })
    const session = await connectApns(sandbox)
    for (let i = 1; i <= 120; i++) await push(session, {}, payloadOf(i))
    const text = JSON.stringify({ a: { 'k.message': { type: 1, data: { id: 7 } } }, word: '<b>' })
    await (await connectFcm(sandbox)).send({ token: PHONE, data: { title: 'Hello', alert: 'World', custom: text } })
    browser = await openBrowser()
    page = await browser.newPage()
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    page.on('pageerror', (error) => problems.push(String(error)))
    await page.goto(sandbox.urls.http)
    await page.waitForSelector('#log li')
  })
  after(async () => {
    await browser?.close()
    await stopAll()
  })

  const textOf = (selector: string) => page.$eval(selector, (element) => element.textContent)

  it('names devices, and shows the frame of the chosen one', async () => {
    const names = await page.$$eval('#device option', (options) => options.map((option) => option.textContent))
    expect(names).to.deep.equal(['every device', `Android ${PHONE}`, "Anna's iPhone"])
    expect(await page.$eval('#phone', (phone) => phone.className)).to.equal('phone any')
    for (const [value, frame] of [
      [TOKEN, 'ios'],
      [PHONE, 'android'],
      ['', 'any'],
    ] as const) {
      await page.select('#device', value)
      expect(await page.$eval('#phone', (phone) => phone.className)).to.equal(`phone ${frame}`)
    }
  })

  it('unpacks JSON in the texts of a payload, and shows it as sent on demand', async () => {
    await page.click('#log li summary')
    await page.waitForSelector('.payload pre')
    expect(await textOf('.payload pre'))
      .to.include('"type": 1')
      .and.include('"word": "<b>"')
    expect(await textOf('.payload-tools span')).to.equal('unpacked: message.data.custom')
    expect(await page.$$('.payload pre b')).to.have.length(0)
    await page.click('.payload-tools button')
    expect(await textOf('.payload pre')).to.include(String.raw`\"type\":1`)
  })

  it('holds a bounded list and fetches older ones when asked', async () => {
    expect(await page.$$('#log > li')).to.have.length(100)
    expect(await textOf('#log-note')).to.equal('The newest 100 of 121.')
    await page.click('#older')
    await page.waitForFunction('document.querySelectorAll("#log > li").length === 121')
    expect(await page.$eval('#log-foot', (foot) => foot.hasAttribute('hidden'))).to.equal(true)
  })

  it('shows texts that stand out and parts that the keyboard reaches', async () => {
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }])
      expect(await lowContrasts(page), value).to.deep.equal([])
    }
    expect(await axe(page, { only: ['scrollable-region-focusable'] })).to.deep.equal([])
  })

  it('fits a small phone when the counts are high, and says whose each message was', async () => {
    await page.setViewport({ width: 360, height: 800 })
    await page.evaluate("for (const count of document.querySelectorAll('dd')) count.textContent = '1,234,567'")
    expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(360)
    expect(await page.$$eval('.whose', (names) => names.some((name) => name.checkVisibility()))).to.equal(true)
  })

  it('calls what the doctor sends a check, and no message', async () => {
    const session = await connectApns(sandbox)
    const { status } = await push(
      session,
      { 'apns-push-type': 'background' },
      { aps: { 'content-available': 1 } },
      '00',
    )
    expect(status).to.equal(400)
    await page.waitForSelector('::-p-xpath(//*[@class="what"][starts-with(., "check of a credential: it is good")])')
  })

  it('loads everything from itself, its icon too', () => {
    expect(problems).to.deep.equal([])
  })
})
