import { expect } from 'chai'
import { button, CLOSED_BY_HAND, describeInBrowser, HELLO, message } from './web-view.ts'

describeInBrowser('what the renderer page draws', (view) => {
  const { open, run, tell, present, sent, types, heard, show } = view

  it('every node and layer is drawn, marks and numbers too', async () => {
    const spans = [
      'plain ',
      ['loud', { bold: true, italic: true, underline: true, strike: true, color: '#ff0000', size: 30 }],
      ['list', ['bold']],
      7,
    ]
    await show(
      message(
        [
          { type: 'heading', text: 'Heading', align: 'end', color: '#00ff00', size: 40 },
          { type: 'subheading', text: 'Sub' },
          { type: 'text', text: spans },
          { type: 'image', src: `${view.origin}/ok.svg`, alt: 'A picture', width: 50, radius: 9 },
          { type: 'video', src: `${view.origin}/none.mp4`, alt: 'A film', poster: `${view.origin}/ok2.svg` },
          { type: 'unheard-of', text: 'secret' },
          button('Small', [], { style: { size: 'small', bg: '#112233', radius: 5 } }),
          button(['Wi', ['de', { bold: true }]]),
        ],
        {
          type: 'inset',
          stackingGravity: 'bottom-up',
          backgroundLayers: [
            { type: 'color', color: '#ffffff' },
            {
              type: 'gradient',
              stops: [
                { color: '#ffffff', at: 0 },
                { color: '#eeeeee', at: 100 },
              ],
              angle: 45,
            },
            { type: 'image', src: `${view.origin}/ok.svg`, fit: 'contain' },
            { type: 'video', src: `${view.origin}/none.mp4` },
          ],
        },
        { font: { family: 'serif', size: 20 }, fontColor: '#333333', lang: 'en-GB' },
      ),
    )
    await view.page.waitForFunction('!document.querySelector("video[controls]")')
    const seen = await run(`(() => {
      const style = (selector) => getComputedStyle(document.querySelector(selector))
      const heading = style('h1')
      return {
        texts: [...document.querySelectorAll('h1, h2, p, .button')].map((element) => element.textContent),
        heading: [heading.textAlign, heading.color, heading.fontSize],
        marks: document.querySelectorAll('p strong, p em, p u, p s').length,
        loud: [style('p span:nth-child(2)').color, style('p span:nth-child(2)').fontSize],
        pictures: [...document.querySelectorAll('.node > img')].map((img) => [img.alt, img.style.width, img.naturalWidth]),
        small: [style('.small').backgroundColor, style('.small').color, style('.small').borderRadius],
        layers: [...document.querySelectorAll('.layers > *')].map((layer) => layer.tagName),
        gradient: style('.layers > :nth-child(2)').backgroundImage,
        frame: [document.querySelector('[role=dialog]').className, style('[role=dialog]').fontFamily.slice(0, 8), document.querySelector('[role=dialog]').lang],
      }
    })()`)
    expect(seen).to.deep.equal({
      texts: ['Heading', 'Sub', 'plain loudlist7', 'Small', 'Wide'],
      heading: ['end', 'rgb(0, 255, 0)', '40px'],
      marks: 5,
      loud: ['rgb(255, 0, 0)', '30px'],
      pictures: [
        ['A picture', '50%', 800],
        ['A film', '', 800],
      ],
      small: ['rgb(17, 34, 51)', 'rgb(255, 255, 255)', '5px'],
      layers: ['DIV', 'DIV', 'IMG', 'VIDEO'],
      gradient: 'linear-gradient(45deg, rgb(255, 255, 255) 0%, rgb(238, 238, 238) 100%)',
      frame: ['frame inset bottom-up slide poster own closable', 'ui-serif', 'en-GB'],
    })
  })

  it('keeps clear of notches', async () => {
    await open({ width: 844, height: 390 })
    await tell('SET_NOTCH_INSETS', {
      hasNotchOnTheLeft: true,
      hasNotchOnTheRight: false,
      insetTop: 20,
      insetRight: 0,
      insetBottom: 10.5,
      insetLeft: 60,
    })
    await present(
      message([{ type: 'text', text: 'x', align: 'start' }, button('OK')], {
        type: 'fullscreen',
        closeButton: 'top-left',
      }),
    )
    await heard(2)
    const [text, close] = (await run(
      `['.node', '.close'].map((selector) => document.querySelector(selector).getBoundingClientRect().toJSON())`,
    )) as { left: number; top: number }[]
    expect(text!.left).to.be.at.least(60)
    expect(close!.left).to.be.at.least(60)
    expect(close!.top).to.be.at.least(20)
    await tell('SET_NOTCH_INSETS', { insetTop: -5, insetLeft: 'x' })
    expect(await run('document.querySelector(".close").getBoundingClientRect().left')).to.be.lessThan(60)
  })

  it('is light or dark as the device is, and changes with it', async () => {
    const colors = message([{ type: 'heading', text: 'x', color: { light: '#111111', dark: '#eeeeee' } }])
    await show(colors, { features: [{ name: 'prefers-color-scheme', value: 'dark' }] })
    const look = `['.frame', 'h1'].map((selector) => getComputedStyle(document.querySelector(selector))).map(({ backgroundColor, color }, i) => i ? color : backgroundColor)`
    expect(await run(look)).to.deep.equal(['rgb(28, 30, 36)', 'rgb(238, 238, 238)'])
    await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
    await view.page.waitForFunction('!document.querySelector(".dark")')
    expect(await run(look)).to.deep.equal(['rgb(255, 255, 255)', 'rgb(17, 17, 17)'])
  })

  it('text of one colour can be read in the dark', async () => {
    const dark = [{ name: 'prefers-color-scheme', value: 'dark' }]
    await show(message([{ type: 'text', text: 'x' }], {}, { fontColor: '#111111' }), { features: dark })
    expect(await run('getComputedStyle(document.querySelector(".frame")).backgroundColor')).to.equal(
      'rgb(255, 255, 255)',
    )
  })

  it('Arabic runs from the right, and the close button is on the other side', async () => {
    await show(
      message(
        [
          { type: 'heading', text: '«مرحبا»' },
          { type: 'text', text: 'English words', align: 'start' },
        ],
        { type: 'inset' },
        { lang: 'ar' },
      ),
    )
    const seen = await run(`({
      dir: document.querySelector('.frame').dir,
      texts: ['h1', 'p'].map((selector) => getComputedStyle(document.querySelector(selector)).direction),
      left: document.querySelector('.close').getBoundingClientRect().left < 100,
      close: document.querySelector('.close').getAttribute('aria-label'),
    })`)
    expect(seen).to.deep.equal({ dir: 'rtl', texts: ['rtl', 'ltr'], left: true, close: 'إغلاق' })
  })

  it('is a dialog with a name, focus moves in and goes round, and Escape closes', async () => {
    await show(message([{ type: 'heading', text: 'Named' }, button('A', []), button('B', [])]))
    const focused = 'document.activeElement.getAttribute("aria-label") || document.activeElement.textContent'
    expect(
      await run(
        `(({ role, ariaModal, ariaLabelledByElements }) => [role, ariaModal, ariaLabelledByElements[0].textContent])(document.activeElement)`,
      ),
    ).to.deep.equal(['dialog', 'true', 'Named'])
    const round = []
    for (let i = 0; i < 4; i++) {
      await view.page.keyboard.press('Tab')
      round.push(await run(focused))
    }
    expect(round).to.deep.equal(['Close', 'A', 'B', 'Close'])
    await view.page.keyboard.down('Shift')
    await view.page.keyboard.press('Tab')
    await view.page.keyboard.up('Shift')
    expect(await run(focused)).to.equal('B')
    await view.page.keyboard.press('Escape')
    await heard(4)
    expect(await sent()).to.deep.equal(CLOSED_BY_HAND)
  })

  it('a message that does not say its language is in none, rather than in English', async () => {
    await show(HELLO)
    expect(await run('document.querySelector(".frame").getAttribute("lang")')).to.equal('')
    expect(await run('document.querySelector(".close").getAttribute("aria-label")')).to.equal('Close')
  })

  it('the heading names it, also below other words', async () => {
    const name = 'document.activeElement.ariaLabelledByElements[0].textContent'
    const [stars, sub] = [
      { type: 'text', text: '★★★★★' },
      { type: 'subheading', text: 'Welcome' },
    ]
    await show(message([stars, sub, { type: 'heading', text: 'Do you like it?' }]))
    expect(await run(name)).to.equal('Do you like it?')
    await present(message([stars, sub]))
    await heard(3)
    expect(await run(name)).to.equal('Welcome')
  })

  it('a message of pictures is named by their words', async () => {
    await show(message([{ type: 'image', src: `${view.origin}/ok.svg`, alt: 'Red shoes' }]))
    expect(await run('document.activeElement.getAttribute("aria-label")')).to.equal('Red shoes')
  })

  it('a word longer than a button is broken inside it', async () => {
    const word = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk'
    await show(message(['small', 'regular', 'wide'].map((size) => button(word, [], { style: { size } }))), {
      width: 240,
    })
    const over = 'document.querySelector(".scroll").scrollWidth - document.querySelector(".scroll").clientWidth'
    expect(await run(over)).to.equal(0)
  })

  it('the cross and the edge of a card are seen in forced colours', async () => {
    await open()
    const session = await view.page.createCDPSession()
    await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] })
    await present(HELLO)
    await heard(2)
    const seen = await run(`(() => {
      const color = (selector, pseudo) => getComputedStyle(document.querySelector(selector), pseudo).backgroundColor
      return [color('.close > i') !== color('.close', '::before'), getComputedStyle(document.querySelector('.frame')).borderTopWidth]
    })()`)
    expect(seen).to.deep.equal([true, '2px'])
  })

  for (const [type, width, height] of [
    ['alert', 390, 844],
    ['inset', 844, 390],
    ['fullscreen', 320, 480],
  ] as const) {
    it(`${type}: long words scroll inside, the close button stays, and everything is big enough to touch`, async () => {
      const text = Array.from({ length: 40 }, () => ({
        type: 'text',
        text: 'A sentence that is not short. '.repeat(3),
      }))
      await show(message([...text, button('Small', [], { style: { size: 'small' } })], { type }), { width, height })
      await run('document.documentElement.style.fontSize = "200%"')
      const seen = (await run(`(() => {
        const scroll = document.querySelector('.scroll')
        scroll.scrollTop = 1e6
        const close = document.querySelector('.close').getBoundingClientRect()
        const hit = document.elementFromPoint(close.left + close.width / 2, close.top + close.height / 2)
        const last = document.querySelector('.actions .button').getBoundingClientRect()
        return {
          moved: scroll.scrollTop > 500, wide: scroll.scrollWidth <= scroll.clientWidth, reach: scroll.tabIndex,
          page: document.documentElement.scrollHeight <= innerHeight, hit: !!hit.closest('.close'), last: last.bottom <= innerHeight,
          sizes: [...document.querySelectorAll('button')].map((b) => b.getBoundingClientRect()).every((b) => b.width >= 44 && b.height >= 44),
        }
      })()`)) as object
      expect(seen).to.deep.equal({ moved: true, wide: true, reach: 0, page: true, hit: true, last: true, sizes: true })
    })
  }

  it('a broken picture is its words, an ornament nothing, and the message is shown', async () => {
    await show(
      message(
        [
          { type: 'image', src: `${view.origin}/none.png`, alt: 'A map' },
          { type: 'image', src: `${view.origin}/none2.png`, alt: '' },
          { type: 'image', src: 'javascript:alert(1)', alt: 'No picture' },
          { type: 'video', src: `${view.origin}/none.mp4`, alt: 'A film' },
          { type: 'text', text: 'Words' },
        ],
        { backgroundLayers: [{ type: 'image', src: `${view.origin}/none3.png` }] },
      ),
    )
    await view.page.waitForFunction('document.querySelectorAll(".alt").length === 3')
    expect(await types()).to.deep.equal(['READY', 'MESSAGE_OPENED'])
    expect(await run('[...document.querySelectorAll(".alt")].map((box) => box.textContent)')).to.deep.equal([
      'A map',
      'No picture',
      'A film',
    ])
    expect(await run('document.querySelectorAll("img, video").length')).to.equal(0)
  })

  it('words can be read: on our surface, on colours and over pictures', async () => {
    const words = [
      { type: 'heading', text: 'x' },
      { type: 'text', text: 'y' },
      button('a'),
      button('b'),
      button('c', [], { style: { bg: '#e4572e' } }),
    ]
    const least = `(() => {
      const rgb = (color) => color.match(/[\\d.]+/g).map(Number)
      const light = (color) => {
        const [r, g, b] = rgb(color).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
      }
      const solid = (element) => { const c = getComputedStyle(element).backgroundColor; return rgb(c)[3] === undefined ? c : element.className.includes('frame') ? getComputedStyle(document.querySelector('.layers > *') || element).backgroundColor : solid(element.parentElement) }
      return Math.min(...[...document.querySelectorAll('h1, p, .button')].map((element) => {
        const [a, b] = [light(getComputedStyle(element).color), light(solid(element))].sort((x, y) => y - x)
        return (a + 0.05) / (b + 0.05)
      }))
    })()`
    await open()
    for (const scheme of ['light', 'dark']) {
      await view.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      for (const backgroundLayers of [
        [],
        [{ type: 'color', color: '#5b2be0' }],
        [{ type: 'color', color: '#ffd84d' }],
        [{ type: 'color', color: '#777777' }],
        Array.from({ length: 8 }, () => ({ type: 'color', color: '#00000040' })),
      ]) {
        const before = (await sent()).length
        await present(message(words, { backgroundLayers }))
        await heard(before + 1)
        expect(await run(least), JSON.stringify(backgroundLayers)).to.be.at.least(4)
      }
    }
  })
})
