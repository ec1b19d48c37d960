import type { Areas, Program } from '../../program.ts'

type InTransaction = Program['inTransaction']

/** Wraps `inTransaction` so that each transaction begins with `read`: what it reads under a lock is what the work then replaces. */
export function readFirst(inTransaction: InTransaction, read: (tx: Areas) => Promise<void>): InTransaction {
  return (work, options) =>
    inTransaction(async (tx) => {
      await read(tx)
      return work(tx)
    }, options)
}
