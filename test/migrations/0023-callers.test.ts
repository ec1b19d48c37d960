import { expect } from 'chai'
import { onEachDatabase } from '../support/app.ts'
import { aroundStep } from './around-step.ts'

const STEP = '0023_callers'

onEachDatabase('the step that tells callers apart', (kind) => {
  const step = aroundStep(kind, STEP, async (trx) => {
    await trx('channels').insert({
      app_id: 1,
      uuid: 'news',
      name: 'News',
      show_in_portal: true,
      created_at: 0,
      updated_at: 0,
    })
    const answer = { status: 202, headers: '{}', body: '{"a":1}' }
    await trx('idempotency_keys').insert({ app_id: 1, key: 'k', fingerprint: 'f', ...answer, created_at: 5 })
  })

  const keys = () => step.db.read('idempotency_keys').orderBy('fingerprint').select('*')

  it('keeps every key, as one of which nobody knows whose it is, up and down', async () => {
    const [old] = await keys()
    await step.up()
    expect(await keys()).to.deep.equal([{ ...old, caller: '' }])
    await step.down()
    expect(await keys()).to.deep.equal([old])
  })

  it('takes a key once for each caller, and on the way down keeps the one of the server', async () => {
    await step.up()
    const callers = ['server', 'rest', 'device', 'device:0a']
    for (const caller of callers) {
      const row = { app_id: 1, key: 'k', caller, fingerprint: caller, created_at: 6 }
      await step.db.write((trx) => trx('idempotency_keys').insert(row))
    }
    const again = { app_id: 1, key: 'k', caller: 'server', fingerprint: 'x', created_at: 6 }
    const refused = await step.db.write((trx) => trx('idempotency_keys').insert(again)).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error)
    await step.down()
    expect((await keys()).map(({ fingerprint }) => fingerprint)).to.deep.equal(['server'])
  })

  it('forgets the keys of an app with it', async () => {
    await step.up()
    await step.db.write((trx) => trx('apps').delete())
    expect(await keys()).to.deep.equal([])
  })

  it('leaves the channels that are there what they are', async () => {
    await step.up()
    const [channel] = await step.db.read('channels').select('*')
    expect([channel.name, Boolean(channel.made_by_device)]).to.deep.equal(['News', false])
    const [app] = await step.db.read('apps').select('device_channels_public')
    expect(Boolean(app.device_channels_public)).to.equal(false)
  })
})
