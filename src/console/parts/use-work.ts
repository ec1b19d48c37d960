import { type ReadonlySignal, useSignal } from '@preact/signals'
import { messageOf } from '../api/errors.ts'

export interface Work {
  isBusy: ReadonlySignal<boolean>
  /** Reason for which the last work failed. */
  problem: ReadonlySignal<string | undefined>
  /** Begins it, unless one is under way. */
  run(work: () => Promise<unknown>): Promise<void>
}

/** Work that a button begins: whether it is under way, and why it failed. `failed` tells that in another way. */
export function useWork(failed?: (message: string) => void): Work {
  const isBusy = useSignal(false)
  const problem = useSignal<string | undefined>(undefined)
  const run = async (work: () => Promise<unknown>) => {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.value = undefined
    try {
      await work()
    } catch (error) {
      problem.value = messageOf(error)
      failed?.(messageOf(error))
    } finally {
      isBusy.value = false
    }
  }
  return { isBusy, problem, run }
}
