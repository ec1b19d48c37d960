import { expect } from 'chai'
import { previewPage } from '../../../src/server/renderer/preview.ts'
import { ANDROID, button, CLOSED_BY_HAND, describeInBrowser, HELLO, IOS, message } from './web-view.ts'

/** Texts that want to be more than text. */
const HOSTILE = [
  '<script>alert(1)</script>',
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '--><script>alert(1)</script><!--',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '\u2028alert(1)//',
  '`${alert(1)}`',
  '{{constructor.constructor("alert(1)")()}}',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'red;background:url(https://evil.example/x)',
  '<iframe srcdoc="<script>parent.alert(1)</script>">',
  '__proto__',
]

describeInBrowser('the renderer page and the app around it', (view) => {
  const { open, run, tell, present, sent, types, heard, click, show } = view

  for (const [name, app] of Object.entries({ Android: ANDROID, iOS: IOS })) {
    it(`${name}: is ready, shows, asks to close, closes, and takes the next message`, async () => {
      await show(HELLO, { app })
      expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
      expect(await run('document.querySelector("[role=dialog]").textContent'))
        .to.include('Hello')
        .and.include('World')
      await click('.close')
      await heard(4)
      expect(await sent()).to.deep.equal(CLOSED_BY_HAND)
      expect(await run('document.querySelectorAll("[role=dialog]").length')).to.equal(0)
      await present(message([{ type: 'heading', text: 'Next' }]))
      await heard(5)
      expect(await types()).to.deep.equal([...CLOSED_BY_HAND.map(({ type }) => type), 'MESSAGE_OPENED'])
      expect(await run('document.querySelector("h1").textContent')).to.equal('Next')
    })
  }

  it('in a frame: hears the page around it and nobody else', async () => {
    await view.blank()
    await view.page.goto(`${view.origin}/elsewhere`)
    const said = await run(`new Promise((resolve) => {
      const frame = document.createElement('iframe')
      const said = []
      const tell = (type, data) => frame.contentWindow.postMessage({ type, data }, '*')
      addEventListener('message', ({ data, source }) => {
        if (source !== frame.contentWindow) return
        said.push(data.type)
        if (data.type === 'READY') {
          const other = document.body.appendChild(document.createElement('iframe'))
          other.contentWindow.eval('parent.frames[0].postMessage({ type: "CLOSE_MESSAGE" }, "*")')
          tell('NOBODY_KNOWS'); frame.contentWindow.postMessage(null, '*'); frame.contentWindow.postMessage('text', '*')
          tell('PRESENT_MESSAGE', ${JSON.stringify(HELLO)})
        }
        if (data.type === 'MESSAGE_OPENED') tell('CLOSE_MESSAGE')
        if (data.type === 'MESSAGE_CLOSED') resolve(said)
      })
      frame.src = ${JSON.stringify(`${view.origin.replace('127.0.0.1', 'localhost')}/iar`)}
      document.body.append(frame)
    })`)
    expect(said).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_CLOSED'])
  })

  it('opened by itself it says what it is for', async () => {
    await view.blank()
    await view.page.goto(`${view.origin}/iar`)
    expect(await run('document.body.textContent')).to.include('Apps open this page')
  })

  it('actions of every type reach the app as they are', async () => {
    const actions = [
      { type: 'trackConversionEvent', data: { eventType: 'bought', data: { deep: [1, { a: null }] } } },
      { type: 'subscribeToChannel', data: { channelUuid: 'c-1' } },
      { type: 'openUrl', data: { url: 'https://example.com/?a=1#b' } },
      { type: 'deepLink', data: { deepLink: { screen: 'cart', id: 7 } } },
      { type: 'requestAppStoreRating', data: {} },
      { type: 'promptPushPermission', data: {} },
      { type: 'closeMessage', data: {} },
    ]
    await show(message([button('All', actions)]))
    await run('answers = false')
    await click('.button')
    await heard(3)
    expect((await sent())[2]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
  })

  it('actions that would stop an app are left out, and one without data gets some', async () => {
    const broken = [
      { type: 'unheardOf', data: {} },
      { type: 'toString', data: {} },
      { type: 'openUrl' },
      { type: 'openUrl', data: { url: 'javascript:alert(1)' } },
      { type: 'openUrl', data: { url: ' java\nscript:alert(1)' } },
      { type: 'openUrl', data: { url: '/sale' } },
      { type: 'trackConversionEvent', data: {} },
      { type: 'subscribeToChannel', data: { channelUuid: 5 } },
      { type: 'deepLink', data: { deepLink: 'text' } },
      null,
      { type: 'requestAppStoreRating' },
    ]
    await show(message([button('One', broken)]))
    await click('.button')
    await heard(3)
    const actions = [{ type: 'requestAppStoreRating', data: {} }]
    expect((await sent())[2]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
  })

  it('addresses go out as older systems can open them', async () => {
    const openings = {
      'https://example.com/?a=[1]&b=it%27s#c': 'https://example.com/?a=[1]&b=it%27s#c',
      'https://münchen.de/ä?q=a|b&c=100%': 'https://xn--mnchen-3ya.de/%C3%A4?q=a%7Cb&c=100%25',
      'shop://sale/ü': 'shop://sale/%C3%BC',
      'HTTPS://Example.com/A': 'https://example.com/A',
    }
    await open()
    for (const [url, plain] of Object.entries(openings)) {
      const before = (await sent()).length
      await present(message([button(url, [{ type: 'openUrl', data: { url } }])]))
      await heard(before + 1)
      await click('.button')
      await heard(before + 2)
      const actions = [{ type: 'openUrl', data: { url: plain } }]
      expect((await sent())[before + 1]).to.deep.equal({ type: 'EXECUTE_ACTIONS', data: { actions } })
    }
  })

  it('two taps on a button are one', async () => {
    await show(message([button('Go', [{ type: 'openUrl', data: { url: 'https://example.com' } }])]))
    // In one step: two taps count as one only within a moment.
    await run('document.querySelector(".button").click(), document.querySelector(".button").click()')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'EXECUTE_ACTIONS'])
  })

  it('a tap on another button right after counts', async () => {
    await show(message([button('Count me', [{ type: 'trackConversionEvent', data: { eventType: 'x' } }])]))
    await run('document.querySelector(".button").click(), document.querySelector(".close").click()')
    await heard(5)
    expect(await types()).to.deep.equal([
      'READY',
      'MESSAGE_OPENED',
      'EXECUTE_ACTIONS',
      'EXECUTE_ACTIONS',
      'MESSAGE_CLOSED',
    ])
  })

  it('a message is closed once, however often the app asks', async () => {
    await show(HELLO, { features: [{ name: 'prefers-reduced-motion', value: 'no-preference' }] })
    await tell('CLOSE_MESSAGE')
    await tell('CLOSE_MESSAGE')
    await heard(3)
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_CLOSED'])
  })

  it('closing is told when the animation is over, without motion at once', async () => {
    const closing = 'postHostMessage({ type: "CLOSE_MESSAGE" }), sent.length'
    await show(HELLO, { features: [{ name: 'prefers-reduced-motion', value: 'no-preference' }] })
    expect(await run(closing)).to.equal(2)
    await heard(3)
    await view.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }])
    await present(HELLO)
    await heard(4)
    expect(await run(closing)).to.equal(5)
  })

  it('an app that closes before there was a message is free at once', async () => {
    await open()
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED'])
    await tell('CLOSE_MESSAGE')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED'])
  })

  it('another message takes the place of the one that is shown; the same one again is only confirmed', async () => {
    await show(HELLO)
    await run('document.querySelector("h1").mark = true')
    await present(HELLO)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED', 'MESSAGE_OPENED'])
    expect(await run('document.querySelector("h1").mark')).to.equal(true)
    await present(message([{ type: 'heading', text: 'Urgent' }]))
    await heard(4)
    expect(await run('[...document.querySelectorAll("h1")].map((h1) => h1.textContent)')).to.deep.equal(['Urgent'])
  })

  it('a document with nothing to show gives the app its screen back, as dismissed and never opened', async () => {
    await open()
    for (const content of [
      null,
      'hello',
      { ver: 1 },
      message([]),
      message([{ type: 'carousel', text: 'x' }, null, 5]),
      message([
        { type: 'text', text: '' },
        { type: 'heading', text: [] },
      ]),
    ]) {
      const before = (await sent()).length
      await present(content)
      await heard(before + 2)
      expect((await sent()).slice(before), JSON.stringify(content)).to.deep.equal(CLOSED_BY_HAND.slice(2))
      expect(await run('document.body.children.length')).to.equal(0)
    }
  })

  it('an app that does not answer a close gets its screen back too', async () => {
    await open()
    await run('answers = false')
    await present(null)
    await heard(3)
    expect(await types()).to.deep.equal(['READY', 'EXECUTE_ACTIONS', 'MESSAGE_CLOSED'])
  })

  it('a message without a way out gets a close button', async () => {
    const track = [{ type: 'trackConversionEvent', data: { eventType: 'x' } }]
    await show(message([{ type: 'text', text: 'x' }, button('Count me', track)], { closeButton: 'none' }))
    expect(await run('document.querySelectorAll(".close").length')).to.equal(1)
    await present(message([{ type: 'text', text: 'x' }, button('Bye')], { closeButton: 'none' }))
    await heard(3)
    expect(await run('document.querySelectorAll(".close").length')).to.equal(0)
  })

  it('a picture that never comes does not hold the message back for long', async () => {
    await open()
    await run('window.patience = [], window.setTimeout = (act, ms) => patience.push({ act, ms })')
    await present(
      message([
        { type: 'image', src: `${view.origin}/never.png`, alt: 'x' },
        { type: 'text', text: 'Words' },
      ]),
    )
    expect(await types()).to.deep.equal(['READY'])
    // At most as patient as the clients are: 8 s.
    expect(await run('Math.max(...patience.map(({ ms }) => ms))')).to.be.within(1, 8000)
    await run('void patience.forEach(({ act }) => act())')
    await heard(2)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
  })

  it('closing while pictures are awaited is not followed by an opening', async () => {
    await open()
    const waiting = message([{ type: 'image', src: `${view.origin}/never.png`, alt: 'x' }])
    // In one step, before the page loses its patience.
    await run(
      `void [['PRESENT_MESSAGE', ${JSON.stringify(waiting)}], ['CLOSE_MESSAGE']].forEach(([type, data]) => postHostMessage({ type, data }))`,
    )
    await present(HELLO)
    await heard(3)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_CLOSED', 'MESSAGE_OPENED'])
  })

  it('hostile texts stay texts in every place there is', async () => {
    await open()
    for (const text of HOSTILE) {
      const before = (await sent()).length
      await present({
        ver: text,
        frame: {
          type: 'alert',
          stackingGravity: text,
          closeButton: text,
          animation: text,
          backgroundLayers: [
            { type: 'color', color: text },
            {
              type: 'gradient',
              stops: [
                { color: text, at: text },
                { color: { light: text, dark: text }, at: 1 },
              ],
              angle: text,
            },
            { type: 'image', src: text, fit: text },
            { type: 'video', src: text, poster: text },
            { type: text },
          ],
          nodes: [
            { type: 'heading', text, align: text, color: text, size: text },
            { type: 'text', text: [text, [text, { bold: text, color: text, size: text }], [text, [text]]] },
            { type: 'image', src: text, alt: text, width: text, radius: text },
            { type: 'video', src: text, poster: text, captions: text, alt: text },
            {
              ...button(text, [{ type: text, data: { url: text } }]),
              style: { fg: text, bg: text, border: text, size: text, radius: text },
            },
            { type: text, text },
          ],
        },
        defaults: { font: { family: text, size: text }, fontColor: text, dir: text, lang: text },
      })
      await heard(before + 1)
      await view.page.waitForFunction('!document.querySelector("video")')
      const seen = await run(`({
        heading: document.querySelector('h1').textContent,
        scripts: document.scripts.length,
        strange: document.querySelectorAll('svg, iframe, body img, [onload], [onerror], [onfocus], [onmouseover], [autofocus], [href^=javascript]').length,
        style: /evil|alert/.test([...document.querySelectorAll('[style]')].map((e) => e.getAttribute('style')).join()),
        sent: sent[sent.length - 1].type,
      })`)
      expect(seen).to.deep.equal({ heading: text, scripts: 1, strange: 0, style: false, sent: 'MESSAGE_OPENED' })
    }
  })

  it('works without a network once it was loaded', async () => {
    await open()
    await view.page.setOfflineMode(true)
    await view.page.goto(`${view.origin}/iar`)
    await heard(1)
    await present(
      message([
        { type: 'image', src: `${view.origin}/far.png`, alt: 'A map' },
        { type: 'text', text: 'Words' },
      ]),
    )
    await heard(2)
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
    await view.page.setOfflineMode(false)
  })

  it('a preview is one file that shows the message and says what its buttons do', async () => {
    await view.blank()
    const text = '</script><script>alert(1)</script>'
    await view.page.setContent(
      previewPage(
        message([
          { type: 'heading', text },
          button('Go', [{ type: 'openUrl', data: { url: 'https://example.com/' } }]),
        ]),
        { title: text },
      ),
    )
    const frame = await (await view.page.waitForSelector('#view'))!.contentFrame()
    await frame.waitForSelector('.stage.in')
    expect(await run('document.title')).to.equal(text)
    expect(await frame.evaluate('[document.querySelector("h1").textContent, document.scripts.length]')).to.deep.equal([
      text,
      1,
    ])
    // Not `frame.click`, which misses what a zoomed phone shows.
    await frame.evaluate('document.querySelector(".button").click()')
    await frame.waitForFunction('!document.querySelector(".stage")')
    expect(await run('document.getElementById("said").textContent')).to.equal('openUrl {"url":"https://example.com/"}')
    await click('#again')
    await frame.waitForSelector('.stage.in')
  })

  it('a preview keeps a message clear of the notch of the phone that is chosen', async () => {
    await view.blank()
    await view.page.setViewport({ width: 1200, height: 900 })
    await view.page.setContent(
      previewPage(message([button('Go', [])], { type: 'fullscreen', closeButton: 'top-right' })),
    )
    const frame = await (await view.page.waitForSelector('#view'))!.contentFrame()
    await frame.waitForSelector('.stage.in')
    const top = () => frame.evaluate('document.querySelector(".close").getBoundingClientRect().top') as Promise<number>
    expect(await top()).to.be.at.least(54)
    await view.page.select('#device', 'small')
    await frame.waitForFunction('document.querySelector(".close").getBoundingClientRect().top < 54')
    // A phone shows it without a phone around it.
    await view.page.setViewport({ width: 390, height: 844 })
    const size = await run('[innerWidth, document.getElementById("view").clientWidth]')
    expect(size).to.deep.equal([390, 390])
  })

  it('a preview shows the whole phone in a window of any size, and its controls beside it where there is room', async () => {
    await view.blank()
    await view.page.setContent(previewPage(message([button('Go', [])])))
    const sizes = [
      { width: 1280, height: 800, beside: true },
      { width: 1280, height: 500, beside: true },
      { width: 760, height: 900, beside: true },
      { width: 620, height: 900, beside: false },
    ]
    for (const { beside, ...size } of sizes) {
      await view.page.setViewport(size)
      for (const device of ['iphone', 'android', 'small', 'tablet']) {
        await view.page.select('#device', device)
        const [phone, controls] = (await run(`[...document.querySelectorAll('#phone, aside')].map((part) => {
          const { left, top, right, bottom } = part.getBoundingClientRect()
          return { left, top, right, bottom }
        })`)) as Record<'left' | 'top' | 'right' | 'bottom', number>[]
        const at = `${device} at ${size.width} x ${size.height}: ${JSON.stringify(phone)}`
        expect(phone!.left, at).to.be.at.least(0)
        expect(phone!.right, at).to.be.at.most(size.width)
        expect(phone!.bottom - phone!.top, at).to.be.at.most(size.height)
        if (device === 'iphone') expect(controls!.left > phone!.right, at).to.equal(beside)
      }
    }
  })
})
