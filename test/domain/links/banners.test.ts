import { expect } from 'chai'
import { createBanner, newBanner } from '../../../src/domain/links/banners/schema.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { onEachDatabase, openTestApp } from '../../support/app.ts'
import { newLink } from '../../support/links.ts'

const LABELS = { heading: 'a', body: 'b', acceptAction: 'c', declineAction: 'd' }
const BANNER = newBanner(parseJson(createBanner, { link: 'offer', labels: LABELS }))

onEachDatabase('banners of an app', (kind) => {
  it('are a hundred at most', async () => {
    const { app, first, close } = await openTestApp({ kind })
    const create = () => app.inTransaction((tx) => tx.banners.create(first.id, BANNER))
    try {
      await app.inTransaction((tx) => tx.links.create(first.id, [newLink({ slug: 'offer' })]))
      const [banner] = await app.inTransaction(async ({ banners }) => {
        const made = []
        for (let i = 0; i < 100; i++) made.push(await banners.create(first.id, BANNER))
        return made
      })
      const error = await create().catch((e: unknown) => e)
      expect(error).to.include({ code: 'conflict', message: 'the app has 100 banners: delete one first' })
      await app.inTransaction((tx) => tx.banners.delete(first.id, banner!.uuid))
      await create()
    } finally {
      await close()
    }
  })
})
