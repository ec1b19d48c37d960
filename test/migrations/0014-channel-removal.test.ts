import { expect } from 'chai'
import { onEachDatabase } from '../support/app.ts'
import { aroundStep } from './around-step.ts'

const STEP = '0014_channel_removal'
const LISTS = ['channel_users', 'channel_installs', 'channel_imports', 'channel_import_unknowns']

onEachDatabase('the step that lets channels go at once', (kind) => {
  const step = aroundStep(kind, STEP, async (trx) => {
    for (const uuid of ['one', 'two']) {
      const [channel] = await trx('channels')
        .insert({ app_id: 1, uuid, show_in_portal: false, created_at: 0, updated_at: 0 })
        .returning('id')
      const of = { app_id: 1, channel_id: channel.id }
      await trx('channel_users').insert({ ...of, user_id: 7 })
      await trx('channel_installs').insert({ ...of, install_row: 8, subscribed: false })
      const [made] = await trx('channel_imports')
        .insert({ ...of, uuid, state: 'done', size: 9, place: 9, total: 1, unknown: 1, created_at: 5, updated_at: 6 })
        .returning('id')
      await trx('channel_import_unknowns').insert({ import_id: made.id, line: 1, identifier: 'ghost' })
    }
  })

  const rows = () => Promise.all(LISTS.map((table) => step.db.read(table).select('*')))

  it('keeps every row, up and down', async () => {
    const before = await rows()
    await step.up()
    expect(await rows()).to.deep.equal(before)
    await step.down()
    expect(await rows()).to.deep.equal(before)
    await step.db.write((trx) => trx('channels').where({ uuid: 'one' }).delete())
    expect(
      (await rows()).map(({ length }) => length),
      'rows go with their channel again',
    ).to.deep.equal([1, 1, 1, 1])
  })

  it('forgets on the way down what still waited to be cleared away', async () => {
    await step.up()
    await step.db.write(async (trx) => {
      await trx('channels').where({ uuid: 'one' }).delete()
      await trx('deleted_channels').insert({ channel_id: 1, app_id: 1 })
    })
    expect((await rows()).map(({ length }) => length)).to.deep.equal([2, 2, 2, 2])
    await step.down()
    expect((await rows()).map(({ length }) => length)).to.deep.equal([1, 1, 1, 1])
  })
})
