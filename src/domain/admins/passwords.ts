import { randomBytes, type ScryptOptions, timingSafeEqual } from 'node:crypto'
import { fairQueue } from '../../platform/concurrency/fair-queue.ts'
import { scryptElsewhere } from '../../platform/crypto/slow-hash.ts'
import { AppError } from '../../platform/errors.ts'

/**
 * Cost of a new digest: 32 MB and a tenth of a second or two (OWASP, Password Storage Cheat Sheet: N=2^15, r=8, p=3). The digest
 * says its own cost, so that it can be raised later.
 */
const COST = { N: 2 ** 15, r: 8, p: 3 }
const SALT_BYTES = 16
const DIGEST_BYTES = 32
/** More memory than `COST` takes; a stored digest cannot ask for more. */
const MAX_MEMORY = 256 * 1024 * 1024

/**
 * One at a time, so that a processor is left for everything else; few wait, and callers take turns by `from`, so that a flood from one
 * network does not keep others out.
 */
const queue = fairQueue({
  atOnce: 1,
  waiting: 20,
  waitingOfOne: 10,
  full: 'too many people sign in at this moment: try again in a few seconds',
  retrySeconds: 3,
})

function derive(from: string, password: string, salt: Buffer, { N, r, p }: ScryptOptions): Promise<Buffer> {
  const cost = { N, r, p, maxmem: MAX_MEMORY } as ScryptOptions
  // Two people may type the same letters as different code points.
  return queue.run(from, () =>
    scryptElsewhere({ password: password.normalize('NFKC'), salt, length: DIGEST_BYTES, cost }),
  )
}

/**
 * The digest of a password with its cost and salt: `scrypt$N$r$p$salt$digest`. Computed off the event loop. Callers wait in turn by
 * `from`, the network that asks. Throws `unavailable` when too many wait.
 */
export async function digestPassword(password: string, from = ''): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const digest = await derive(from, password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), digest.toString('base64url')].join('$')
}

/**
 * Whether it is the password of this digest. Without a digest (an unknown name, or somebody without a password) it takes as long and is
 * false. `from` as in `digestPassword`.
 */
export async function isPassword(password: string, stored: string | null | undefined, from = ''): Promise<boolean> {
  const [kind, N, r, p, salt, digest] = (stored ?? NOBODYS).split('$')
  if (kind !== 'scrypt' || !salt || !digest) throw new AppError('config', 'a stored password digest is damaged')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const found = await derive(from, password, Buffer.from(salt, 'base64url'), cost)
  return timingSafeEqual(found, Buffer.from(digest, 'base64url')) && stored != null
}

/** No password is known to have this digest. */
const NOBODYS = [
  'scrypt',
  COST.N,
  COST.r,
  COST.p,
  randomBytes(SALT_BYTES).toString('base64url'),
  randomBytes(DIGEST_BYTES).toString('base64url'),
].join('$')
