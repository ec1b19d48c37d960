import type { Program } from '../../program.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { onePerProgram } from './per-program.ts'
import { type RateLimiter, type RateLimiterOptions, rateLimiter } from './rate-limiter.ts'

/** The exchange of a program; undefined on SQLite, which one process serves. */
const exchangeOf = onePerProgram(({ kernel, inTransaction }): { exchange: Exchange | undefined } => {
  const { db, vault, clock, sharing } = kernel
  if (db.kind === 'sqlite') return { exchange: undefined }
  return {
    exchange: createExchange({
      vault,
      threads: sharing?.threads ?? 1,
      monotonic: () => clock.monotonic(),
      store: (uses) => inTransaction((tx) => tx.capUses.add(uses)),
    }),
  }
})

/** A limiter that counts once for all threads of the process and all nodes of the database. */
export function limiterOf(program: Program, options: RateLimiterOptions): RateLimiter {
  return rateLimiter(options, program.kernel.sharing, exchangeOf(program).exchange)
}
