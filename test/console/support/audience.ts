import { keeperOf } from '../../../src/domain/channels/files/choice.ts'
import { createIngestion } from '../../../src/domain/channels/ingest.ts'
import { receiveSubscribersFile } from '../../../src/domain/channels/subscribers-file.ts'
import type { TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'

/** The rows that `fillAudience` made. */
export interface FilledAudience {
  channelId: number
  segmentId: number
}

const PEOPLE = 12
const PLANS = ['gold', 'silver', 'free']

/** A few people with attributes, a channel of some of them with a file that names strangers too, and a nested segment. */
export async function fillAudience(server: TestServer): Promise<FilledAudience> {
  const { program, first } = server
  for (let i = 0; i < PEOPLE; i++) {
    const user = `user-${String(i).padStart(2, '0')}`
    await addInstall(program, first.id, `install-${i}`, { user })
    const attributes = { plan: PLANS[i % PLANS.length]!, age: 20 + i, address: { city: i % 2 ? 'Vienna' : 'Graz' } }
    await program.inTransaction((tx) => tx.crm.putAttributes(first.id, user, attributes))
  }
  const channel = await program.inTransaction((tx) =>
    tx.channels.create(first.id, { uuid: 'weekly', name: 'News of the week', showInPortal: true }),
  )
  const file = receiveSubscribersFile(keeperOf(program, channel.appId), program.kernel.disk.takeIn)
  await file.begin('subscribers.csv', 'text/csv')
  await file.write(Buffer.from('user-00\nuser-01\nuser-02\nnobody@example.com\n'))
  const taken = await file.end()
  await program.inTransaction((tx) => tx.channelImports.queue(channel, taken))
  await applyFiles(server)
  const segment = await program.inTransaction((tx) =>
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
export async function applyFiles({ program }: TestServer): Promise<void> {
  const ingestion = createIngestion({
    read: program.ingestion,
    inTransaction: (work) => program.inTransaction((tx) => work(tx.ingestion)),
    clock: program.kernel.clock,
    dataDir: program.kernel.config.dataDir,
    alone: program.kernel.db.kind === 'sqlite',
    owner: 'worker',
  })
  for (;;) {
    const open = await program.ingestion.imports.open(16)
    if (open.length === 0) return
    for (const { row } of open) await ingestion.step(row)
  }
}
