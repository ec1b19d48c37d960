import { createIngestion } from '../../../src/domain/channels/ingest.ts'
import { receiveSubscribersFile } from '../../../src/domain/channels/subscribers-file.ts'
import type { TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'

/** What `fillAudience` made. */
export interface FilledAudience {
  channelId: number
  segmentId: number
}

const PEOPLE = 12
const PLANS = ['gold', 'silver', 'free']

/** A few people with attributes, a channel of some of them with a file that names strangers too, and a nested segment. */
export async function fillAudience(server: TestServer): Promise<FilledAudience> {
  const { app, first } = server
  for (let i = 0; i < PEOPLE; i++) {
    const user = `user-${String(i).padStart(2, '0')}`
    await addInstall(app, first.id, `install-${i}`, { user })
    const attributes = { plan: PLANS[i % PLANS.length]!, age: 20 + i, address: { city: i % 2 ? 'Vienna' : 'Graz' } }
    await app.inTransaction((tx) => tx.crm.putAttributes(first.id, user, attributes))
  }
  const channel = await app.inTransaction((tx) =>
    tx.channels.create(first.id, { uuid: 'weekly', name: 'News of the week', showInPortal: true }),
  )
  const file = receiveSubscribersFile(app.kernel.config.dataDir, app.kernel.disk.takeIn)
  await file.begin('subscribers.csv', 'text/csv')
  await file.write(Buffer.from('user-00\nuser-01\nuser-02\nnobody@example.com\n'))
  const taken = await file.end()
  await app.inTransaction((tx) => tx.channelImports.queue(channel, taken))
  await applyFiles(server)
  const segment = await app.inTransaction((tx) =>
    tx.segments.create(first.id, {
      name: 'Gold, or young and in the news',
      filter: {
        or: [
          { field: 'attributes.plan', op: 'equals', value: 'gold' },
          {
            and: [
              { field: 'attributes.age', op: 'lessThan', value: 25 },
              { field: 'channel', op: 'in', value: ['weekly'] },
              { not: { field: 'lastActive', op: 'olderThanDays', value: 30 } },
            ],
          },
        ],
      },
    }),
  )
  return { channelId: channel.id, segmentId: segment.id }
}

/** Does what the worker does with files of subscribers, until none waits. */
export async function applyFiles({ app }: TestServer): Promise<void> {
  const ingestion = createIngestion({
    read: app.ingestion,
    inTransaction: (work) => app.inTransaction((tx) => work(tx.ingestion)),
    clock: app.kernel.clock,
    dataDir: app.kernel.config.dataDir,
    alone: true,
  })
  for (;;) {
    const open = await app.ingestion.imports.open(16)
    if (open.length === 0) return
    for (const { row } of open) await ingestion.step(row)
  }
}
