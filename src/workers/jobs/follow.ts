import { createFollowing, type Following } from '../../domain/followers/follow.ts'
import type { Follower } from '../../domain/followers/types.ts'
import type { Areas } from '../../program.ts'
import { complain, type JobContext } from './job.ts'

/** Interval of looking without being woken: another node, or a command, may have stored events. */
const LOOK_MS = 500
/** Events that are committed shortly after each other are read together, so that a follower writes seldom. */
const GATHER_MS = 50
/** The pause after a failure, which doubles up to a minute. */
const FAILED_MS = 1000
const FAILED_MOST_MS = 60_000

interface Running {
  following: Following
  /** The turns that are running; absent while it waits for events. */
  turns?: Promise<void> | undefined
  failures: number
  /** The earliest time of the next step, on the steady clock. */
  notBefore: number
}

/**
 * Runs the followers of the event log until the signal aborts, side by side: one that waits for somebody outside holds
 * up no other. Ingestion never waits for them.
 */
export async function follow({ program, owner, signal, tick }: JobContext): Promise<void> {
  const { clock, log, changes, db, disk } = program.kernel
  const running = new Map<string, Running>()
  const inTransaction = <T>(work: (areas: Areas) => Promise<T>) => program.inTransaction(work)

  async function isHeld(): Promise<boolean> {
    return (await program.instance.hold()) !== undefined
  }

  /** Starts to run followers that are new, and forgets those that are gone. */
  async function settle(): Promise<void> {
    const wanted = new Map((await program.follows()).map((one) => [one.name, one]))
    for (const [name, follower] of wanted) {
      if (running.has(name)) continue
      const parts = { read: program, inTransaction, clock, log, owner }
      running.set(name, { following: createFollowing<Areas>(parts, follower), failures: 0, notBefore: 0 })
    }
    for (const [name, one] of running) if (!wanted.has(name) && !one.turns) running.delete(name)
  }

  async function takeTurns(one: Running): Promise<void> {
    const { name, until } = one.following.follower
    try {
      for (;;) {
        const seen = changes.count('events')
        const began = clock.monotonic()
        const turned = await one.following.turn(signal)
        one.failures = 0
        if (signal.aborted || turned === 'elsewhere' || turned === 'done') return
        if (turned === 'more') {
          // What is old can wait for everything else: for as long as the turn took.
          if (until) await clock.sleep(clock.monotonic() - began, signal)
          continue
        }
        if (changes.count('events') === seen) return
        // Somebody always commits during a turn while uploads come in. Without a pause each turn would take a few events.
        await clock.sleep(GATHER_MS, signal)
        if (signal.aborted) return
      }
    } catch (error) {
      if (signal.aborted) return
      const pause = Math.min(FAILED_MS * 2 ** one.failures++, FAILED_MOST_MS)
      one.notBefore = clock.monotonic() + pause
      complain(log, error, { follower: name }, 'a follower of the event log failed; trying again')
    }
  }

  while (!signal.aborted) {
    tick()
    const seen = changes.count('events')
    try {
      if (!db.soundness.damaged && !disk.isLow()) {
        await settle()
        const held = await isHeld()
        for (const one of running.values()) {
          // While the database is held, nothing leaves it. What followers keep inside goes on.
          if (one.turns || clock.monotonic() < one.notBefore || (held && isOutside(one.following.follower))) continue
          one.turns = takeTurns(one).finally(() => (one.turns = undefined))
        }
      }
    } catch (error) {
      complain(log, error, {}, 'the followers of the event log cannot be read; trying again')
    }
    await changes.next('events', seen, LOOK_MS)
    if (!signal.aborted) await clock.sleep(GATHER_MS, signal)
  }
  for (const { turns } of running.values()) await turns
  for (const { following } of running.values()) {
    await following.close().catch((error: unknown) => complain(log, error, {}, 'a follower could not be released'))
  }
}

const isOutside = ({ effect }: Follower<Areas>) => 'deliver' in effect
