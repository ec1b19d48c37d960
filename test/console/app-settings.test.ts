import { expect } from 'chai'
import { readPicture } from '../../src/domain/pictures/schema.ts'
import { smallPng } from '../support/pictures.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('the zone, the icon and the name of an app in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole((opened) => {
    console = opened
    base = `/apps/${console.appId}`
  })

  const app = () => console.server.program.apps.get(console.appId)
  const valueOf = (name: string) => console.page.evaluate(`document.querySelector('[name="${name}"]').value`)

  it('an operator chooses zone and icon: the switcher shows it, and new schedules begin with the zone', async () => {
    const { url, uid } = await console.server.program.inTransaction(async (tx) => {
      const given = readPicture('icon.png', smallPng())
      const { picture } = await tx.pictures.add(console.appId, given.name, given.picture)
      return { uid: picture.uid, url: tx.pictures.urlOf(picture) }
    })
    await console.visit(`${base}/settings`)
    await console.sees('That of each person’s browser')
    await console.page.select('[name=timezone]', 'Pacific/Auckland')
    await console.type('Icon', url)
    await console.press('Save the settings')
    await console.sees('The settings are saved.')
    expect((await app()).timezone).to.equal('Pacific/Auckland')
    expect(await console.page.$eval('.switcher .mark img', (image) => image.getAttribute('src'))).to.include(uid)
    await console.visit(`${base}/push/new`)
    await console.choose('At a time')
    await console.sees('Time in Pacific/Auckland')
    await console.choose('Repeat')
    await console.sees('On the clock of')
    expect(await valueOf('repeat.zone')).to.equal('Pacific/Auckland')
    await console.visit(`${base}/pictures/${uid}`)
    await console.sees('Icon of app')
  })

  it('takes both away again', async () => {
    await console.visit(`${base}/settings`)
    await console.sees('Save the settings')
    await console.page.select('[name=timezone]', '')
    await console.press('Remove the picture')
    await console.press('Save the settings')
    await console.sees('The settings are saved.')
    expect((await app()).timezone).to.equal(null)
    expect(await console.server.program.pictures.iconUrl(console.appId)).to.equal(null)
  })

  it('a name that was taken since the page was opened is refused beside it, and then waits for the tick', async () => {
    const { program } = console.server
    await console.visit(`${base}/settings`)
    await console.sees('Save the settings')
    await program.inTransaction((tx) => tx.apps.create({ name: 'Late' }))
    await console.type('Name', 'Late')
    await console.press('Save the settings')
    await console.sees('Another app has this name by now')
    expect((await app()).name).to.equal('First')
    await console.choose('Another app has this name')
    await console.press('Save the settings')
    await console.sees('The settings are saved.')
    expect((await app()).name).to.equal('Late')
    await console.visit('/new-app')
    await console.sees('Create the app')
    await program.inTransaction((tx) => tx.apps.create({ name: 'Later' }))
    await console.type('Name', 'Later')
    await console.press('Create the app')
    await console.sees('Another app has this name by now')
    expect((await program.apps.list()).filter(({ name }) => name === 'Later')).to.have.length(1)
  })

  it('a name that another app has waits for a tick, where an app is named and where it is made', async () => {
    await console.server.program.inTransaction((tx) => tx.apps.create({ name: 'Twin' }))
    await console.enter()
    await console.visit(`${base}/settings`)
    await console.type('Name', 'Twin')
    await console.press('Save the settings')
    await console.sees('Tick it, or choose another name.')
    await console.choose('Another app has this name')
    await console.press('Save the settings')
    await console.sees('The settings are saved.')
    expect((await app()).name).to.equal('Twin')
    await console.visit('/new-app')
    await console.type('Name', 'Twin')
    await console.press('Create the app')
    await console.sees('Tick it, or choose another name.')
    await console.type('Name', 'Third')
    await console.misses('Another app has this name')
    await console.press('Create the app')
    await console.sees('Third is ready')
  })
})
