import type { Areas, Program } from '../../program.ts'

/** Thrown to roll the transaction back; carries its result out. */
class RolledBack<T> extends Error {
  readonly found: T

  constructor(found: T) {
    super('dry run')
    this.found = found
  }
}

/** Runs `work` in a transaction that is always rolled back, and returns its result. */
export async function tryOut<T>(program: Program, work: (tx: Areas) => Promise<T>): Promise<T> {
  try {
    return await program.inTransaction<T>(async (tx) => {
      throw new RolledBack(await work(tx))
    })
  } catch (error) {
    if (error instanceof RolledBack) return error.found as T
    throw error
  }
}
