import { grouped } from './numbers.ts'

/** `1 recipient`, `2,000 recipients`. `many` is needed only if the plural of `one` is irregular. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}
