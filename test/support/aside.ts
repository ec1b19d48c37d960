import { AsyncLocalStorage } from 'node:async_hooks'

const outside = AsyncLocalStorage.snapshot()

/**
 * Runs `work` in a context that holds no connection: for the access of a test to the database while a transaction of
 * its own is open. Otherwise the pool refuses it (platform/db/holding.ts).
 */
export function aside<T>(work: () => PromiseLike<T> | T): Promise<T> {
  // Knex asks for a connection when a query is awaited.
  return outside(async () => await work())
}
