import { expect } from 'chai'
import { lowContrasts } from '../support/contrast.ts'
import { deliverDue, fanOut, scriptedSender, withAndroids } from '../support/delivery.ts'
import { addInstall } from '../support/installs.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

const FIRST_NAME = 'user.attributes.firstName'
const COLUMN = {
  type: 'string',
  required: false,
  unique: false,
  indexed: false,
  default: null,
  references: null,
} as const

describe('composing a push that differs between people', () => {
  let console: OpenConsole
  let base: string
  let segment: string

  useConsole(async (opened) => {
    console = opened
    const { program, first } = console.server
    base = `/apps/${console.appId}`
    await withAndroids(console.server, 0)
    for (const [name, locale, attributes] of [
      ['anna', 'de_DE', { firstName: 'Anna', plan: 'gold' }],
      ['ben', 'en_GB', { firstName: 'Ben', plan: 'gold' }],
      ['cleo', 'de_AT', { plan: 'gold' }],
      ['dan', 'en_US', { firstName: 'Dan' }],
    ] as const) {
      const id = await addInstall(program, first.id, name, { user: name })
      await program.kernel.db.write((trx) => trx('installs').where({ id }).update({ locale }))
      await program.inTransaction((tx) => tx.crm.putAttributes(first.id, name, attributes))
    }
    const { uuid } = await program.inTransaction((tx) =>
      tx.segments.create(first.id, {
        name: 'Gold',
        filter: { field: 'attributes.plan', op: 'equals', value: 'gold' },
      }),
    )
    segment = uuid
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
  const valueOf = (name: string) => console.page.evaluate(`document.querySelector('[name="${name}"]').value`)
  const found = async (title: string) =>
    (await console.server.program.notifications.list(console.appId, { limit: 50 })).notifications.find(
      ({ content }) => content.title === title,
    )

  it('a personalised, translated push goes to a segment, and its report says who got which language', async () => {
    const { server, appId } = console
    await console.visit(`${base}/push/new`)
    await console.choose('People who match')
    await select('Segment', segment)
    await console.sees('3 devices get it')
    await console.type('Title', 'Hello !')
    await console.page.evaluate(`document.querySelector('[name="content.title"]').setSelectionRange(6, 6)`)
    await console.press('Insert a value into the title')
    await select('Value', FIRST_NAME)
    await console.type('If it is missing', 'you')
    await console.sees('Whoever lacks it reads “you”.')
    await console.shoot('personal-picker')
    await console.press('Insert it')
    await console.sees('first name or “you”')
    expect(await valueOf('content.title')).to.equal(`Hello {{ ${FIRST_NAME} | default: 'you' }}!`)
    await console.sees('Fill in the values of each person')
    await console.type('Message', 'Fresh bread until six.')
    await console.sees('For 1 of 3 the first name is missing: they get “you”.')
    await console.sees('As anna gets it')
    await console.page.waitForFunction(`document.querySelector('.push-card strong').textContent === 'Hello Anna!'`)

    await console.type('Add a language', 'germ')
    await console.sees('German')
    await console.page.keyboard.press('Enter')
    await console.page.waitForSelector('.push-variant')
    await console.page.locator('.push-variant [name="title"]').fill('Hallo ')
    await console.press('Insert a value into the title in German')
    await select('Value', FIRST_NAME)
    await console.press('Insert it')
    await console.page.locator('.push-variant [name="message"]').fill('Frisches Brot bis sechs.')
    await console.sees('Goes to 1 device')
    await console.sees('For 1 of 3 the first name is missing: they get nothing.')
    await console.sees('The text above goes to everybody else: 1 device.')
    await console.page.waitForFunction(`document.querySelector('.push-card strong').textContent === 'Hallo Anna'`)
    await console.page.waitForFunction(`document.querySelector('.push-variant-size [role="meter"]') !== null`)
    for (const width of [1280, 390]) {
      await console.look(width, 'light')
      expect(await console.axe({ without: ['color-contrast'] }), `${width}`).to.deep.equal([])
      expect(await lowContrasts(console.page), `${width}`).to.deep.equal([])
      expect(await console.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${width}`).to.equal(
        true,
      )
      await console.shoot(`personal-written-${width}`)
    }
    await console.look(390, 'light', { isTouched: true })
    const small = `[...document.querySelectorAll('.push-insert-button, button.push-value')].flatMap((one) => {
      const { width, height } = one.getBoundingClientRect()
      return one.checkVisibility() && Math.min(width, height) < 44 ? [one.textContent + ' ' + width + 'x' + height] : []
    })`
    expect(await console.page.evaluate(small), 'too small for a finger').to.deep.equal([])
    await console.look(1280, 'light')

    await console.press('Review and send')
    await console.sees('As anna gets it.')
    await console.shoot('personal-review')
    await console.press('Send to 3 devices')
    await console.sees('On its way')
    const sent = (await found(`Hello {{ ${FIRST_NAME} | default: 'you' }}!`))!
    expect(sent.content).to.deep.include({
      personalize: { missing: 'skip' },
      languages: { de: { title: `Hallo {{ ${FIRST_NAME} }}`, message: 'Frisches Brot bis sechs.' } },
    })

    server.clock.advance(10_000)
    await fanOut(server)
    await deliverDue(server, scriptedSender(() => ({ kind: 'accepted' })).sender)
    await console.visit(`/apps/${appId}/delivery/${sent.id}`)
    await console.sees('By language')
    await console.sees('German')
    await console.sees('Values that were missing')
    await console.shoot('personal-report')
  })
  it('is duplicated with its values and languages, and shown as a person who is chosen', async () => {
    const { server, appId } = console
    const [last] = (await server.program.notifications.list(appId, { limit: 1 })).notifications
    await console.visit(`${base}/push/new?from=${last!.id}`)
    await console.sees('first name or “you”')
    await console.sees('As anna gets it, in German.')
    await console.type('Shown to', 'ben')
    await console.page.waitForSelector('[role="option"]')
    await console.page.keyboard.press('Enter')
    await console.sees('As ben gets it, in the default language.')
    await console.page.waitForFunction(`document.querySelector('.push-card strong').textContent === 'Hello Ben!'`)
    await console.type('Shown to', 'cleo')
    await console.page.waitForSelector('[role="option"]')
    await console.page.keyboard.press('Enter')
    await console.sees('cleo gets nothing: the first name is missing.')
    await console.sees('This person gets nothing.')
    await console.page.evaluate('localStorage.clear()')
  })

  it('says beside the text of a language what is wrong with it', async () => {
    await console.visit(`${base}/push/new`)
    await console.page.evaluate(`localStorage.setItem('appsvc.draft.push-${console.appId}', JSON.stringify({ at: Date.now(), value: {
      'content.title': 'T', 'content.message': 'M', personalize: true,
      'content.languages': { de: { title: 'Hallo {{ user.nam }}', message: 'M' } } } }))`)
    await console.visit('/account')
    await console.visit(`${base}/push/new`)
    await console.page.waitForFunction(`document.querySelector('.push-variant [name="title"]').ariaInvalid === 'true'`)
    await console.sees('line 1, column')
    const beside = `document.querySelector('.push-variant [name="title"]').closest('.field').innerText`
    expect(await console.page.evaluate(beside)).to.include('line 1, column')
    await console.page.locator('.push-variant [name="title"]').fill('Hallo')
    await console.page.waitForFunction(`document.querySelector('.push-variant [name="title"]').ariaInvalid !== 'true'`)
    await console.press('Start afresh')
  })
  it('shows what stands in a data table, and the values that the push gives to single users', async () => {
    const { program, first } = console.server
    await program.inTransaction(async (tx) => {
      const { alias } = await tx.tables.create(first.id, 'breads', [
        { ...COLUMN, name: 'sku', unique: true },
        { ...COLUMN, name: 'loafName' },
      ])
      await tx.records.create(first.id, alias, { sku: 'rye', loafName: 'Rye loaf' })
    })
    await console.visit(`${base}/push/new`)
    await console.choose('Everybody')
    await console.type('Message', 'Until six.')
    await console.page.evaluate(`document.querySelectorAll('details.more').forEach((one) => (one.open = true))`)
    await console.type('Data of single users', '{"anna": {"sku": "rye"}}')
    await console.press('Add a look-up')
    await select('Table', '1_breads')
    await select('Its column', 'sku')
    await console.type('Name of the look-up', 'bread')
    await console.press('Insert a value into the value to look for')
    await select('Value', 'meta.sku')
    await console.press('Insert it')
    await console.press('Insert a value into the title')
    await select('Value', 'lookup.bread.loafName')
    await console.press('Insert it')
    await console.sees('loaf name of bread')
    await console.sees('For 3 of 4 the loaf name of bread is missing: they get nothing.')
    await console.page.waitForFunction(`document.querySelector('.push-card strong').textContent === 'Rye loaf'`)
    expect(await console.axe({ without: ['color-contrast'] })).to.deep.equal([])
    await console.shoot('personal-look-up')
    await console.page.evaluate('localStorage.clear()')
  })
})
