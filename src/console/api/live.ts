import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { ApiError, isCancelled, OFFLINE } from './errors.ts'
import type { Loaded } from './load.ts'

/** Pause between two reads where server-sent events do not come through. */
const POLL_MS = 5000
/** Failures in a row after which a page stops trying server-sent events. */
const PATIENCE = 3

export interface LiveOptions<T> {
  /** Address of the server-sent events: the `data` of each is the whole value as JSON. */
  events: string
  /** Name of the events that carry the value; default `message`. */
  event?: string
  /** Reads the value once: at first, and again and again where events do not come. */
  read(signal: AbortSignal): Promise<T>
  /** Tells that the value is final: the connection is closed. */
  isDone?(value: T): boolean
}

/** A value that follows the server: by server-sent events, by polling where a proxy swallows them. It rests in a hidden tab. */
export function useLive<T>(options: LiveOptions<T> | null, keys: readonly unknown[]): Loaded<T> {
  const value = useSignal<T | undefined>(undefined)
  const error = useSignal<unknown>(undefined)
  const isLoading = useSignal(options !== null)
  const latest = useRef(options)
  latest.current = options
  const again = useRef(() => {})

  useEffect(() => {
    const stop = new AbortController()
    let source: EventSource | undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    let failures = 0
    /** The server was away. When it is back, its events are worth another try. */
    let wasAway = false
    /** Counts beginnings: what an earlier one still waits for must not go on beside a later one. */
    let round = 0

    const isOver = () => {
      const now = value.peek()
      return now !== undefined && latest.current?.isDone?.(now) === true
    }
    const take = (next: T) => {
      value.value = next
      error.value = undefined
      isLoading.value = false
      if (latest.current?.isDone?.(next)) close()
    }
    const close = () => {
      source?.close()
      source = undefined
      clearTimeout(timer)
    }
    const read = async () => {
      try {
        const got = await latest.current?.read(stop.signal)
        if (got !== undefined && !stop.signal.aborted) take(got)
      } catch (thrown) {
        if (isCancelled(thrown) || stop.signal.aborted) return
        error.value = thrown
        isLoading.value = false
        wasAway = thrown instanceof ApiError && thrown.code === OFFLINE
      }
    }
    const poll = async () => {
      const [before, mine] = [wasAway, round]
      wasAway = false
      await read()
      if (stop.signal.aborted || document.hidden || mine !== round || isOver()) return
      if (before && !wasAway) {
        failures = 0
        return follow()
      }
      timer = setTimeout(() => void poll(), POLL_MS)
    }
    const follow = () => {
      if (failures >= PATIENCE) return void poll()
      source = new EventSource(latest.current!.events)
      source.addEventListener(latest.current!.event ?? 'message', ({ data }: MessageEvent<string>) => {
        failures = 0
        take(JSON.parse(data) as T)
      })
      source.addEventListener('error', () => {
        failures += 1
        // The browser tries again by itself. Reading meanwhile tells people at once when the server is away.
        if (failures < PATIENCE && source?.readyState !== EventSource.CLOSED) return void read()
        failures = PATIENCE
        close()
        void poll()
      })
    }
    /** Reads, and follows unless nothing more will change. */
    const begin = async () => {
      const mine = ++round
      close()
      failures = 0
      if (document.hidden || isOver()) return
      await read()
      if (!stop.signal.aborted && mine === round && !isOver()) follow()
    }
    const onReturn = () => void begin()
    again.current = () => void read()

    value.value = undefined
    if (latest.current === null) isLoading.value = false
    else {
      onReturn()
      document.addEventListener('visibilitychange', onReturn)
      addEventListener('online', onReturn)
    }
    return () => {
      stop.abort()
      close()
      document.removeEventListener('visibilitychange', onReturn)
      removeEventListener('online', onReturn)
    }
  }, keys)

  return { value, error, isLoading, reload: () => again.current(), set: (next) => void (value.value = next) }
}
