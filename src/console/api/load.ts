import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useCallback, useEffect, useRef } from 'preact/hooks'
import { type Answer, type Arguments, addressOf, type CallOf, call, type PathFor } from './client.ts'
import { isCancelled } from './errors.ts'

/** Value, error and state of a read, as signals: components that use one are drawn again when it changes. */
export interface Loaded<T> {
  value: ReadonlySignal<T | undefined>
  error: ReadonlySignal<unknown>
  isLoading: ReadonlySignal<boolean>
  /** Reads again; what was read stays until then. */
  reload(): void
  /** Sets what was read, after a write whose answer is the new value. */
  set(value: T): void
}

/**
 * Reads when the component appears and whenever `keys` change; what an earlier read would still bring is cancelled and
 * forgotten. `null` instead of `read` reads nothing.
 */
export function useLoad<T>(read: ((signal: AbortSignal) => Promise<T>) | null, keys: readonly unknown[]): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isLoading = useSignal(read !== null)
  const reader = useRef(read)
  reader.current = read
  const running = useRef<AbortController | undefined>(undefined)

  const reload = useCallback(() => {
    running.current?.abort()
    const load = reader.current
    if (load === null) {
      isLoading.value = false
      return
    }
    const controller = (running.current = new AbortController())
    isLoading.value = true
    load(controller.signal).then(
      (got) => {
        if (running.current !== controller) return
        value.value = got
        error.value = undefined
        isLoading.value = false
      },
      (thrown: unknown) => {
        if (running.current !== controller || isCancelled(thrown)) return
        error.value = thrown
        isLoading.value = false
      },
    )
  }, [])

  useEffect(() => {
    value.value = undefined
    error.value = undefined
    reload()
    return () => {
      running.current?.abort()
      running.current = undefined
    }
  }, keys)

  return { value, error, isLoading, reload, set: (next) => void (value.value = next) }
}

/** Reads an address of the interface, as `useLoad` does; `null` instead of its parameters reads nothing. */
export function useGet<P extends PathFor<'get'>>(
  path: P,
  ...[options]: Arguments<P, 'get'> | [null]
): Loaded<Answer<P>> {
  return useLoad(
    options === null ? null : (signal) => call('get', path, { ...options, signal }) as Promise<Answer<P>>,
    [options === null ? null : addressOf(path, options ?? {})],
  )
}

/** Beginning of a page: the `next` of the page before, sent as `after`. */
type Cursor = string | number

/** A list that comes in pages. */
export interface Page<T> {
  items: T[]
  /** Cursor of the next page; null on the last one. */
  next: Cursor | null
}

export interface LoadedList<T> extends Omit<Loaded<T[]>, 'set'> {
  /** True while there is a further page. */
  hasMore: ReadonlySignal<boolean>
  /** Reads the next page and adds it. */
  more(): void
}

/** Reads a list page by page, as `useLoad` does: `read` gets the cursor, undefined for the first page. */
export function useList<T>(
  read: (after: Cursor | undefined, signal: AbortSignal) => Promise<Page<T>>,
  keys: readonly unknown[],
): LoadedList<T> {
  const items = useSignal<T[] | undefined>(undefined)
  const next = useSignal<Cursor | null>(null)
  const hasMore = useSignal(false)
  const cursor = useRef<Cursor | undefined>(undefined)
  // Before the effect of `useLoad`, which reads.
  useEffect(() => {
    items.value = undefined
    cursor.current = undefined
  }, keys)
  const loaded = useLoad(async (cancel) => {
    const after = cursor.current
    const page = await read(after, cancel)
    items.value = after === undefined ? page.items : [...(items.peek() ?? []), ...page.items]
    next.value = page.next
    hasMore.value = page.next !== null
    cursor.current = undefined
    return true
  }, keys)
  return {
    value: items,
    error: loaded.error,
    isLoading: loaded.isLoading,
    hasMore,
    reload() {
      cursor.current = undefined
      loaded.reload()
    },
    more() {
      if (next.peek() === null || loaded.isLoading.peek()) return
      cursor.current = next.peek()!
      loaded.reload()
    },
  }
}

/**
 * Reads a list as `useList` does, from an interface whose pages may be short: it reads on until there are `most` items, at most so many
 * times. `read` gets the cursor, null for the first page, and how many items are missing. It rests where `rests` says so and something
 * was found: people look at that first.
 */
export function useFilledList<T, C extends Cursor>(
  read: (after: C | null, missing: number, signal: AbortSignal) => Promise<{ items: T[]; next: C | null }>,
  { most, rounds, rests }: { most: number; rounds: number; rests?: (next: C) => boolean },
  keys: readonly unknown[],
): LoadedList<T> {
  return useList(async (after, signal) => {
    const items: T[] = []
    let next = (after as C | undefined) ?? null
    for (let round = 0; round < rounds; round++) {
      const page = await read(next, most - items.length, signal)
      items.push(...page.items)
      next = page.next
      if (next === null || items.length >= most || (items.length > 0 && rests?.(next))) break
    }
    return { items, next }
  }, keys)
}

type Body = Readonly<Record<string, unknown>>
/** Members of an answer that are lists. */
type ListIn<A> = { [K in keyof A & string]: A[K] extends readonly unknown[] ? K : never }[keyof A & string]
type ItemOf<A, K extends keyof A> = A[K] extends readonly (infer T)[] ? T : never

/** Reads a list of the interface page by page: `of` is the member of the answer that holds it. */
export function usePages<P extends PathFor<'get'>, K extends ListIn<Answer<P>>>(
  path: P,
  options: CallOf<P, 'get'>,
  of: K,
): LoadedList<ItemOf<Answer<P>, K>> {
  const { query, ...rest } = options as { query?: object }
  return useList(
    async (after, signal) => {
      const answer = (await call('get', path, { ...rest, query: { ...query, after }, signal })) as Body
      return { items: answer[of] as ItemOf<Answer<P>, K>[], next: (answer['next'] ?? null) as Cursor | null }
    },
    [addressOf(path, options)],
  )
}
