import { AppError } from '../errors.ts'

/** Work that waits for its turn, of callers that take turns: one with much work does not hold up one with little. */
export interface FairQueue {
  /** Runs `work` in its turn. Throws `unavailable` with `Retry-After` when too many wait. */
  run<T>(who: string, work: () => Promise<T>): Promise<T>
}

export interface FairQueueOptions {
  /** How many run at once. */
  atOnce: number
  /** How many may wait, of all callers and of one. */
  waiting: number
  waitingOfOne: number
  /** The refusal: what a caller can do. */
  full: string
  retrySeconds: number
}

interface Waiter {
  go(): void
  refuse(error: AppError): void
}

/** Callers are asked in turn. When the queue is full, a caller who has less in it takes the last place of the one who has most. */
export function fairQueue({ atOnce, waiting, waitingOfOne, full, retrySeconds }: FairQueueOptions): FairQueue {
  /** What waits by caller, in the order in which the callers are asked. */
  const queues = new Map<string, Waiter[]>()
  let running = 0
  let count = 0

  const refusal = () => new AppError('unavailable', full, { headers: { 'Retry-After': String(retrySeconds) } })

  function makeRoom(mine: number): void {
    if (mine >= waitingOfOne) throw refusal()
    if (count < waiting) return
    const [longest] = [...queues.values()].toSorted((one, other) => other.length - one.length)
    if (!longest || longest.length <= mine + 1) throw refusal()
    count--
    longest.pop()!.refuse(refusal())
  }

  async function turnOf(who: string): Promise<void> {
    if (running < atOnce) {
      running++
      return
    }
    makeRoom(queues.get(who)?.length ?? 0)
    const queue = queues.get(who) ?? []
    queues.set(who, queue)
    count++
    await new Promise<void>((go, refuse) => queue.push({ go, refuse }))
  }

  function leave(): void {
    const [first] = queues
    if (!first) {
      running--
      return
    }
    const [who, queue] = first
    // The next one takes the place, so it is never given up in between.
    const next = queue.shift()!
    count--
    queues.delete(who)
    if (queue.length > 0) queues.set(who, queue)
    next.go()
  }

  return {
    async run(who, work) {
      await turnOf(who)
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}
