import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lowContrasts } from '../support/contrast.ts'
import { withAndroids } from '../support/delivery.ts'
import { pngChunk, smallPng } from '../support/pictures.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('pictures in the console', () => {
  let console: OpenConsole
  let base: string
  const file = join(tmpdir(), 'croissants.png')
  const page = join(tmpdir(), 'page.png')

  useConsole(async (opened) => {
    console = opened
    base = `/apps/${console.appId}`
    await withAndroids(console.server, 3)
    await console.enter([{ appId: console.appId, role: 'marketer' }])
    writeFileSync(file, smallPng({ width: 60, height: 40, green: 150, before: [pngChunk('tEXt', 'secret')] }))
    writeFileSync(page, '<html>')
  })

  const give = async (...paths: string[]) => {
    const input = await console.page.waitForSelector('input[type=file]')
    await (input as unknown as { uploadFile(...paths: string[]): Promise<void> }).uploadFile(...paths)
  }
  const valueOf = (name: string) => console.page.evaluate(`document.querySelector('[name="${name}"]').value`)
  /** Widths of the pictures that are drawn: 0 for one that could not be read. */
  const drawn = async (selector: string) => {
    await console.page.waitForSelector(selector)
    return console.page.evaluate(`Promise.all([...document.querySelectorAll('${selector}')].map(async (one) => {
      one.loading = 'eager'
      await one.decode().catch(() => {})
      return one.naturalWidth
    }))`)
  }
  const examine = async (name: string) => {
    for (const width of [1280, 390]) {
      for (const theme of ['light', 'dark'] as const) {
        await console.look(width, theme)
        expect(await console.axe({ without: ['color-contrast'] }), `${name} ${width}`).to.deep.equal([])
        expect(await lowContrasts(console.page), `${name} ${width}`).to.deep.equal([])
        await console.shoot(`${name}-${width}-${theme}`)
      }
    }
    await console.look(1280, 'light')
  }

  it('a marketer uploads pictures, sees what is refused, and deletes one', async () => {
    await console.visit(`${base}/pictures`)
    await console.sees('No pictures yet')
    await give(file, page)
    await console.sees('page.png is no PNG, JPEG, WebP or GIF.')
    await console.sees('croissants.png')
    expect(await drawn('.picture-tile img')).to.deep.equal([60])
    await examine('pictures')
    await console.press('croissants.png')
    await console.sees('Nothing that is stored here uses it.')
    await console.sees('60 × 40')
    expect(await drawn('.picture-whole')).to.deep.equal([60])
    await examine('picture')
    await console.press('Delete')
    await console.press('Delete the picture')
    await console.sees('No pictures yet')
    expect((await console.server.program.pictures.room(console.appId)).pictures).to.equal(0)
  })

  it('a push shows a picture that was uploaded while it was written', async () => {
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await console.type('Title', 'Fresh')
    await console.type('Message', 'Out of the oven.')
    await console.press('Picture, badge and data')
    await console.press('Choose a picture')
    await console.sees('There are no pictures yet.')
    await examine('picture-dialog')
    await give(file)
    await console.sees('Choose another')
    expect(await valueOf('picture')).to.match(/\/pictures\/[0-9a-f]{32}\.png$/)
    await console.press('Opened')
    await console.page.waitForSelector('.push-picture img')
    expect(await drawn('.picture-thumb, .push-picture img')).to.deep.equal([60, 60])
    await examine('push-picture')
  })

  it('a link takes one of the library, and photos that a browser made come through whole', async () => {
    const made = await console.page.evaluate(`(async () => {
      const canvas = document.createElement('canvas')
      canvas.width = 64
      canvas.height = 48
      canvas.getContext('2d').fillRect(3, 3, 20, 20)
      const widths = []
      for (const type of ['image/png', 'image/jpeg', 'image/webp']) {
        const form = new FormData()
        form.append('file', await new Promise((done) => canvas.toBlob(done, type)), 'canvas')
        const answer = await fetch('/admin/v1/apps/${console.appId}/pictures', { method: 'POST', body: form })
        const { url } = await answer.json()
        const image = new Image()
        image.src = new URL(url).pathname
        await image.decode()
        widths.push(type.endsWith(/pictures.*\\.(\\w+)/.exec(url)[1].replace('jpg', 'jpeg')), image.naturalWidth)
      }
      return widths
    })()`)
    expect(made).to.deep.equal([true, 64, true, 64, true, 64])
    await console.visit(`${base}/links/new`)
    await console.type('Page for people without the app', 'https://example.com')
    await console.press('Choose a picture')
    await console.press('croissants.png')
    await console.press('Create the link')
    await console.sees('In chats')
    const [link] = (await console.server.program.links.list(console.appId, { limit: 1 })).links
    expect(link!.pictureUrl).to.match(/\/pictures\/[0-9a-f]{32}\.png$/)
  })
})
