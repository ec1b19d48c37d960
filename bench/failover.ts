import { setTimeout as sleep } from 'node:timers/promises'
import { type Appliance, openAppliance, receptions, tokensOf } from '../test/support/appliance.ts'
import { openPostgresPair } from '../test/support/postgres-pair.ts'
import { openProxy } from '../test/support/proxy.ts'
import type { Result } from './support/result.ts'

const ANDROIDS = 1200
const CHUNK = 50
const WRITERS = 4
/** The time (ms) for which the standby is left alone before it is promoted: what a failure detector takes, shortened. */
const DETECTED_MS = 1000

interface Failover {
  /** Writes that were answered with 2xx. */
  acknowledged: number
  /** The number of these that the new primary does not have. */
  missing: number
  /** Recipients that got nothing, and that got it again. */
  lost: number
  extra: number
  /** The time (s) from the promotion to the next write that was answered with 2xx, and to the end of the broadcast. */
  back: number
  done: number
  wrong: string[]
}

/**
 * Kills the primary of a PostgreSQL with a streaming standby while a server sends a broadcast and answers writes, promotes the
 * standby and points the server's address at it, as a proxy or a virtual address does. Once with asynchronous and once with
 * synchronous replication. Throws when somebody got nothing, when more got it again than were in flight, or when the synchronous
 * standby lacks a write that was answered.
 */
export async function benchFailover(): Promise<Result[]> {
  const results: Result[] = []
  for (const synchronous of [false, true]) {
    const { acknowledged, missing, lost, extra, back, done, wrong } = await playFailover(synchronous)
    if (wrong.length > 0) throw new Error(wrong.join('\n'))
    const name = `failover, ${synchronous ? 'synchronous' : 'asynchronous'} standby`
    results.push(
      { name: `${name}, missing`, value: missing, unit: 'writes', note: `of ${acknowledged} answered with 2xx` },
      { name: `${name}, got nothing`, value: lost, unit: 'recipients', note: `of ${ANDROIDS}` },
      { name: `${name}, twice`, value: extra, unit: 'recipients', against: { name: 'allowed', value: 2 * CHUNK } },
      { name: `${name}, writes again`, value: back, unit: 's', note: 'after the promotion' },
      { name: `${name}, broadcast done`, value: done, unit: 's', note: 'after the promotion' },
    )
  }
  return results
}

async function playFailover(synchronous: boolean): Promise<Failover> {
  const pair = await openPostgresPair({ synchronous })
  const proxy = await openProxy(pair.primary)
  const environment = {
    APPSVC_DELIVERY_CHUNK: String(CHUNK),
    APPSVC_DELIVERY_PAGE_SIZE: '100',
    APPSVC_WORKERS_DELIVER: '1',
    APPSVC_LOG_LEVEL: 'silent',
  }
  const one = await openAppliance({ androids: ANDROIDS, url: proxy.url, environment })
  try {
    await one.start()
    const stop = new AbortController()
    const acknowledged: { name: string; at: number }[] = []
    const writing = Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => keepWriting(one, writer, acknowledged, stop.signal)),
    )
    const begun = one.message(ANDROIDS / 3)
    const id = await one.broadcast()
    await begun
    await pair.killPrimary()
    await proxy.cut()
    await sleep(DETECTED_MS)
    await pair.promote()
    proxy.aim(pair.standby)
    await proxy.mend()
    const promoted = performance.now()
    const report = await finishedAfterAll(one, id)
    const done = (performance.now() - promoted) / 1000
    stop.abort()
    await writing
    const after = acknowledged.filter(({ at }) => at > promoted).map(({ at }) => at)
    const stored = await one.inside(({ kernel: { db } }) => db.read('channels').pluck('uuid'))
    const known = new Set(stored as string[])
    const missing = acknowledged.filter(({ name }) => !known.has(name)).length
    const { lost, extra } = receptions(one.sandbox, tokensOf(ANDROIDS), id)
    const wrong: string[] = []
    if (report.counts.accepted !== ANDROIDS) wrong.push(`the counts: ${JSON.stringify(report.counts)}`)
    if (lost > 0) wrong.push(`${lost} recipients got nothing`)
    // What the asynchronous standby had not received is sent again as well.
    if (synchronous && extra > 2 * CHUNK) wrong.push(`${extra} recipients got it again`)
    if (synchronous && missing > 0) wrong.push(`${missing} writes are missing that were answered`)
    if (after.length === 0) wrong.push('no write was answered after the promotion')
    return {
      acknowledged: acknowledged.length,
      missing,
      lost,
      extra,
      back: (Math.min(...after) - promoted) / 1000,
      done,
      wrong,
    }
  } finally {
    await one.close()
    await proxy.close()
    await pair.close()
  }
}

async function keepWriting(
  one: Appliance,
  writer: number,
  acknowledged: { name: string; at: number }[],
  signal: AbortSignal,
): Promise<void> {
  for (let i = 0; !signal.aborted; i++) {
    const name = `channel-${writer}-${i}`
    const answer = await one.call('POST', '/messages/channels', { uuid: name }).catch(() => undefined)
    if (answer !== undefined && answer.status < 300) acknowledged.push({ name, at: performance.now() })
    else await sleep(50)
  }
}

/** `finished`, while calls may fail. */
async function finishedAfterAll(one: Appliance, id: number) {
  for (;;) {
    const report = await one.report(id).catch(() => undefined)
    if (report?.counts && report.status > 2) return report
    await sleep(100)
  }
}
