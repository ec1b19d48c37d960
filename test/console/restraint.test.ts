import { expect } from 'chai'
import { type OpenConsole, openConsole } from './support/console.ts'

describe('the rules of an app in the console', () => {
  let console: OpenConsole
  const rules = () => console.server.program.apps.restraint(console.appId)

  before(async function () {
    console = await openConsole(this)
  })
  after(() => console?.close())
  afterEach(() => {
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  it('an operator sets each of them, and what is wrong stands beside its field', async () => {
    await console.visit(`/apps/${console.appId}/restraint`)
    await console.type('From', '22:00')
    await console.type('Pushes at most', '5')
    await console.type('Language attribute', 'attributes.language')
    await console.press('Save the rules')
    await console.sees('must be the name of the attribute alone: language, not attributes.language')
    expect(await rules()).to.deep.include({ quiet: null, cap: null, languageAttribute: null })
    await console.type('Until', '07:00')
    await console.type('In any', '24')
    await console.type('Language attribute', 'profile.language')
    await console.type('Ask for the number of recipients above', '10000')
    await console.press('Save the rules')
    await console.sees('The rules are saved.')
    expect(await rules()).to.deep.equal({
      quiet: { from: 22 * 60, to: 7 * 60 },
      cap: { count: 5, hours: 24 },
      confirmAbove: 10_000,
      deviceChannels: 'private',
      languageAttribute: 'profile.language',
    })
  })

  it('empty fields switch rules off', async () => {
    await console.visit(`/apps/${console.appId}/restraint`)
    for (const label of ['From', 'Until', 'Pushes at most', 'In any', 'Language attribute'])
      await console.type(label, '')
    await console.press('Save the rules')
    await console.sees('The rules are saved.')
    expect(await rules()).to.deep.equal({
      quiet: null,
      cap: null,
      confirmAbove: 10_000,
      deviceChannels: 'private',
      languageAttribute: null,
    })
  })

  it('a marketer reads them', async () => {
    const { program } = console.server
    await program.inTransaction((tx) =>
      tx.apps.restrain(console.appId, { quiet: { from: 0, to: 60, hold: true }, languageAttribute: 'language' }),
    )
    await console.enter([{ appId: console.appId, role: 'marketer' }])
    await console.visit(`/apps/${console.appId}/restraint`)
    await console.sees('00:00 to 01:00: pushes wait until they end')
    await console.sees('Asked above 10000 recipients')
    await console.misses('Save the rules')
    await console.enter()
  })
})
