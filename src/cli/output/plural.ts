/** `1 recipient`, `2 recipients`. `one` is the noun for one; `many` for others, when it is not `one` with an s. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
