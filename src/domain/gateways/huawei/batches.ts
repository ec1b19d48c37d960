import { chunks } from '../../../platform/concurrency/chunks.ts'

type Waiting<A> = Map<string, ((answer: A) => void)[]>

/**
 * Collects single requests into batches, for a vendor that accepts many recipients at a time. Requests with the same
 * `subject` made in one turn of the event loop go out together, at most `most` keys in a batch. A key requested twice
 * is sent once, and both callers get its answer. `ask` answers for every key and never throws.
 */
export function createBatches<S extends object, A>(
  most: number,
  ask: (subject: S, keys: readonly string[]) => Promise<ReadonlyMap<string, A>>,
) {
  const gathering = new Map<S, Waiting<A>>()
  const running = new Set<Promise<void>>()

  function flush(subject: S, waiting: Waiting<A>): void {
    gathering.delete(subject)
    for (const keys of chunks([...waiting.keys()], most)) {
      const going = run(subject, keys, waiting).finally(() => running.delete(going))
      running.add(going)
    }
  }

  async function run(subject: S, keys: readonly string[], waiting: Waiting<A>): Promise<void> {
    const answers = await ask(subject, keys)
    for (const key of keys) for (const resolve of waiting.get(key)!) resolve(answers.get(key)!)
  }

  return {
    ask(subject: S, key: string): Promise<A> {
      return new Promise((resolve) => {
        let waiting = gathering.get(subject)
        if (!waiting) {
          const begun: Waiting<A> = (waiting = new Map())
          gathering.set(subject, begun)
          queueMicrotask(() => flush(subject, begun))
        }
        const others = waiting.get(key)
        if (others) others.push(resolve)
        else waiting.set(key, [resolve])
      })
    },

    /** Asks for these keys, at most `most`, in a batch of their own. `done` gets the answers. */
    askTogether(subject: S, keys: readonly string[], done: (answers: ReadonlyMap<string, A>) => void): void {
      const going: Promise<void> = ask(subject, [...new Set(keys)])
        .then(done)
        .finally(() => running.delete(going))
      running.add(going)
    },

    /** Resolves when no batch is running. */
    async settled(): Promise<void> {
      await Promise.all(running)
    },
  }
}
