const REMEMBERED = 10_000

/** Access tokens that an OAuth token call issued; each is valid for `life` seconds. */
export function accessTokens(life: number) {
  /** Token -> expiry in milliseconds. */
  const handedOut = new Map<string, number>()

  return {
    /** Registers a token that is valid from `now` (ms); returns its life in seconds. */
    handOut(token: string, now: number): number {
      if (handedOut.size >= REMEMBERED) handedOut.delete(handedOut.keys().next().value!)
      handedOut.set(token, now + life * 1000)
      return life
    },
    /** What is wrong with this `authorization` header: an unknown or an expired token; undefined if it is valid. */
    judge(authorization: string | undefined, now: number): 'unknown' | 'expired' | undefined {
      const token = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
      const until = token === undefined ? undefined : handedOut.get(token)
      return until === undefined ? 'unknown' : now < until ? undefined : 'expired'
    },
    /** Sets the life of tokens issued from now on. */
    setLife(seconds: number): void {
      life = seconds
    },
  }
}
