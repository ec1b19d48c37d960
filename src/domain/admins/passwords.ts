import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
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

/** How many are computed at once in a process thread, and how many may wait: each takes memory and a processor. */
const AT_ONCE = 2
const WAITING = 20

let running = 0
const waiting: (() => void)[] = []

/** Runs `work` when there is room. Throws `unavailable` when too many wait. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING) {
      throw new AppError('unavailable', 'too many people sign in at this moment: try again in a few seconds', {
        headers: { 'Retry-After': '3' },
      })
    }
    await new Promise<void>((go) => waiting.push(go))
  } else running++
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    // The next one takes the place, so it is never given up in between.
    if (next) next()
    else running--
  }
}

function derive(password: string, salt: Buffer, { N, r, p }: ScryptOptions): Promise<Buffer> {
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        // Two people may type the same letters as different code points.
        scrypt(
          password.normalize('NFKC'),
          salt,
          DIGEST_BYTES,
          { N, r, p, maxmem: MAX_MEMORY } as ScryptOptions,
          (error, key) => (error ? reject(error) : resolve(key)),
        )
      }),
  )
}

/** The digest of a password with its cost and salt: `scrypt$N$r$p$salt$digest`. Computed off the event loop. */
export async function digestPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const digest = await derive(password, salt, COST)
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), digest.toString('base64url')].join('$')
}

/**
 * Whether it is the password of this digest. Without a digest (an unknown name, or somebody without a password) it takes as long and is
 * false.
 */
export async function isPassword(password: string, stored: string | null | undefined): Promise<boolean> {
  const [kind, N, r, p, salt, digest] = (stored ?? NOBODYS).split('$')
  if (kind !== 'scrypt' || !salt || !digest) throw new AppError('config', 'a stored password digest is damaged')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const found = await derive(password, Buffer.from(salt, 'base64url'), cost)
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
