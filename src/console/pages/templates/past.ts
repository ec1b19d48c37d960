import { useComputed, useSignal } from '@preact/signals'

const MOST = 100
/** Changes of the same field within this time are one step, so that undo does not go letter by letter. */
const TOGETHER_MS = 800

interface Past<T> {
  before: readonly T[]
  now: T
  after: readonly T[]
}

/** A value with undo and redo. */
export function usePast<T>(first: T) {
  const past = useSignal<Past<T>>({ before: [], now: first, after: [] })
  const last = useSignal<{ what: string; at: number }>({ what: '', at: 0 })
  return {
    now: useComputed(() => past.value.now),
    canUndo: useComputed(() => past.value.before.length > 0),
    canRedo: useComputed(() => past.value.after.length > 0),
    /** `what` names the field; changes of one field that follow each other quickly are one step. */
    change(now: T, what = '') {
      const { before, now: old } = past.peek()
      const at = Date.now()
      const isSame = what !== '' && last.peek().what === what && at - last.peek().at < TOGETHER_MS
      last.value = { what, at }
      past.value = { before: isSame ? before : [...before, old].slice(-MOST), now, after: [] }
    },
    undo() {
      const { before, now, after } = past.peek()
      if (before.length === 0) return
      last.value = { what: '', at: 0 }
      past.value = { before: before.slice(0, -1), now: before.at(-1)!, after: [now, ...after] }
    },
    redo() {
      const { before, now, after } = past.peek()
      if (after.length === 0) return
      past.value = { before: [...before, now], now: after[0]!, after: after.slice(1) }
    },
    /** Begins anew, with nothing to undo. */
    reset: (now: T) => void (past.value = { before: [], now, after: [] }),
  }
}
