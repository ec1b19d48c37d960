import { expect } from 'chai'
import { createBanner, newBanner } from '../../../src/domain/links/banners/schema.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { newLink } from '../../support/links.ts'
import { onEachDatabase, openTestProgram } from '../../support/program.ts'

const LABELS = { heading: 'a', body: 'b', acceptAction: 'c', declineAction: 'd' }
const BANNER = newBanner(parseJson(createBanner, { link: 'offer', labels: LABELS }))

onEachDatabase('banners of an app', (kind) => {
  it('are a hundred at most', async () => {
    const { program, first, close } = await openTestProgram({ kind })
    const create = () => program.inTransaction((tx) => tx.banners.create(first.id, BANNER))
    try {
      await program.inTransaction((tx) => tx.links.create(first.id, [newLink({ slug: 'offer' })]))
      const [banner] = await program.inTransaction(async ({ banners }) => {
        const made = []
        for (let i = 0; i < 100; i++) made.push(await banners.create(first.id, BANNER))
        return made
      })
      const error = await create().catch((e: unknown) => e)
      expect(error).to.include({ code: 'conflict', message: 'the app has 100 banners: delete one first' })
      await program.inTransaction((tx) => tx.banners.delete(first.id, banner!.uuid))
      await create()
    } finally {
      await close()
    }
  })
})
