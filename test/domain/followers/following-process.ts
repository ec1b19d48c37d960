import { appendFileSync } from 'node:fs'
import { type Areas, createApp } from '../../../src/app.ts'
import { loadConfig } from '../../../src/config.ts'
import { createFollowing } from '../../../src/domain/followers/follow.ts'
import type { Follower } from '../../../src/domain/followers/types.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { createVault } from '../../../src/platform/crypto.ts'
import { connect } from '../../../src/platform/db/connect.ts'
import { silentLog } from '../../../src/platform/log.ts'

/** A process that follows the log to its end, unless a failpoint kills it: arguments as JSON in `argv`. */
const { url, file, dir, appId, outside, metrics } = JSON.parse(process.argv[2]!) as {
  url?: string
  file: string
  dir: string
  appId: number
  outside: string
  metrics?: boolean
}
const { config } = await loadConfig({ environment: {}, flags: { dataDir: dir } })
const db = connect({ url, file, log: silentLog, pool: 2 })
const app = createApp({ config, clock: systemClock, log: silentLog, vault: createVault(Buffer.alloc(32, 7)), db })
const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => app.inTransaction(work)
const parts = { read: app, inTransaction, clock: systemClock, log: silentLog, owner: `process ${process.pid}` }

/** Counts in the attributes of a user: how many events, and the sum of what they hold. */
const inside: Follower<Areas> = {
  name: 'inside',
  from: 'start',
  most: 100,
  effect: {
    async apply({ crm }, events) {
      const before = (await crm.attributes(appId, 'counter')) as { count: number; sum: number }
      const sum = events.reduce((all, { data }) => all + (data!.n as number), before.sum)
      await crm.putAttributes(appId, 'counter', { count: before.count + events.length, sum })
    },
  },
}
const outer: Follower<Areas> = {
  name: 'outside',
  from: 'start',
  most: 100,
  effect: {
    async deliver(events) {
      appendFileSync(outside, events.map(({ data }) => `${data!.n as number}\n`).join(''))
    },
  },
}
for (const follower of metrics ? await app.metrics.follows<Areas>() : [inside, outer]) {
  const following = createFollowing<Areas>(parts, follower)
  while ((await following.turn(new AbortController().signal)) !== 'waiting');
  await following.close()
}
await app.close()
