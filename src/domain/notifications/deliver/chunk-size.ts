/** A chunk is what a lane sends in this time. At most two are in doubt after a crash: what it sends in 25 ms. */
const CHUNK_MS = 12.5
/**
 * And in so many round trips to the gateway. Two chunks may be in flight, which is a little more than what fills the
 * line, so that a lane far from its gateway is not limited by its chunks.
 */
const ROUND_TRIPS = 0.625
/** A lane begins with this many, and never has fewer: less says nothing about its pace. */
const LEAST = 200
/** The pace is measured over at least this time. */
const MEASURE_MS = 100

/**
 * Number of recipients that a lane begins in one transaction: what it sends in 12.5 ms and about half the time
 * of a request, at least 200, at most `most`. So a crash leaves no more sending time in doubt on a fast lane than on a
 * slow one, and a fast lane commits less often. Times are in ms and never decrease.
 */
export function createChunkSize(most: number) {
  let size = Math.min(LEAST, most)
  let answers = 0
  let since: number | undefined
  let roundTripMs = Number.POSITIVE_INFINITY

  return {
    /** The present size of a chunk. */
    get size(): number {
      return size
    },

    /** The time between a request and its response. The shortest one counts: in others, requests waited for each other. */
    noteRoundTrip(ms: number): void {
      roundTripMs = Math.min(roundTripMs, ms)
    },

    /** Responses came in. */
    noteAnswers(count: number, now: number): void {
      since ??= now
      answers += count
      const passed = now - since
      if (passed < MEASURE_MS) return
      const trip = Number.isFinite(roundTripMs) ? roundTripMs * ROUND_TRIPS : 0
      const wanted = (answers / passed) * (CHUNK_MS + trip)
      size = Math.min(most, Math.max(LEAST, Math.round(wanted)))
      since = now
      answers = 0
    },
  }
}
