import { readFileSync } from 'node:fs'
import { AcmeError, type ChallengeKind, certificateId, createAcmeClient } from '../../platform/acme/client.ts'
import type { Config } from '../../platform/config/settings.ts'
import { AppError, messageOf } from '../../platform/errors.ts'
import type { Log } from '../../platform/log/log.ts'
import type { SendHttp } from '../../platform/net/http.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { wantedNames } from './names.ts'
import { orderCertificate } from './order.ts'
import { retryDelay } from './plan.ts'
import type { CertificatesService } from './service.ts'
import type { NamedCertificate } from './types.ts'

export interface KeepParts {
  /** Certificates, for reading. */
  certificates: CertificatesService
  write<T>(work: (certificates: CertificatesService) => Promise<T>): Promise<T>
  config: Config
  clock: Clock
  log: Log
  /** Names the process and thread, for leases. */
  owner: string
  random(): number
  tick(): void
  /** A stand-in for tests; default: the network. */
  send?: SendHttp
  /** The time that listeners may take to notice a challenge (ms). */
  settleMs?: number
}

/** The time that listeners may take: they look once a second, and a busy one may be late. */
const SETTLE_MS = 2500
/** The time for which the authority is left alone, for all names, after it has named a limit. */
const HOLD_MS = 10 * 60_000

/**
 * One look at all names: orders and renews certificates that are due, one after the other. A name that fails waits its
 * time, and its old certificate stays. Returns how many certificates came.
 */
export async function keepCertificates(parts: KeepParts, signal: AbortSignal): Promise<number> {
  const { certificates, write, config, clock, log, tick } = parts
  const directory = config['acme.directory']
  const names = wantedNames(config, await certificates.linkHosts(config['acme.maxNames']))
  const { missing, useless } = differences(names, await certificates.list(), clock.now())
  if (missing.length + useless.length > 0) await write((tx) => tx.change(missing, useless))
  let came = 0
  // The names of the settings come first: without them nobody reaches the server.
  const known = new Map((await certificates.list()).map((one) => [one.name, one]))
  for (const one of names.flatMap((name) => known.get(name) ?? [])) {
    tick()
    if (signal.aborted) return came
    const now = clock.now()
    const isDue = one.nextAt <= now
    if (!(isDue || (one.askAt !== null && one.askAt <= now))) continue
    if ((await write((tx) => tx.account(directory))).heldUntil > now) return came
    if (!(await write((tx) => tx.claim(one.name, parts.owner)))) continue
    try {
      // Another process may have been here since the list was read.
      const current = (await certificates.list()).find(({ name }) => name === one.name)
      if (current?.revision !== one.revision) continue
      if (isDue) came += await attempt(current, parts, signal)
      else await askWhen(current, parts)
    } finally {
      await write((tx) => tx.free(one.name, parts.owner))
    }
  }
  return came

  async function askWhen(one: NamedCertificate, { random }: KeepParts): Promise<void> {
    const client = await clientOf(parts)
    const window = one.chain === null ? undefined : await client.renewalWindow(one.chain).catch(() => undefined)
    await write((tx) => tx.follow(one, window, random))
    if (window && window.from <= clock.now())
      log.info({ name: one.name }, 'the certificate authority wants a certificate renewed')
  }
}

/** Names that the list lacks, and names in it that nobody wants and no client could use. */
function differences(names: readonly string[], known: readonly NamedCertificate[], now: number) {
  const have = new Set(known.map(({ name }) => name))
  const wanted = new Set(names)
  return {
    missing: names.filter((name) => !have.has(name)),
    useless: known.filter(({ name, notAfter }) => !wanted.has(name) && (notAfter ?? 0) <= now).map(({ name }) => name),
  }
}

/** Orders or renews one certificate; returns 1 when one came, else 0. */
async function attempt(one: NamedCertificate, parts: KeepParts, signal: AbortSignal): Promise<number> {
  const { write, config, clock, log, random, tick, settleMs = SETTLE_MS } = parts
  const { name, chain } = one
  try {
    const client = await clientOf(parts)
    const replaces = chain === null ? undefined : certificateId(chain)
    await orderCertificate(one, {
      client,
      write,
      clock,
      signal,
      kinds: kindsOf(config),
      settleMs,
      replaces,
      random,
      tick,
    })
    log.info({ name }, chain === null ? 'a certificate was issued' : 'a certificate was renewed')
    return 1
  } catch (error) {
    if (signal.aborted) return 0
    const { type, retryAfterMs } = error instanceof AcmeError ? error : { type: 'internal', retryAfterMs: undefined }
    const delay = retryDelay(type, one.attempts + 1, retryAfterMs)
    await write((tx) => tx.fail(name, messageOf(error), delay))
    if (type === 'rateLimited') {
      const until = clock.now() + Math.min(delay, HOLD_MS)
      await write((tx) => tx.holdAccount(config['acme.directory'], until))
    }
    const fields = { name, error: messageOf(error), againInMinutes: Math.ceil(delay / 60_000) }
    log.warn(
      fields,
      chain === null ? 'a certificate could not be issued' : 'a certificate could not be renewed; the old one stays',
    )
    return 0
  }
}

async function clientOf({ write, config, clock, send }: KeepParts) {
  const directory = config['acme.directory']
  const { key, url } = await write((tx) => tx.account(directory))
  const ca = authorities(config['acme.caFile'])
  const client = createAcmeClient({
    directory,
    key,
    account: url ?? undefined,
    ca,
    now: clock.now,
    ...(send && { send }),
  })
  if (url === null) {
    const made = await client.register(config['acme.email'])
    await write((tx) => tx.setAccountUrl(directory, made))
  }
  return client
}

/** Cached by path: a context of TLS is kept for each list. */
const read = new Map<string, readonly string[]>()

function authorities(file: string): readonly string[] {
  if (file === '') return []
  let list = read.get(file)
  try {
    if (!list) read.set(file, (list = [readFileSync(file, 'utf8')]))
  } catch (error) {
    throw new AppError('config', `acme.caFile cannot be read: ${messageOf(error)}`)
  }
  return list
}

/** Kinds of challenge that the settings allow. */
function kindsOf(config: Config): ChallengeKind[] {
  const { 'acme.challenge': wanted, 'tls.httpPort': httpPort } = config
  if (wanted !== 'auto') return [wanted as ChallengeKind]
  return httpPort === 'off' ? ['tls-alpn-01'] : ['http-01', 'tls-alpn-01']
}
