import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const LOWEST = 10_000
/** The first port that the kernel hands out by itself, unless it says something else. */
const USUAL_FIRST_EPHEMERAL = 32_768

/** The lowest port that the kernel may give to a program that asks for any (Linux, `ip_local_port_range`). */
function firstEphemeral(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0])
  } catch {
    return USUAL_FIRST_EPHEMERAL
  }
}

/**
 * A port of the loopback address for a program that must be told one, or that comes back on the same one. A port that was found
 * by listening on any and closing is a guess: the kernel gives it to the next program that asks. This one lies below those, and
 * no other test of the run is given it. A program that can listen on port 0 does that instead. Throws when there is none.
 */
export async function claimPort(): Promise<number> {
  const claims = join(tmpdir(), 'ports')
  mkdirSync(claims, { recursive: true })
  const end = Math.max(firstEphemeral(), LOWEST + 1)
  const count = end - LOWEST
  const first = Math.floor(Math.random() * count)
  for (let i = 0; i < count; i++) {
    const port = LOWEST + ((first + i) % count)
    if (isOurs(join(claims, String(port))) && (await isFree(port))) return port
  }
  throw new Error(`no port from ${LOWEST} to ${end - 1} of 127.0.0.1 is free`)
}

/** Tells whether nobody of this run has the port. */
function isOurs(claim: string): boolean {
  try {
    mkdirSync(claim)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch {
    return false
  }
  probe.close()
  await once(probe, 'close')
  return true
}
