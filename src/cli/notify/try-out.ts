import type { App, Areas } from '../../app.ts'

/** Carries what a transaction found out of it, while everything it did is taken back. */
class TakenBack<T> extends Error {
  readonly found: T

  constructor(found: T) {
    super('dry run')
    this.found = found
  }
}

/** Does `work` and takes everything back that it stored. */
export async function tryOut<T>(app: App, work: (tx: Areas) => Promise<T>): Promise<T> {
  try {
    return await app.inTransaction<T>(async (tx) => {
      throw new TakenBack(await work(tx))
    })
  } catch (error) {
    if (error instanceof TakenBack) return error.found as T
    throw error
  }
}
