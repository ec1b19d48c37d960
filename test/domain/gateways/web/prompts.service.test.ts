import { expect } from 'chai'
import { aside } from '../../../support/aside.ts'
import { onEachDatabase, onPostgres, openTestProgram } from '../../../support/program.ts'

onPostgres('two changes of a prompt at once', () => {
  it('are both kept', async () => {
    const { program, first, close } = await openTestProgram({ kind: 'postgres' })
    try {
      await program.prompts.create(first.id, 'bell', { type: 'bell' })
      const change = (part: object) => program.inTransaction((tx) => tx.prompts.update(first.id, 'bell', part))
      let second: Promise<unknown> = Promise.resolve()
      await program.inTransaction(async ({ prompts }) => {
        await prompts.update(first.id, 'bell', { position: 'bottom-left' })
        let settled = false
        // Not within the transaction of the first one, as the database sees to.
        second = aside(() => change({ trigger: { event: 'cartFilled' } })).finally(() => (settled = true))
        const waiting = () =>
          aside(() =>
            program.kernel.db.read.raw(
              `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
            ),
          )
        while (!settled && (await waiting()).rows.length === 0);
      })
      await second
      const { design } = await program.prompts.get(first.id, 'bell')
      expect(design).to.deep.include({ position: 'bottom-left', trigger: { event: 'cartFilled' } })
    } finally {
      await close()
    }
  })
})

onEachDatabase('prompts of an app', (kind) => {
  it('are fifty at most', async () => {
    const { program, first, close } = await openTestProgram({ kind })
    const create = (name: string) => program.inTransaction((tx) => tx.prompts.create(first.id, name, { type: 'bell' }))
    try {
      await program.inTransaction(async ({ prompts }) => {
        for (let i = 0; i < 50; i++) await prompts.create(first.id, `bell-${i}`, { type: 'bell' })
      })
      const error = await create('one-more').catch((e: unknown) => e)
      expect(error).to.include({ code: 'conflict', message: 'the app has 50 prompts: delete one first' })
      await program.inTransaction((tx) => tx.prompts.delete(first.id, 'bell-7'))
      await create('one-more')
    } finally {
      await close()
    }
  })
})
