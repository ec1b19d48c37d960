/**
 * The replacement of `src/domain/nats/wire.ts` in the program of `bench/events.ts`: the same broker, and two followers that keep
 * counts in the database. They follow while the file that `BENCH_FOLLOWERS` names has their names, one a line.
 */
import { readFileSync } from 'node:fs'
import type { Follower, LoggedEvent } from '../../src/domain/followers/types.ts'
import { wireNats as wireReal } from '../../src/domain/nats/wire.ts'
import { type Base, once } from '../../src/platform/wiring.ts'

const HOUR_MS = 3_600_000

interface Counting {
  count(follower: string, events: readonly LoggedEvent[]): Promise<void>
}

export function wireNats(base: Base, needs: Parameters<typeof wireReal>[1]) {
  const real = wireReal(base, needs)
  const broker = once(() => ({
    ...real.broker(),

    async follows<A>(): Promise<Follower<A>[]> {
      const file = process.env.BENCH_FOLLOWERS
      const names = file === undefined ? [] : readFileSync(file, 'utf8').split('\n').filter(Boolean)
      // The areas of the transaction have the broker of this file.
      const countIn = (areas: A) => (areas as { broker: Counting }).broker.count
      return [
        ...(await real.broker().follows<A>()),
        ...names.map(
          (name): Follower<A> => ({
            name,
            effect: { apply: (areas, events) => countIn(areas)(name, events) },
          }),
        ),
      ]
    },

    /** Adds events to the counts of their app, type and hour, as a metric does. */
    async count(follower: string, events: readonly LoggedEvent[]): Promise<void> {
      const counts = new Map<string, { follower: string; app_id: number; type: string; hour: number; count: number }>()
      for (const { appId, type, receivedAt } of events) {
        const hour = Math.floor(receivedAt / HOUR_MS)
        const key = `${appId} ${hour} ${type}`
        const known = counts.get(key)
        if (known) known.count++
        else counts.set(key, { follower, app_id: appId, type, hour, count: 1 })
      }
      await base
        .sql('bench_counts')
        .insert([...counts.values()])
        .onConflict(['follower', 'app_id', 'type', 'hour'])
        .merge({ count: base.sql.raw('bench_counts.count + excluded.count') })
    },
  }))
  return { broker }
}
