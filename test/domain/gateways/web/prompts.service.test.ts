import { expect } from 'chai'
import { onEachDatabase, onPostgres, openTestApp } from '../../../support/app.ts'
import { aside } from '../../../support/aside.ts'

onPostgres('two changes of a prompt at once', () => {
  it('are both kept', async () => {
    const { app, first, close } = await openTestApp({ kind: 'postgres' })
    try {
      await app.prompts.create(first.id, 'bell', { type: 'bell' })
      const change = (part: object) => app.inTransaction((tx) => tx.prompts.update(first.id, 'bell', part))
      let second: Promise<unknown> = Promise.resolve()
      await app.inTransaction(async ({ prompts }) => {
        await prompts.update(first.id, 'bell', { position: 'bottom-left' })
        let settled = false
        // Not within the transaction of the first one, as the database sees to.
        second = aside(() => change({ trigger: { event: 'cartFilled' } })).finally(() => (settled = true))
        const waiting = () =>
          aside(() =>
            app.kernel.db.read.raw(
              `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            ),
          )
        while (!settled && (await waiting()).rows.length === 0);
      })
      await second
      const { design } = await app.prompts.get(first.id, 'bell')
      expect(design).to.deep.include({ position: 'bottom-left', trigger: { event: 'cartFilled' } })
    } finally {
      await close()
    }
  })
})

onEachDatabase('prompts of an app', (kind) => {
  it('are fifty at most', async () => {
    const { app, first, close } = await openTestApp({ kind })
    const create = (name: string) => app.inTransaction((tx) => tx.prompts.create(first.id, name, { type: 'bell' }))
    try {
      await app.inTransaction(async ({ prompts }) => {
        for (let i = 0; i < 50; i++) await prompts.create(first.id, `bell-${i}`, { type: 'bell' })
      })
      const error = await create('one-more').catch((e: unknown) => e)
      expect(error).to.include({ code: 'conflict', message: 'the app has 50 prompts: delete one first' })
      await app.inTransaction((tx) => tx.prompts.delete(first.id, 'bell-7'))
      await create('one-more')
    } finally {
      await close()
    }
  })
})
