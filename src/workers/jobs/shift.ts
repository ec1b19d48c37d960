import type { SendOrder } from '../sending-threads.ts'
import { createWake, type Shift } from './job.ts'

/** Makes the order of a thread that may send, which begins with `first`. */
export function createShift(first: SendOrder): Shift {
  const changed = createWake()
  let current: AbortController | undefined
  let except: ReadonlySet<number> = new Set()

  function set(order: SendOrder): void {
    except = new Set(order.except)
    if (order.sends) current ??= new AbortController()
    else {
      current?.abort()
      current = undefined
    }
    changed.ring()
  }

  set(first)
  return {
    get signal() {
      return current?.signal
    },
    get except() {
      return except
    },
    set,
    wait: changed.wait,
  }
}
