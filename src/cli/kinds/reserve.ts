import { AppError } from '../../platform/errors.ts'
import { type DiskSpace, lowRemedy } from '../../platform/files/disk-space.ts'
import type { Program } from '../../program.ts'

/**
 * The last words of commands that also run on a full disk: they free space, stop something, or let an operator in again. `notify` looks by
 * itself, because a try-out stores nothing.
 */
const ALSO_ON_FULL_DISK = new Set([
  'cancel',
  'delete',
  'down',
  'drop',
  'erase',
  'notify',
  'release',
  'remove',
  'reset',
  'revoke',
  'withdraw',
])

/** Throws `unavailable` while less is free than the outcomes of sends need. */
export function keepReserve(disk: DiskSpace, what = ''): void {
  const space = disk.look()
  if (space && disk.isLow()) throw new AppError('unavailable', `${lowRemedy(space)}${what}`)
}

/**
 * The program for the command `id`: a transaction begins only while the disk has room for the outcomes of sends, as a request over HTTP
 * does. So a command that stores a lot ends in time.
 */
export function keepingReserve(program: Program, id: string): Program {
  if (ALSO_ON_FULL_DISK.has(id.split(/[: ]/).at(-1)!)) return program
  const inTransaction: Program['inTransaction'] = async (work, options) => {
    keepReserve(program.kernel.disk)
    return program.inTransaction(work, options)
  }
  // The areas are getters that know their own object.
  return new Proxy(program, {
    get: (of, name) => (name === 'inTransaction' ? inTransaction : Reflect.get(of, name, of)),
  })
}
