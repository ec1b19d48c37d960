import { expect } from 'chai'
import { readPicture } from '../../src/domain/pictures/schema.ts'
import type { Areas } from '../../src/program.ts'
import { smallPng } from '../support/pictures.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { addLinks } from './support/links.ts'

describe('links in the console', () => {
  let console: OpenConsole
  const at = (path: string) => `/apps/${console.appId}${path}`
  const links = async () => (await console.server.program.links.list(console.appId, { limit: 10 })).links

  useConsole(async (opened) => {
    console = opened
    await addLinks(console)
  })

  it('a marketer makes a link and sees its QR code, its page and its card', async () => {
    const { page } = console
    await console.visit(at('/links'))
    await console.press('New link')
    await console.press('Create the link')
    await console.sees('Give the page for people without the app.')
    await console.type('Page for people without the app', 'https://example.com/summer')
    await console.type('Ending of the link', 'summer')
    await console.type('Title', 'Summer sale')
    await console.press('Create the link')
    await console.sees('QR code')
    expect((await links()).at(-1)).to.include({ slug: 'summer', desktopWebFallbackUrl: 'https://example.com/summer' })
    await page.waitForFunction(`document.querySelector('img.qr')?.naturalWidth > 0`)
    await console.sees('From the Open Graph data')
    const frame = await page.waitForSelector('iframe.link-page')
    const inside = await frame!.contentFrame()
    await inside.waitForFunction(`document.querySelector('h1')?.textContent === 'Summer sale'`)
    await console.shoot('link-with-page')
  })

  it('shows the icon of the app in the card', async () => {
    const { program } = console.server
    const { icon } = (await program.links.site(console.appId)).settings
    const uid = await program.inTransaction(async (tx) => {
      await tx.links.configure(console.appId, { icon: null })
      const { name, picture } = readPicture('icon.png', smallPng())
      const made = await tx.pictures.add(console.appId, name, picture)
      await tx.pictures.setIcon(console.appId, made.picture.uid)
      return made.picture.uid
    })
    const { id } = (await links()).at(-1)!
    await console.visit(at('/links'))
    await console.visit(at(`/links/${id}`))
    const shown = await console.page.waitForSelector('img.chat-picture')
    expect(await shown!.evaluate((image) => image.getAttribute('src'))).to.include(uid)
    await program.inTransaction((tx) => tx.links.configure(console.appId, { icon }))
  })

  it('switches it off and on, and lets it expire', async () => {
    await console.press('More')
    await console.press('Switch off…')
    await console.press('Switch the link off')
    await console.sees('This link is off')
    expect((await links()).at(-1)!.isEnabled).to.equal(false)
    await console.press('More')
    await console.press('Switch on')
    await console.sees('Active')
    expect((await links()).at(-1)!.isEnabled).to.equal(true)
  })

  it('changes it and finds it by its name', async () => {
    await console.press('Edit')
    await console.type('Title', 'Winter sale')
    await console.press('Save the link')
    await console.sees('The link is changed.')
    await console.visit(at('/links?q=winter'))
    await console.sees('Winter sale')
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('Spring sale')
  })

  it('says in words by which route people came', async () => {
    const spring = (await links()).find(({ slug }) => slug === 'spring-sale')!
    await console.visit(at(`/links/${spring.id}`))
    await console.sees('Google Play')
    await console.sees('Straight into the app')
  })

  it('deletes a link that people followed only when its ending was typed', async () => {
    const [old] = (await links()).filter(({ slug }) => slug === 'old')
    await console.server.program.inTransaction((tx) =>
      tx.links.recordClicks([{ appId: console.appId, linkId: old!.id, at: console.server.clock.now() }]),
    )
    await console.visit(at(`/links/${old!.id}`))
    await console.press('More')
    await console.press('Delete…')
    await console.type('Type old to confirm', 'old')
    await console.press('Delete the link')
    await console.sees('The link is deleted.')
    expect((await links()).map(({ slug }) => slug)).to.not.include('old')
  })

  it('checks the host of the links and says what to do', async () => {
    await console.visit(at('/links/settings'))
    await console.press('Check now')
    await console.sees('Give the Apple team id and a bundle id below.')
    await console.type('Host name', 'https://go.example.com')
    await console.press('Save the settings')
    await console.sees('must be a host name')
    await console.type('Host name', 'go.example.com')
    await console.press('Save the settings')
    await console.sees('The link settings are saved.')
    await console.press('Check again')
    await console.misses('Asking DNS')
    await console.sees('assetlinks.json is not served')
  })

  it('makes a banner, which visitors get', async () => {
    await console.visit(at('/banners'))
    await console.press('New banner')
    await console.type('Link that it opens', 'nothing')
    await console.type('Heading', 'Better in the app')
    await console.type('Text', 'All of it, offline too')
    const view = await console.page.$eval('[aria-label="The banner on a web page"]', ({ textContent }) => textContent)
    expect(view).to.include('Better in the app')
    await console.press('Create the banner')
    await console.sees('is not the slug of a link')
    await console.type('Link that it opens', 'spring-sale')
    await console.press('Create the banner')
    await console.sees('The banner is there.')
    const shown = await console.server.program.banners.listShown(console.appId)
    expect(shown.map(({ design }) => design.labels.heading)).to.include('Better in the app')
  })

  it('makes a prompt', async () => {
    await console.visit(at('/banners/prompts/new'))
    await console.type('Name', 'corner')
    await console.press('BellA button in a corner')
    await console.type('Text beside the bell', 'News for you')
    await console.press('Create the prompt')
    await console.sees('The prompt is there.')
    const { design } = await console.server.program.prompts.get(console.appId, 'corner')
    expect(design).to.include({ type: 'bell', position: 'bottom-right' })
  })

  it('asks before it saves over the settings, a banner or a prompt of somebody else', async () => {
    const { program } = console.server
    const { appId } = console
    const [banner] = await program.banners.listShown(appId)
    const labels = { heading: 'Theirs', body: 'Theirs', acceptAction: 'Yes', declineAction: 'No' }
    const asked = async (path: string, label: string, button: string, write: (tx: Areas) => Promise<unknown>) => {
      await console.visit(at(path))
      await console.type(label, 'com.example.mine')
      await program.inTransaction(write)
      await console.press(button)
      await console.sees('Somebody else has changed this since you opened it')
    }
    await asked('/links/settings', 'Host name', 'Save the settings', (tx) =>
      tx.links.configure(appId, { playStoreUrl: 'https://play.google.com/store/apps/details?id=com.example.theirs' }),
    )
    await console.press('Save mine over it')
    await console.sees('The link settings are saved.')
    await asked(`/banners/${banner!.uuid}`, 'Heading', 'Save the banner', (tx) =>
      tx.banners.update(appId, banner!.uuid, { labels }),
    )
    await asked('/banners/prompts/welcome', 'Heading', 'Save the prompt', (tx) =>
      tx.prompts.update(appId, 'welcome', { labels: { alert: labels } }),
    )
    const { design } = await program.prompts.get(appId, 'welcome')
    expect(design).to.have.nested.property('labels.alert.heading', 'Theirs')
  })

  it('shows viewers everything and lets them change nothing', async () => {
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(at('/links'))
    await console.sees('Spring sale')
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('New link')
    await console.visit(at('/links/settings'))
    await console.sees('https://apps.apple.com/app/id1234567890')
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('Check now')
    await console.enter()
  })
})
