import { AppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'

/** The gate between a command that runs for somebody elsewhere and all that it could touch: shut until the right was checked. */
export interface Gate {
  open(): void
  isOpen(): boolean
  /** Throws while it is shut, and `unauthorized` when the caller's access has ended. */
  pass(): void
  /** The program, of which every use passes the gate. */
  guarded(program: Program): Program
}

/** `ended`: aborted when the caller has no access any more; its reason is thrown. */
export function createGate(ended: AbortSignal): Gate {
  let isOpen = false

  function pass(): void {
    if (!isOpen) throw new AppError('forbidden', 'the right to run this command was not checked, so nothing was done')
    ended.throwIfAborted()
  }

  return {
    open: () => void (isOpen = true),
    isOpen: () => isOpen,
    pass,
    guarded: (program) =>
      new Proxy(program, {
        get(target, name) {
          pass()
          // Of the program itself: its getters know no proxy.
          return Reflect.get(target, name, target) as unknown
        },
        set() {
          throw new TypeError('a command cannot change the program')
        },
      }),
  }
}
