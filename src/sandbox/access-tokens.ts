const REMEMBERED = 10_000

/** The access tokens that an OAuth token call handed out; each is good for `life` seconds. */
export function accessTokens(life: number) {
  /** Token -> when it ends, in milliseconds. */
  const handedOut = new Map<string, number>()

  return {
    /** From `now` (ms) on the token is good; returns for how many seconds. */
    handOut(token: string, now: number): number {
      if (handedOut.size >= REMEMBERED) handedOut.delete(handedOut.keys().next().value!)
      handedOut.set(token, now + life * 1000)
      return life
    },
    /** What is wrong with this `authorization` header: a token nobody knows, or one that is over; undefined when it is good. */
    judge(authorization: string | undefined, now: number): 'unknown' | 'expired' | undefined {
      const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
      const until = token === undefined ? undefined : handedOut.get(token)
      return until === undefined ? 'unknown' : now < until ? undefined : 'expired'
    },
    /** Life of the tokens handed out from now on. */
    setLife(seconds: number): void {
      life = seconds
    },
  }
}
