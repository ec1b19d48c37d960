import { expect } from 'chai'
import { withAndroids } from '../support/delivery.ts'
import { pushSeries } from '../support/series.ts'
import { type OpenConsole, useConsole } from './support/console.ts'
import { examine } from './support/examine.ts'

describe('pushes that repeat in the console', () => {
  let console: OpenConsole
  let base: string

  useConsole(async (opened) => {
    console = opened
    base = `/apps/${console.appId}`
    await withAndroids(console.server, 3)
  })

  const series = async (id: number) => (await console.server.program.series.report(console.appId, id)).series
  /** Writes into a field for a time, whose parts Chromium takes one by one. */
  const setWall = (name: string, value: string) =>
    console.page.evaluate(`{
      const field = document.querySelector('[name="${name}"]')
      field.value = '${value}'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    }`)

  it('a marketer sends a push every Monday, pauses, changes and ends it', async () => {
    await console.visit(`${base}/push/new`)
    await console.choose('Repeat')
    await console.page.select('[name="repeat.zone"]', 'local')
    await console.sees('The next times, on each phone’s clock')
    await console.page.select('[name="repeat.zone"]', 'Europe/Berlin')
    await console.sees('The next times in Europe/Berlin')
    await console.choose('By a cron expression')
    await console.type('Cron expression', '* * * * *')
    await console.sees('comes again after a minute')
    await console.choose('On days of the week')
    await console.sees('The next times in Europe/Berlin')
    await console.choose('Everybody')
    await console.type('Title', 'Fresh bread')
    await console.type('Message', 'Rye with walnuts.')
    await console.sees('3 devices get it')
    await examine(console, 'repeat')
    await console.press('Review and send')
    await console.sees('Every Monday at 9:00 AM (Europe/Berlin)')
    await console.sees('each time to whoever is meant then')
    await console.shoot('repeat-review')
    await console.press('Schedule for 3 devices')
    await console.sees('Active')
    await console.sees('Every Monday at 9:00 AM (Europe/Berlin)')
    expect(await series(1)).to.deep.include({
      state: 'active',
      request: {
        target: { broadcast: true },
        content: { title: 'Fresh bread', message: 'Rye with walnuts.' },
        schedule: { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'Europe/Berlin' },
      },
    })
    await examine(console, 'series')

    await console.press('Pause')
    await console.sees('Times that pass while it is paused are left out.')
    await console.press('Resume')
    await console.sees('The next times in Europe/Berlin')

    await console.press('Edit')
    await console.sees('Edit the series')
    await console.choose('Every day')
    await setWall('repeat.time', '10:30')
    await console.type('Title', 'Fresh rolls')
    await examine(console, 'series-change')
    await console.press('Save the series')
    await console.sees('Every day at 10:30 AM (Europe/Berlin)')
    await console.sees('Fresh rolls')

    await console.page.locator('.table a').click()
    await console.press('Series 1')
    await console.sees('Every day at 10:30 AM (Europe/Berlin)')

    await console.press('End')
    await console.press('End the series')
    await console.sees('Ended on request.')
    await console.visit(`${base}/series`)
    await console.sees('Fresh rolls')
    expect((await series(1)).state).to.equal('ended')
  })

  it('leads from the start page to a series that is broken, which goes on once that is mended', async () => {
    const { server, appId } = console
    const id = await pushSeries(server, { content: { title: 'Rye', message: 'M' } })
    const broken = { state: 'broken', why: 'its segment "regulars" was deleted' }
    await server.program.kernel.db.write((sql) => sql('series').where({ id }).update(broken))
    await console.enter([{ appId, role: 'viewer' }])
    await console.visit(base)
    await console.sees('Sends and opens')
    await console.misses('is not sent any more')
    await console.enter([{ appId, role: 'marketer' }])
    await console.visit(base)
    await console.press('Look at the series')
    await console.press('Rye')
    await console.sees('It is not sent any more: its segment "regulars" was deleted.')
    await examine(console, 'series-broken')
    await console.press('Resume')
    await console.sees('Active')
    expect((await series(id)).state).to.equal('active')
  })
})
