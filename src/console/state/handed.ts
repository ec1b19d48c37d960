/** User ids that one page hands to the next one. They are not in the address, which histories and logs keep. */
let handed: readonly string[] | undefined

export function handOver(userIds: readonly string[]): void {
  handed = userIds
}

/** The user ids that were handed over, once. */
export function takeHanded(): readonly string[] | undefined {
  const taken = handed
  handed = undefined
  return taken
}
