/**
 * Makes a signal that may be given very often into one that is sent at most every `everyMs`. The first one is sent at once; those
 * that follow within this time are sent together at its end.
 */
export function createPulse(send: () => void, everyMs: number): () => void {
  let resting: NodeJS.Timeout | undefined
  let isMissed = false

  function beat(): void {
    send()
    isMissed = false
    resting = setTimeout(() => {
      resting = undefined
      if (isMissed) beat()
    }, everyMs)
    // What is missed when the program ends is found at the next start.
    resting.unref()
  }

  return () => {
    if (resting) isMissed = true
    else beat()
  }
}
