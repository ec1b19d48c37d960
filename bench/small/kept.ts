import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { rowsOf } from '../../src/platform/db/dialect.ts'
import { systemClock } from '../../src/platform/time/clock.ts'
import type { Program } from '../../src/program.ts'
import { startFcmReceiver } from '../support/fcm-receiver.ts'
import { load } from '../support/http.ts'
import { percentile, type Result } from '../support/result.ts'
import type { SmallOptions } from './loads.ts'
import { openRig, type Rig } from './rig.ts'
import { sendAll, sendTo, usersOf } from './sending.ts'

const INSTALLS = 10_000
const READ_MS = 2000
const DAY_MS = 86_400_000
/** Later than any push that is sent now lives. */
const LATER_DAYS = 60
const KEPT_DAYS = 30
/** Rows of a slice of retention. */
const SLICE = 1000

/** Measures what small sends leave behind: bytes, the time to read one of them or a page of the list, and to forget them. */
export async function measureKept(options: SmallOptions): Promise<Result[]> {
  const receiver = await startFcmReceiver()
  const rig = await openRig({ ...options, receiver, installs: [INSTALLS] })
  const { config } = await loadConfig({ environment: rig.data.environment, flags: { dataDir: rig.data.dir } })
  const clock = { ...systemClock, now: () => Date.now() + LATER_DAYS * DAY_MS }
  const later = openProgram({ config, clock })
  try {
    const { sends, connections } = options
    const before = await bytesOf(later)
    const request = (number: number) => sendTo(usersOf(number, 1, INSTALLS))
    await sendAll(rig, rig.apps[0]!, { count: sends, connections, request })
    await rig.untilDone()
    const bytes = ((await bytesOf(later)) - before) / sends
    const last = await lastId(later)
    const reads = [
      ...(await timesOf(rig, 'one of them', (n) => `/messages/v2/notifications/${last - ((n * 7919) % sends)}`)),
      ...(await timesOf(rig, 'the list', () => '/messages/v2/notifications')),
    ]
    await rig.stopServer()
    const { took, longest } = await forgetAll(later)
    return [
      { name: 'kept, a send', value: bytes, unit: 'bytes', note: `with indexes and events, ${sends} sends` },
      ...reads,
      { name: 'kept, to forget one', value: (took * 1000) / sends, unit: 'us' },
      { name: 'kept, longest transaction of forgetting', value: longest, unit: 'ms', note: `${SLICE} rows` },
    ]
  } finally {
    await later.close()
    await rig.close()
    await receiver.stop()
  }
}

async function bytesOf({ kernel: { db } }: Program): Promise<number> {
  await db.checkpoint()
  // What is deleted or replaced is used again.
  if (db.kind === 'postgres') await db.read.raw('VACUUM FULL')
  const text =
    db.kind === 'postgres'
      ? 'SELECT pg_database_size(current_database()) AS bytes'
      : 'SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count, pragma_freelist_count, pragma_page_size'
  return rowsOf<{ bytes: number }>(await db.read.raw(text))[0]!.bytes
}

async function lastId({ kernel: { db } }: Program): Promise<number> {
  const row = (await db.read('notifications').max({ id: 'id' }).first()) as { id: number }
  return row.id
}

async function timesOf(rig: Rig, name: string, pathOf: (number: number) => string): Promise<Result[]> {
  const { times } = await load({
    address: rig.address,
    credentials: rig.apps[0]!.credentials,
    connections: 1,
    ms: READ_MS,
    request: (number) => ({ method: 'GET', path: pathOf(number) }),
    expected: 200,
  })
  return [50, 99].map((p) => ({ name: `kept, read ${name}, p${p}`, value: percentile(times, p / 100), unit: 'ms' }))
}

/** Forgets all, slice by slice, as the sweep does. */
async function forgetAll({ inTransaction }: Program): Promise<{ took: number; longest: number }> {
  let [took, longest] = [0, 0]
  for (let gone = SLICE; gone === SLICE; ) {
    const began = performance.now()
    gone = await inTransaction((tx) => tx.notificationRetention.forget(KEPT_DAYS, SLICE))
    const ms = performance.now() - began
    took += ms
    longest = Math.max(longest, ms)
  }
  return { took, longest }
}
