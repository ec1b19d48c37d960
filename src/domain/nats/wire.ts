import { type Base, once } from '../../platform/wiring.ts'
import { followersRepository } from '../followers/repository.ts'
import type { Follower } from '../followers/types.ts'
import { createNatsStream } from './stream.ts'

const DAY_MS = 86_400_000
/** Followers of the streams of brokers: one for each stream that was ever made. */
const PREFIX = 'nats:'

/** A broker that gets every event. `ca` names more certificate authorities (PEM). */
export function wireNats({ config, clock, log, db }: Base, { ca }: { ca: () => readonly string[] }) {
  const url = config['nats.url'].reveal()
  const stream = once(() =>
    createNatsStream(
      {
        url,
        credentials: config['nats.credentials'],
        stream: config['nats.stream'],
        keptMs: config['events.retentionDays'] * DAY_MS,
        ca: ca(),
      },
      { clock, log },
    ),
  )
  let last: string | undefined

  /** Removes the followers of streams that are gone. */
  async function forgetOthers(name: string): Promise<void> {
    await db.write(async (trx) => {
      const repo = followersRepository(trx)
      for (const one of await repo.list()) {
        if (one.name.startsWith(PREFIX) && one.name !== name) await repo.remove(one.name)
      }
    })
  }

  const broker = once(() => ({
    /**
     * The follower that hands events over to the broker; none while it is away, or without `nats.url`. A stream that
     * was made anew has a follower of its own, which begins with the oldest event that is kept.
     */
    async follows<A>(): Promise<Follower<A>[]> {
      if (url === '') return []
      const current = stream().current()
      if (current === undefined) return []
      const name = PREFIX + current
      if (name !== last) await forgetOthers(name)
      last = name
      return [{ name, from: 'start', effect: { deliver: (events) => stream().store(events) } }]
    },

    /**
     * Tells whether a follower is one of a broker that is switched off. Its place is kept: switched on again, the
     * broker gets the events since.
     */
    isIdle: (follower: string): boolean => url === '' && follower.startsWith(PREFIX),

    close: async (): Promise<void> => (url === '' ? undefined : stream().close()),
  }))
  return { broker }
}
