import type { ComponentChildren } from 'preact'
import type { Loaded } from '../api/load.ts'
import { Failed, Skeleton } from './surfaces.tsx'

interface ReadingProps<T> {
  of: Pick<Loaded<T>, 'value' | 'error' | 'reload'>
  /** Height of what comes. */
  lines?: number
  height?: number
  /** Draws what was read. */
  children?(now: T): ComponentChildren
}

/** Shows what was read, the reason why it could not be, or the room that it will take. */
export function Reading<T>({ of, children, ...room }: ReadingProps<T>) {
  if (of.error.value !== undefined) return <Failed error={of.error.value} retry={of.reload} />
  return of.value.value === undefined ? <Skeleton {...room} /> : children?.(of.value.value)
}
