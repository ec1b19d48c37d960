import { expect } from 'chai'
import type { ContentDocument, Tag } from '../../src/domain/templates/types.ts'
import { lowContrasts } from '../support/contrast.ts'
import { addUser, handOut, holders } from '../support/in-app.ts'
import { type OpenConsole, openConsole } from './support/console.ts'

const FIRST_NAME = 'user.attributes.firstName'
const DOCUMENT: ContentDocument = {
  ver: 1,
  frame: {
    type: 'alert',
    backgroundLayers: [{ type: 'color', color: { light: '{{Background}}', dark: '#101418' } }],
    nodes: [
      { type: 'image', src: '{{Picture}}', alt: '' },
      { type: 'heading', text: '{{Title}}' },
      { type: 'text', text: '{{Text}}' },
      { type: 'button', text: 'Read on', actions: [{ type: 'openUrl', data: { url: '{{Link}}' } }] },
    ],
  },
}
const TAGS: Tag[] = [
  { title: 'Title', type: 'text', required: true },
  { title: 'Text', type: 'text', required: true },
  { title: 'Link', type: 'url', required: true },
  { title: 'Background', type: 'color', required: false, default: '#fff4e0' },
  { title: 'Picture', type: 'image', required: false, default: 'https://example.com/bread.png' },
]
const SAMPLE = {
  Title: 'Fresh from the oven',
  Text: 'Our bread is ready at six, and gone by nine.',
  Link: 'https://example.com',
}

describe('composing an in-app message that differs between people', () => {
  let console: OpenConsole
  let base: string
  let segment: string

  before(async function () {
    console = await openConsole(this)
    console.page.on('dialog', (dialog) => void dialog.accept())
    const { program, first } = console.server
    base = `/apps/${console.appId}`
    await program.inTransaction((tx) =>
      tx.templates.create(first.id, { uid: 'bread', name: 'Bread', content: DOCUMENT, tags: TAGS, sample: SAMPLE }),
    )
    for (const [name, locale, attributes] of [
      ['anna', 'de_DE', { firstName: 'Anna', plan: 'gold' }],
      ['ben', 'en_GB', { firstName: 'Ben', plan: 'gold' }],
      ['cleo', 'de_AT', { plan: 'gold' }],
      ['dan', 'en_US', { firstName: 'Dan' }],
    ] as const) {
      await addUser(console.server, name)
      await program.kernel.db.write((trx) =>
        trx('installs')
          .where({ install_id: `${name}-phone` })
          .update({ locale }),
      )
      await program.inTransaction((tx) => tx.crm.putAttributes(first.id, name, attributes))
    }
    const { uuid } = await program.inTransaction((tx) =>
      tx.segments.create(first.id, {
        name: 'Gold card',
        filter: { field: 'attributes.plan', op: 'equals', value: 'gold' },
      }),
    )
    segment = uuid
  })
  after(() => console?.close())
  afterEach(() => {
    // The picture of the template is nobody's.
    const problems = console.problems.splice(0).filter((one) => !one.includes('https://example.com/'))
    expect(problems).to.deep.equal([])
  })

  /** Chooses a value in the list with this label, once it is offered. */
  const select = (label: string, value: string) =>
    console.page.waitForFunction(`(() => {
      const field = [...document.querySelectorAll('select')].find(
        (one) => one.checkVisibility() && [...one.labels].some((text) => text.textContent.trim() === ${JSON.stringify(label)}),
      )
      const isThere = field !== undefined && [...field.options].some((option) => option.value === ${JSON.stringify(value)})
      if (isThere) {
        field.value = ${JSON.stringify(value)}
        field.dispatchEvent(new Event('change', { bubbles: true }))
      }
      return isThere
    })()`)
  /** Waits until the drawing of the message has this text. */
  const frameSays = (text: string) =>
    console.page.waitForFunction(
      `[...document.querySelectorAll('.message-stage iframe')].some((frame) => frame.contentDocument?.body?.innerText.includes(${JSON.stringify(text)}))`,
    )
  const last = async () => (await console.server.program.inApp.list(console.appId, { limit: 1 })).messages[0]!
  const looksRight = async (name: string) => {
    for (const width of [1280, 390]) {
      for (const theme of ['light', 'dark'] as const) {
        await console.look(width, theme)
        expect(await lowContrasts(console.page), `${name} ${width} ${theme}`).to.deep.equal([])
        await console.shoot(`${name}-${width}-${theme}`)
      }
      expect(await console.axe({ without: ['color-contrast'] }), `${name} ${width}`).to.deep.equal([])
      expect(await console.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), name).to.equal(true)
    }
    await console.look(1280, 'light')
  }

  it('offers a field for each type of tag, with what is wrong beside it', async () => {
    await console.visit(`${base}/in-app/new`)
    await console.sees('Choose a template to see the message.')
    await select('Template', 'bread')
    await frameSays('[Title]')
    await console.sees('2 more with a default')
    await console.press('2 more with a default')
    await console.sees('Without one: #fff4e0')
    await console.page.waitForSelector('.tag-picture iframe')
    await console.press('Review and send')
    await console.sees('Fill in Title.')
    const beside = (label: string) =>
      console.page.waitForFunction(`[...document.querySelectorAll('.field')].some((field) =>
        field.querySelector('label')?.textContent === ${JSON.stringify(label)} && field.querySelector('.field-error'))`)
    await beside('Title')
    await console.type('Title', 'Warm bread')
    await console.type('Text', 'Until six.')
    await console.type('Link', 'nowhere')
    await console.type('Background', 'reddish')
    await beside('Link')
    await beside('Background')
    await console.shoot('in-app-wrong')
    await console.page.evaluate('localStorage.clear()')
  })

  it('a personalised, translated message goes to a segment; it is tested, reviewed, undone and sent', async () => {
    const { server, appId } = console
    await console.visit(`${base}/in-app/new?template=bread`)
    await console.choose('People who match')
    await select('Segment', segment)
    await console.sees('3 people get it')
    await console.type('Text', 'Fresh bread until six.')
    await console.type('Link', 'https://example.com/bread')
    await console.type('Title', 'Hello ')
    await console.press('Insert a value into Title')
    await select('Value', FIRST_NAME)
    await console.type('If it is missing', 'you')
    await console.press('Insert it')
    await console.sees('first name or “you”')
    await console.sees('For 1 of 3 the first name is missing: they get “you”.')
    await console.sees('As anna gets it')
    await frameSays('Hello Anna')

    await console.type('Add a language', 'germ')
    await console.sees('German')
    await console.page.keyboard.press('Enter')
    await console.page.waitForSelector('.push-variant')
    await console.sees('Nothing is written in German yet')
    await console.press('Insert a value into Title in German')
    await select('Value', FIRST_NAME)
    await console.press('Insert it')
    await console.sees('Goes to 1 person')
    await console.sees('of 65,536 bytes')
    await console.sees('For 1 of 3 the first name is missing: they get nothing.')
    await console.sees('What is written above goes to everybody else: 1 person.')
    await console.sees('As anna gets it, in German')
    await looksRight('in-app-written')

    await console.type('Shown to', 'cleo')
    await console.page.waitForSelector('[role="option"]')
    await console.page.keyboard.press('Enter')
    await console.sees('cleo gets nothing: the first name is missing.')
    await console.sees('This person gets nothing.')

    await console.type('Name of the device', 'Phone of Anna')
    await console.type('Install id', 'anna-phone')
    await console.press('Add the device')
    await console.sees('Phone of Anna is a test device now.')
    await console.choose('Phone of Anna')
    await console.press('Send the test')
    await console.sees('The test is on its way.')
    await handOut(server)
    await console.sees('1 person has it. It appears when the app is open there.')
    expect(await holders(server, (await last()).id)).to.deep.equal(['anna'])

    await console.press('Review and send')
    await console.sees('Send to 3 people?')
    await console.sees('Gold card')
    await looksRight('in-app-review')
    await console.press('Send to 3 people')
    await console.sees('Sending to 3 people')
    await console.shoot('in-app-undo')
    await handOut(server)
    await console.press('Undo')
    await console.sees('Nobody got it. What you wrote is still here.')
    expect(await last()).to.include({ status: 4, recipients: 0 })

    await console.press('Review and send')
    await console.press('Send to 3 people')
    await console.sees('On its way')
    server.clock.advance(10_000)
    await handOut(server)
    const sent = await last()
    expect(sent.personal).to.deep.include({
      personalize: { missing: 'skip' },
      languages: { de: { Title: `{{ ${FIRST_NAME} }}` } },
    })
    expect(await holders(server, sent.id)).to.deep.equal(['anna', 'ben'])
    await console.visit(`${base}/in-app/${sent.id}`)
    await console.sees('Hello [first name]')
    await console.sees('By language')
    await console.sees('Values that were missing')
    await frameSays('Hello')
    await looksRight('in-app-report')
    await console.visit(`${base}/in-app`)
    await console.sees('Hello [first name]')
    expect(
      await console.page.evaluate(
        `[...document.querySelectorAll('.table tbody tr')].map((one) => one.innerText.includes('Test'))`,
      ),
      'only the test is marked as one',
    ).to.deep.equal([false, false, true])
    await console.page.waitForSelector('.message-thumb iframe')
    await looksRight('in-app-list')
    expect(appId).to.equal(sent.appId)
  })

  it('repeats every Monday, and the series is changed whole', async () => {
    const { server, appId } = console
    await console.visit(`${base}/in-app/new?template=bread`)
    await console.choose('Everybody')
    await console.type('Title', 'Monday')
    await console.type('Text', 'Rye today.')
    await console.type('Link', 'https://example.com/rye')
    await console.choose('A push of its own')
    await console.press('Review and send')
    await console.sees('Give the push a title.')
    await console.type('Title of the push', 'Rye for ')
    await console.press('Insert a value into the title of the push')
    await select('Value', FIRST_NAME)
    await console.type('If it is missing', 'you')
    await console.press('Insert it')
    await console.type('Message of the push', 'Look inside.')
    await console.type('Picture of the push', 'https://example.com/rye.png')
    await console.sees('Rye for Anna')
    await console.type('Add a language', 'germ')
    await console.sees('German')
    await console.page.keyboard.press('Enter')
    await console.page.waitForSelector('.push-variant')
    for (const field of ['title', 'message']) {
      await console.press(`Insert a value into ${field} of the push in German`)
      await select('Value', FIRST_NAME)
      await console.press('Insert it')
      await console.page.waitForFunction(`document.querySelector('dialog:modal') === null`)
    }
    await looksRight('in-app-push')
    await console.choose('Repeat')
    await console.sees('The next times')
    await console.press('Review and send')
    await console.sees('each time to whoever is meant then')
    await console.press('Schedule for 4 people')
    await console.sees('It repeats from now on.')
    const [made] = (await server.program.series.list(appId, { limit: 1 })).series
    expect(made!.title).to.equal('Monday')
    await console.visit(`${base}/series/${made!.series.id}/change`)
    await console.type('Text', 'Rye and spelt today.')
    await frameSays('Rye and spelt today.')
    await looksRight('in-app-series')
    await console.press('Save the series')
    await console.sees('The series is changed.')
    const { request } = await server.program.series.get(appId, made!.series.id)
    expect(request).to.deep.include({
      target: { broadcast: true },
      content: { Title: 'Monday', Text: 'Rye and spelt today.', Link: 'https://example.com/rye' },
      template: 'bread',
      notification: {
        title: `Rye for {{ ${FIRST_NAME} | default: 'you' }}`,
        message: 'Look inside.',
        ios: { media: { pictureUrl: 'https://example.com/rye.png' } },
        android: { pictureUrl: 'https://example.com/rye.png' },
        languages: { de: { title: `{{ ${FIRST_NAME} }}`, message: `{{ ${FIRST_NAME} }}` } },
      },
    })
  })

  it('a push template announces a message, in its own words', async () => {
    const { server, appId } = console
    await server.program.inTransaction((tx) =>
      tx.pushTemplates.create(appId, {
        uid: 'ready',
        name: 'Ready',
        body: { content: { title: 'It is ready', message: 'Come.' } },
      }),
    )
    await console.visit(`${base}/in-app/new?template=bread`)
    await console.choose('Everybody')
    await console.type('Title', 'Ready')
    await console.type('Text', 'Rye is ready.')
    await console.type('Link', 'https://example.com/ready')
    await console.choose('A push template')
    await select('Push template', 'ready')
    await console.sees('It is ready')
    await console.press('Review and send')
    await console.press('Send to 4 people')
    await console.sees('On its way')
    expect((await last()).notification).to.deep.include({
      title: 'It is ready',
      template: { uid: 'ready', version: 1 },
    })
    await console.press('Undo')
    await console.sees('Nobody got it. What you wrote is still here.')
    await console.page.evaluate('localStorage.clear()')
  })

  it('asks for the number of people above the size that the app sets', async () => {
    const { program, first } = console.server
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: 1 }))
    await console.visit(`${base}/in-app/new?template=bread`)
    await console.choose('Everybody')
    await console.type('Title', 'Twice')
    await console.type('Text', 'Look again.')
    await console.type('Link', 'https://example.com/hours')
    await console.sees('4 people get it')
    await console.press('Review and send')
    await console.sees('Send to 4 people?')
    await addUser(console.server, 'eve')
    await console.type('Type 4 to confirm', '4')
    await console.press('Send to 4 people')
    await console.sees('at least 5 get it')
    await console.type('Type 5 to confirm', '5')
    await console.press('Send to 5 people')
    await console.sees('On its way')
    await program.inTransaction((tx) => tx.apps.restrain(first.id, { confirmAbove: null }))
  })
})
