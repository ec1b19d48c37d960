import { isIPv6 } from 'node:net'
import { AppError } from '../../platform/errors.ts'

/** Stops callers who ask for what is not there again and again: they are guessing. */
export interface MissLimiter {
  /** Throws `unavailable` with `Retry-After` while the address has missed too often. Never 429: to SDKs that means something else. */
  check(address: string, now: number): void
  /** Counts a miss. */
  missed(address: string, now: number): void
}

export interface MissLimiterOptions {
  /** So many misses at once. */
  burst: number
  /** Then one for every so many milliseconds. */
  everyMs: number
  /** What is too many, in the answer. */
  what?: string
}

/** Addresses that are remembered; under more the longest known is forgotten. */
const MOST_ADDRESSES = 20_000

/** GCRA: one number for each address, the moment when all its misses are forgiven. `now` is of a clock that never jumps (ms). */
export function missLimiter({
  burst,
  everyMs,
  what = 'look-ups of links that do not exist',
}: MissLimiterOptions): MissLimiter {
  const forgiven = new Map<string, number>()
  return {
    check(address, now) {
      const at = forgiven.get(prefixOf(address)) ?? 0
      const wait = at - now - (burst - 1) * everyMs
      if (wait <= 0) return
      const seconds = String(Math.ceil(wait / 1000))
      throw new AppError('unavailable', `too many ${what}: try again in ${seconds} s`, {
        headers: { 'Retry-After': seconds },
      })
    },
    missed(address, now) {
      const key = prefixOf(address)
      const at = Math.max(forgiven.get(key) ?? 0, now) + everyMs
      forgiven.delete(key)
      forgiven.set(key, at)
      if (forgiven.size <= MOST_ADDRESSES) return
      for (const oldest of forgiven.keys()) {
        forgiven.delete(oldest)
        break
      }
    },
  }
}

/** Whom an address belongs to: who has one of IPv6 has a network of them. */
export function prefixOf(address: string): string {
  if (!isIPv6(address)) return address
  // The shortened middle stands for zeros: an address within it has fewer than four groups in front.
  const [head = ''] = address.split('::', 1)
  const groups = head.split(':').filter((group) => group !== '')
  return `${groups.concat('0', '0', '0', '0').slice(0, 4).join(':')}/64`
}
