import { expect } from 'chai'
import { addUser } from '../support/in-app.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('in-app messages in the console', () => {
  let console: OpenConsole

  useConsole((opened) => {
    console = opened
    // Leaving unsaved changes is asked about; these stories leave.
    console.page.on('dialog', (dialog) => void dialog.accept())
  })

  /** Waits until the frame of the editor draws this text. */
  const frameSays = (text: string) =>
    console.page.waitForFunction(
      `[...document.querySelectorAll('.editor-preview iframe, .message-stage iframe')].some((frame) => frame.contentDocument?.body?.innerText.includes(${JSON.stringify(text)}))`,
    )
  const blocks = () =>
    console.page.evaluate(`[...document.querySelectorAll('.block-name strong')].map((one) => one.textContent)`)

  it('a marketer begins with a starter, changes a text and sees it in the frame', async () => {
    await console.visit(`/apps/${console.appId}/templates`)
    await console.press('Use Announcement')
    await console.type('Name', 'Opening hours')
    await console.type('Identifier', 'hours')
    await console.press('Create the template')
    await console.sees('hours, version 1')
    await frameSays('Opening hours are changing')
    await console.press('Heading{{Title}}')
    await console.type('Text', 'New hours: open until nine')
    await frameSays('New hours: open until nine')
    await console.sees('with changes that are not saved')
  })

  it('warns about a colour that is hard to read, until it is not', async () => {
    await console.type('Colour, light', '#fafafa')
    await console.sees('Hard to read in light mode')
    await console.type('Colour, light', '#1a1a1a')
    await console.misses('Hard to read in light mode')
  })

  it('undoes and does again', async () => {
    await console.press('Undo')
    await console.press('Redo')
    await frameSays('New hours: open until nine')
  })

  it('moves a block with the keyboard alone', async () => {
    expect(await blocks()).to.deep.equal(['Frame', 'Picture', 'Heading', 'Text', 'Button', 'Button'])
    await console.page.evaluate(`document.querySelectorAll('.block-name')[2].focus()`)
    await console.page.keyboard.down('Alt')
    await console.page.keyboard.press('ArrowDown')
    await console.page.keyboard.up('Alt')
    expect(await blocks()).to.deep.equal(['Frame', 'Picture', 'Text', 'Heading', 'Button', 'Button'])
    await console.page.waitForFunction(`document.activeElement.textContent.startsWith('Heading')`)
  })

  it('saves a version, shows what is different and restores the first', async () => {
    await console.press('Save as version 2')
    await console.sees('hours, version 2')
    await console.shoot('editor')
    await console.press('Versions')
    await console.sees('From version 1 to 2')
    await console.sees('New hours: open until nine')
    await console.shoot('versions')
    await console.press('Restore version 1')
    await console.press('Restore this version')
    await console.sees('hours, version 3')
    const stored = await console.server.program.templates.get(console.appId, 'hours')
    const first = await console.server.program.templates.version(console.appId, 'hours', 1)
    expect(stored.version).to.equal(3)
    expect(stored.content).to.deep.equal(first.content)
  })

  it('says which block is wrong when the server refuses it', async () => {
    await console.visit(`/apps/${console.appId}/templates/hours`)
    await console.press('Add a block')
    await console.press('Picture')
    await console.type('Link to the picture', 'nowhere')
    await console.sees('No description')
    await console.press('Save as version 4')
    await console.sees('Picture (block 2)')
    expect((await console.server.program.templates.get(console.appId, 'hours')).version).to.equal(3)
    await console.press('Undo')
  })

  it('keeps Save and the preview in reach on a phone', async () => {
    await console.look(390, 'light')
    await console.visit(`/apps/${console.appId}/templates/hours`)
    const below = `[...document.querySelectorAll('button')]
      .filter((one) => one.checkVisibility() && one.getBoundingClientRect().top > innerHeight - 80)
      .map((one) => one.textContent.trim())`
    for (const place of ['0', 'document.body.scrollHeight']) {
      await console.page.evaluate(`scrollTo(0, ${place})`)
      expect(await console.page.evaluate(`${below}.slice(-2)`)).to.deep.equal(['Preview', 'Save as version 4'])
    }
    await console.press('Preview')
    await console.page.waitForSelector('dialog:modal .editor-preview iframe')
    await console.shoot('editor-preview-390')
    await console.page.keyboard.press('Escape')
    await console.page.waitForFunction(`document.querySelector('dialog:modal') === null`)
    await console.look(1280, 'light')
  })

  it('asks before it saves over a version of somebody else', async () => {
    const { program, first } = console.server
    await console.page.evaluate('localStorage.clear()')
    await console.visit(`/apps/${console.appId}/templates/hours`)
    await console.press('Heading{{Title}}')
    await console.type('Text', 'My heading')
    const { content } = await program.templates.get(first.id, 'hours')
    const nodes = content.frame.nodes.slice(1)
    await program.inTransaction((tx) =>
      tx.templates.update(first.id, 'hours', { content: { ...content, frame: { ...content.frame, nodes } } }),
    )
    await console.press('Save as version 4')
    await console.sees('Somebody else has changed this since you opened it')
    expect((await program.templates.get(first.id, 'hours')).content.frame.nodes).to.deep.equal(nodes)
    await console.press('Save mine as the newest version')
    await console.sees('hours, version 5')
    expect(JSON.stringify((await program.templates.get(first.id, 'hours')).content)).to.include('My heading')
    await program.inTransaction((tx) => tx.templates.update(first.id, 'hours', { content }))
  })

  it('sends an in-app message, reads its report and withdraws it', async () => {
    await console.visit(`/apps/${console.appId}/in-app/new?template=hours`)
    await console.press('Review and send')
    await console.sees('Fill in Title.')
    await console.sees('Choose who gets it.')
    await console.press('EverybodyAll people who agreed to in-app messages')
    await console.sees('0 people get it')
    await addUser(console.server, 'ann')
    await addUser(console.server, 'off', { enabled: false })
    await console.press('Certain usersUser ids or install ids')
    await console.type('User ids', 'ann\noff\nnobody')
    await console.sees('1 person gets it')
    await console.sees('1 named as a user who has in-app messages turned off')
    await console.sees('1 named as a user whom this app does not know')
    await console.press('EverybodyAll people who agreed to in-app messages')
    await console.misses('named as a user')
    await console.sees('1 person gets it')
    await console.type('Title', 'Closed on Monday')
    await console.type('Text', 'We are back on Tuesday.')
    await console.type('Link', 'https://example.com/hours')
    await frameSays('Closed on Monday')
    await console.press('Review and send')
    await console.sees('Now, with ten seconds to take it back')
    await console.press('Send to 1 person')
    await console.sees('On its way')
    const [sent] = (await console.server.program.inApp.list(console.appId, { limit: 1 })).messages
    await console.visit(`/apps/${console.appId}/in-app/${sent!.id}`)
    await console.sees('What became of it')
    await console.sees('Closed on Monday')
    await console.press('Withdraw')
    await console.type('Type hours to confirm', 'hours')
    await console.press('Withdraw the message')
    await console.sees('Withdrawn')
    const { messages } = await console.server.program.inApp.list(console.appId, { limit: 10 })
    expect(messages.map(({ status, template }) => [status, template])).to.deep.equal([[4, 'hours']])
    await console.visit(`/apps/${console.appId}/in-app`)
    await console.sees('Closed on Monday')
  })

  it('a viewer sees all of it and can change nothing', async () => {
    await console.enter([{ appId: console.appId, role: 'viewer' }])
    await console.visit(`/apps/${console.appId}/templates/hours`)
    await frameSays('Opening hours are changing')
    const text = String(await console.page.evaluate('document.body.innerText'))
    expect(text).to.not.match(/Save as|Delete|Compose a message|Add a block/)
    await console.visit(`/apps/${console.appId}/in-app`)
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('Compose a message')
  })
})
