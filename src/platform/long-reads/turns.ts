import { setImmediate } from 'node:timers'
import type { Clock } from '../time/clock.ts'
import { type Asker, cannotReadNow } from './messages.ts'
import type { Pace } from './pace.ts'

/** How many reads may be under way or wait, of one key, of one app, and in all. */
export interface Shares {
  key: number
  app: number
  all: number
}

const SHARES: Shares = { key: 8, app: 24, all: 64 }

/** A read that was admitted. */
export interface AdmittedRead extends Pace {
  /** Nobody waits for the answer any more: the read ends at its next turn. */
  cancel(): void
  /** The read has ended, in whatever way. */
  end(): void
}

interface Read {
  who: Asker
  /** Resolves the wait for a turn. */
  go: (() => void) | undefined
  hasTurn: boolean
}

export type Turns = ReturnType<typeof createTurns>

/**
 * Gives turns to reads. Apps take turns, in each app its keys, and the reads of one key follow one another in the order
 * in which they came: so whoever asks much waits for himself. `width` reads run at a time. Between two turns the event
 * loop runs, so that other messages are heard.
 */
export function createTurns({
  clock,
  width,
  shares = SHARES,
}: {
  clock: Pick<Clock, 'monotonic'>
  width: number
  shares?: Shares
}) {
  /** Reads by app and key; whose turn was last is at the end. */
  const apps = new Map<number, Map<string, Set<Read>>>()
  let all = 0
  let running = 0
  let isPlanned = false

  const countOf = (keys: Map<string, Set<Read>> | undefined) =>
    [...(keys?.values() ?? [])].reduce((sum, reads) => sum + reads.size, 0)

  function nextRead(): Read | undefined {
    for (const [app, keys] of apps) {
      for (const [key, reads] of keys) {
        const read = [...reads].find(({ go }) => go)
        if (!read) continue
        apps.delete(app)
        apps.set(app, keys)
        keys.delete(key)
        keys.set(key, reads)
        return read
      }
    }
    return undefined
  }

  function plan(): void {
    if (isPlanned) return
    isPlanned = true
    setImmediate(give)
  }

  function give(): void {
    isPlanned = false
    while (running < width) {
      const read = nextRead()
      if (!read) return
      const { go } = read
      running++
      Object.assign(read, { go: undefined, hasTurn: true })
      go!()
    }
  }

  function giveBack(read: Read): void {
    if (!read.hasTurn) return
    read.hasTurn = false
    running--
    plan()
  }

  function enter({ app, key }: Asker, read: Read): void {
    const keys = apps.get(app) ?? new Map<string, Set<Read>>()
    const reads = keys.get(key) ?? new Set()
    if (reads.size >= shares.key) throw cannotReadNow(tooMany(`for this key: at most ${shares.key} at a time`))
    if (countOf(keys) >= shares.app) throw cannotReadNow(tooMany(`for this app: at most ${shares.app} at a time`))
    if (all >= shares.all) throw cannotReadNow(tooMany(`in all: at most ${shares.all} at a time`))
    apps.set(app, keys.set(key, reads.add(read)))
    all++
  }

  function leave({ app, key }: Asker, read: Read): void {
    const keys = apps.get(app)
    const reads = keys?.get(key)
    if (!keys || !reads?.delete(read)) return
    all--
    if (reads.size === 0) keys.delete(key)
    if (keys.size === 0) apps.delete(app)
  }

  return {
    /** Admits a read that may take `seconds` from now. Throws `unavailable` when there are too many. */
    admit(who: Asker, seconds: number): AdmittedRead {
      const read: Read = { who, go: undefined, hasTurn: false }
      enter(who, read)
      const until = clock.monotonic() + seconds * 1000
      let isCancelled = false
      let hadTurn = false
      return {
        seconds,
        monotonic: () => clock.monotonic(),
        async turn() {
          giveBack(read)
          if (!isCancelled) {
            await new Promise<void>((resolve) => {
              read.go = resolve
              plan()
            })
          }
          if (isCancelled) throw cannotReadNow('the caller has gone')
          const isInTime = clock.monotonic() < until
          if (!isInTime && !hadTurn) throw cannotReadNow(`other long reads were first for ${seconds} s: try again`)
          hadTurn = true
          return isInTime
        },
        cancel() {
          isCancelled = true
          const { go } = read
          read.go = undefined
          go?.()
        },
        end() {
          giveBack(read)
          leave(who, read)
        },
      }
    },
  }
}

function tooMany(where: string): string {
  return `too many long reads ${where}: try again`
}
