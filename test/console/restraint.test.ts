import { expect } from 'chai'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('the rules of an app in the console', () => {
  let console: OpenConsole
  const rules = () => console.server.program.apps.restraint(console.appId)

  useConsole((opened) => (console = opened))

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

  it('an operator makes a purpose, changes it and deletes it', async () => {
    const purposes = () => console.server.program.purposes.list(console.appId)
    await console.visit(`/apps/${console.appId}/restraint?tab=purposes`)
    await console.press('New purpose')
    await console.type('Name', 'Offers')
    await console.type('Identifier', 'no spaces')
    await console.press('Create the purpose')
    await console.sees('must have 1 to 64 of the characters')
    await console.type('Identifier', 'offers')
    await console.press('Create the purpose')
    await console.sees('The purpose is saved.')
    expect((await purposes())[0]).to.deep.include({ uid: 'offers', name: 'Offers', default: true, required: false })
    await console.press('Edit Offers')
    await console.type('About', 'Once a week')
    await console.press('do not get it')
    await console.press('Save the purpose')
    await console.sees('does not get it')
    expect((await purposes())[0]).to.deep.include({ description: 'Once a week', default: false })
    await console.press('Delete Offers')
    await console.press('Delete the purpose')
    await console.sees('No purposes yet')
    expect(await purposes()).to.deep.equal([])
  })

  it('an operator puts people on the suppression list, looks one up, and takes them off', async () => {
    const { suppressions } = console.server.program
    await console.visit(`/apps/${console.appId}/restraint?tab=suppressions`)
    await console.press('Add people')
    await console.type('User ids', 'anna\nben')
    await console.type('Reason', 'asked by letter')
    await console.press('Put them on the list')
    await console.sees('2 people are on the list now.')
    await console.type('Is this person on the list?', 'nobody')
    await console.press('Look up')
    await console.sees('nobody is not on the list.')
    await console.type('Is this person on the list?', 'anna')
    await console.press('Look up')
    await console.sees('anna is on the list.')
    await console.press('Take off the list')
    await console.press('Take them off')
    await console.sees('They are off the list.')
    expect((await suppressions.list(console.appId, { limit: 10 })).suppressions).to.have.length(1)
  })

  it('an operator renames the app and sets its event log, and an owner alone deletes it', async () => {
    const { apps } = console.server.program
    await console.visit(`/apps/${console.appId}/settings`)
    await console.type('Name', 'Bakery')
    await console.press('Save the settings')
    await console.sees('The settings are saved.')
    expect((await apps.get(console.appId)).name).to.equal('Bakery')
    await console.page.click('input[role=switch]')
    await console.press('Save the event log')
    await console.sees('The event log is set.')
    expect(await apps.logSettings(console.appId)).to.deep.equal({ deliveries: true })
    await console.enter([{ appId: console.appId, role: 'operator' }])
    await console.visit(`/apps/${console.appId}/settings`)
    await console.sees('Save the settings')
    await console.misses('Delete the app')
    await console.enter()
    await console.visit(`/apps/${console.appId}/settings`)
    await console.press('Delete the app')
    await console.type('Type Bakery to confirm', 'Bakery')
    await console.closeDialog()
    expect((await apps.list()).map(({ id }) => id)).to.include(console.appId)
  })
})
