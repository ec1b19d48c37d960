import type { Exchange } from './exchange.ts'

/** The share of a cap that all nodes together may let pass before they count together: an eighth. */
const UNSHARED = 1 / 8
/**
 * The share of a cap that the shared count lets pass. The last eighth is for credit that nodes took and used only when the count
 * had decayed.
 */
const SHARED = 3 / 4
/** The time for which a node counts alone after the database has failed. */
const ALONE_MS = 1000
/** The shortest time for which the database is not asked again about a caller at the cap. */
const REFUSED_MS = 250
/** The share of what is left of a cap that all nodes together may take before they use it. */
const TAKEN = 1 / 8
/** The time (ms) of a cap that is taken besides, so that a caller at the cap costs each node about a statement a second. */
const PACE_MS = 1000
/** The time (ms) that a caller is told to wait whose call cannot wait for the answer of the database. */
const ANSWER_MS = 1000
/** Callers near the cap that are remembered, and how many are forgotten when there are more. */
const MOST_CALLERS = 10_000
const FORGOTTEN = 2500

/** A cap: `burst` calls at once, then one every `everyMs`. */
export interface CreditOptions {
  name: string
  burst: number
  everyMs: number
}

/** Uses of a cap that nodes share. Times are ms of a monotonic clock. */
export interface Credits {
  /** Asks the database for more credit of a caller near the cap, when it is used up. Undefined for nearly all callers: nothing is asked. */
  ready(who: string, now: number): Promise<void> | undefined
  /** The time (ms) for which the caller has to wait; 0 if it has not to. */
  wait(who: string, now: number): number
  /** Counts calls. A negative count gives them back. */
  charge(who: string, now: number, count: number): void
}

/** A caller near the cap. */
interface Caller {
  /** The time that the database has counted for this node and that is not used yet (ms); negative: used and not counted yet. */
  held: number
  /** The part of that time which was beyond the cap when the database answered. It can be used as the count decays. */
  over: number
  heldAt: number
  /** The rest of the cap when the database was asked (ms). */
  left: number
  asking: Promise<void> | undefined
  refusedUntil: number
  aloneUntil: number
}

/** Uses of callers, which decay. */
interface Times {
  get(who: string): number
  add(who: string, now: number, ms: number): void
}

/**
 * Caps that hold for all nodes together. A node counts alone while a caller uses less than its part of an eighth of the cap: that
 * costs no statement. Beyond it, each call needs credit: a node takes some time of the cap in the database before it lets calls
 * pass, an eighth of its share of what is left. The shared count is kept to three quarters of the cap, so all of it together does
 * not exceed the cap. Without the database a node counts alone (docs/decisions/0130-files-and-caps-of-all-nodes.md).
 */
export function createCredits({ name, burst, everyMs }: CreditOptions, exchange: Exchange, meters: Times): Credits {
  const most = burst * everyMs
  /** A call in the shared count, which is smaller than the cap. */
  const cost = everyMs / SHARED
  const callers = new Map<string, Caller>()

  /** The part of the unshared eighth that is used, from 0; a caller with more than 1 is near the cap. */
  const used = (who: string, now: number) => Math.max(0, meters.get(who) - now) / most

  function callerOf(who: string): Caller {
    let caller = callers.get(who)
    if (!caller) {
      if (callers.size >= MOST_CALLERS) forgetSome()
      caller = {
        held: 0,
        over: 0,
        heldAt: -Infinity,
        left: most * UNSHARED,
        asking: undefined,
        refusedUntil: -Infinity,
        aloneUntil: -Infinity,
      }
      callers.set(who, caller)
    }
    return caller
  }

  /** Forgets callers. Their uses stay counted in the database. */
  function forgetSome(): void {
    let count = 0
    for (const [who, { asking, held }] of callers) {
      if (asking || held < 0) continue
      callers.delete(who)
      if (++count === FORGOTTEN) return
    }
  }

  /** Credit of a caller. After as long as the cap takes to be free, the database has forgotten what was taken. */
  function usable({ held, over, heldAt }: Caller, now: number): number {
    const age = now - heldAt
    return age < most ? held - Math.max(0, over - age) : 0
  }

  async function ask(who: string, caller: Caller, now: number): Promise<void> {
    if (now - caller.heldAt >= most) caller.held = Math.min(0, caller.held)
    const wanted = Math.max(cost, (caller.left * TAKEN + PACE_MS) / exchange.parties(now))
    const ms = Math.ceil(wanted - caller.held)
    try {
      const ahead = await exchange.add(`${name} ${who}`, ms)
      caller.held += ms
      caller.over = Math.max(0, ahead - most)
      caller.heldAt = now
      caller.left = Math.max(0, most - (ahead - caller.held))
      if (caller.held - caller.over < cost) {
        caller.refusedUntil = now + Math.max(REFUSED_MS, ahead - caller.held + cost - most)
      }
    } catch {
      caller.aloneUntil = now + ALONE_MS
    } finally {
      caller.asking = undefined
    }
  }

  function start(who: string, caller: Caller, now: number): Promise<void> {
    caller.asking ??= ask(who, caller, now)
    return caller.asking
  }

  const isSettled = (caller: Caller, now: number) =>
    usable(caller, now) >= cost || now < caller.refusedUntil || now < caller.aloneUntil

  return {
    ready(who, now) {
      // From the middle on, so that a call which cannot wait finds credit.
      if (exchange.parties(now) === 1 || used(who, now) <= 1 / 2) return undefined
      const caller = callerOf(who)
      return isSettled(caller, now) ? undefined : start(who, caller, now)
    },

    wait(who, now) {
      const parties = exchange.parties(now)
      if (parties === 1) return 0
      if (used(who, now) <= 1) {
        const known = parties > burst * UNSHARED ? callers.get(who) : undefined
        // The part of this node is less than a call, so its own count may not let one pass for which the database has no room.
        return known && now >= known.aloneUntil ? Math.max(0, known.refusedUntil - now) : 0
      }
      const caller = callerOf(who)
      if (now < caller.aloneUntil || usable(caller, now) >= cost) return 0
      if (now < caller.refusedUntil) return caller.refusedUntil - now
      void start(who, caller, now)
      return ANSWER_MS
    },

    charge(who, now, count) {
      const parties = exchange.parties(now)
      if (parties === 1) return
      const weight = (everyMs * parties) / UNSHARED
      const before = Math.max(0, meters.get(who) - now)
      // Twice the bound is enough to be near the cap, and is over after as long as the cap takes to be free.
      if (count > 0) meters.add(who, now, Math.min(count * weight, Math.max(0, 2 * most - before)))
      const unshared = Math.max(0, most - before) / weight
      const shared = count < 0 ? (before > most ? count : 0) : Math.max(0, count - unshared)
      if (shared === 0) return
      const caller = callerOf(who)
      caller.held -= shared * cost
      // Others must know of what is used already.
      if (caller.held < 0 && now >= caller.aloneUntil) void start(who, caller, now)
    },
  }
}
