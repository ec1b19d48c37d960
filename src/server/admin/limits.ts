import type { Program } from '../../program.ts'
import { isOwnMachine, prefixOf } from '../limits/caller.ts'
import { limiterOf } from '../limits/for-program.ts'
import { onePerProgram } from '../limits/per-program.ts'

/**
 * The limit of one address. It stops a flood before anything is written, and is far above what the database allows: people never
 * meet it.
 */
const floodOf = onePerProgram((program) =>
  limiterOf(program, { name: 'admin flood', burst: 200, everyMs: 1000, what: 'tries to sign in', code: 'too_many' }),
)

/** Turns away a flood from one address, without a look at the database. */
export async function countFlood({ program, remote }: Caller): Promise<void> {
  // Everybody comes from this address when a proxy stands on this machine and the setting trustedProxies does not name it.
  if (isOwnMachine(remote)) return
  const flood = floodOf(program)
  const { clock } = program.kernel
  await flood.ready(prefixOf(remote), clock.monotonic())
  flood.take(prefixOf(remote), clock.monotonic())
}

/** Counts a try of an address before a byte of its body is read. Throws `too_many` for one with too many. */
export async function countTry({ program, remote }: Caller): Promise<void> {
  await countFlood({ program, remote })
  if (isOwnMachine(remote)) return
  const one = { from: prefixOf(remote), isShared: false }
  await program.inTransaction((tx) => tx.signInTries.takeOfAddress(one))
}

interface Caller {
  program: Program
  remote: string
}

/**
 * Counts a try of an account, after `countTry`, before it is examined; throws as `countTry` does. Call the function that it
 * returns when the person has proved who they are: such a try does not count.
 */
export async function limitAccount(
  { program, remote }: Caller,
  account: string | undefined,
): Promise<() => Promise<void>> {
  const one = { account, from: prefixOf(remote), isShared: isOwnMachine(remote) }
  if (account !== undefined) {
    try {
      await program.inTransaction((tx) => tx.signInTries.takeOfAccount(one))
    } catch (thrown) {
      // What is refused for its account uses up nothing of those who share its address.
      await program.inTransaction((tx) => tx.signInTries.forgive({ ...one, account: undefined }))
      throw thrown
    }
  }
  return () => program.inTransaction((tx) => tx.signInTries.forgive(one))
}

/** `countTry` and `limitAccount` in one, for somebody who has signed in and proves it again. */
export async function limitSignIn(program: Program, remote: string, account: string): Promise<() => Promise<void>> {
  await countTry({ program, remote })
  return limitAccount({ program, remote }, account)
}
