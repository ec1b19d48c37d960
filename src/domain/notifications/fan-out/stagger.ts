/**
 * The time at which each page of a notification with a rate limit becomes due (ms), so that pages do not come back from
 * the queue in vain because the rate is used up. `waiting` recipients are ahead of them; a second's worth may be sent
 * at once. The limit itself is enforced at delivery. Pure.
 */
export function stagger(sizes: readonly number[], waiting: number, perSecond: number, now: number): number[] {
  let ahead = waiting
  return sizes.map((size) => {
    const at = now + Math.floor((Math.max(0, ahead - perSecond) / perSecond) * 1000)
    ahead += size
    return at
  })
}
