import { expect } from 'chai'
import { withAndroids } from '../support/delivery.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { examine } from './support/examine.ts'

/** Runs in the page: the first of the versions. */
const FIRST_VERSION = `document.querySelector('[aria-label="Versions"] tbody td').innerText`

describe('push templates in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole(async (opened) => {
    console = opened
    base = `/apps/${console.appId}`
    await withAndroids(console.server, 3)
    await console.enter([{ appId: console.appId, role: 'marketer' }])
  })

  const template = (uid: string) => console.server.program.pushTemplates.get(console.appId, uid)
  const valueOf = (name: string) => console.page.evaluate(`document.querySelector('[name="${name}"]').value`)

  it('a marketer makes one, changes it, restores its first version and deletes it', async () => {
    await console.visit(`${base}/push-templates`)
    await console.press('New push template')
    await console.press('Save the push template')
    await console.sees('Give it a name.')
    await console.sees('Give it a title.')
    await console.type('Name', 'Order ready')
    await console.type('Identifier', 'not good')
    await console.type('Title', 'Ready')
    await console.type('Message', 'Your order waits.')
    await console.press('Save the push template')
    await console.sees('must be')
    await console.type('Identifier', 'ready')
    await examine(console, 'push-template-new')
    await console.press('Save the push template')
    await console.sees('Start a push from it')
    expect((await template('ready')).body).to.deep.equal({ content: { title: 'Ready', message: 'Your order waits.' } })

    await console.press('Edit')
    await console.type('Message', 'Your bread waits.')
    await console.press('Save the push template')
    await console.sees('2, the newest')
    expect(await console.page.evaluate(FIRST_VERSION), 'the newest comes first').to.equal('2, the newest')
    await console.press('Show version 1')
    await console.sees('Your order waits.')
    await examine(console, 'push-template')
    await console.press('Restore version 1')
    await console.sees('3, the newest')
    expect((await template('ready')).body.content).to.include({ message: 'Your order waits.' })

    await console.press('Delete')
    await console.press('Delete the push template')
    await console.sees('No push templates yet')
  })

  it('a push is saved as one, and another is started from it', async () => {
    await console.visit(`${base}/push/new`)
    await console.type('Title', 'Half price')
    await console.type('Message', 'Until six.')
    await console.press('Save as a push template')
    await console.type('Identifier', 'sale')
    await examine(console, 'push-template-save')
    await console.press('Save the push template')
    await console.sees('Half price is a push template now.')
    expect(await template('sale')).to.deep.include({ name: 'Half price', version: 1 })

    await console.visit('/account')
    await console.page.evaluate('localStorage.clear()')
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await console.sees('3 devices get it')
    await console.press('Start from a push template')
    await examine(console, 'push-template-start')
    await console.press('Start from Half price')
    await console.sees('Until six.')
    expect(await valueOf('content.title')).to.equal('Half price')
    await console.sees('3 devices get it')

    await console.visit('/account')
    await console.page.evaluate('localStorage.clear()')
    await console.visit(`${base}/push-templates/sale`)
    await console.press('Start a push from it')
    await console.sees('Nobody is chosen yet')
    await console.sees('Until six.')
    expect(await valueOf('content.title')).to.equal('Half price')
  })
})
