import type { KeyObject } from 'node:crypto'
import {
  type AcmeClient,
  AcmeError,
  type Authorization,
  type ChallengeKind,
  type Order,
} from '../../platform/acme/client.ts'
import { makeEcKey, signingRequest } from '../../platform/crypto/x509.ts'
import { failpoint } from '../../platform/process/failpoints.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { CertificatesService } from './service.ts'
import type { NamedCertificate } from './types.ts'

/** What an order needs. */
export interface OrderParts {
  client: AcmeClient
  /** Runs one writing call in a transaction of its own. */
  write<T>(work: (certificates: CertificatesService) => Promise<T>): Promise<T>
  clock: Clock
  signal: AbortSignal
  /** How names may be proved, the preferred one first. */
  kinds: readonly ChallengeKind[]
  /** How long a listener may take to notice a challenge (ms). */
  settleMs: number
  /** The certificate that is renewed, as RFC 9773 names it. */
  replaces: string | undefined
  random(): number
  /** Called between the steps: the loop is alive. */
  tick(): void
}

/** A validation or an issuance that takes longer has failed. */
const PATIENCE_MS = 90_000
const FIRST_POLL_MS = 500
const LONGEST_POLL_MS = 10_000

/**
 * Gets a certificate for a name and stores it. An order that an earlier process left is taken up where it stands, so that a
 * kill costs no second certificate. Throws `AcmeError`.
 */
export async function orderCertificate(certificate: NamedCertificate, parts: OrderParts): Promise<void> {
  const { client, write, signal, random } = parts
  const { name } = certificate
  const { order: begun, key } = await begin(certificate, parts)
  let order = begun
  if (order.status === 'pending') {
    for (const url of order.authorizations) await prove(name, url, certificate.attempts, parts)
    order = await until(
      parts,
      () => client.readOrder(order.url),
      ({ status }) => status !== 'pending',
    )
  }
  if (order.status === 'ready') {
    order = await client.finalize(order, signingRequest(name, key))
    failpoint('certificates.finalized')
  }
  order = await until(
    parts,
    async () => (order.status === 'processing' ? client.readOrder(order.url) : order),
    isSettled,
  )
  if (order.status !== 'valid' || order.certificate === undefined) {
    await write((certificates) => certificates.dropOrder(name))
    throw new AcmeError('orderInvalid', order.problem ?? `the certificate authority made the order ${order.status}`)
  }
  const chain = await client.download(order.certificate)
  signal.throwIfAborted()
  await write((certificates) => certificates.store(name, chain, key, random))
}

const isSettled = ({ status }: Order) => status !== 'processing'

/** The order of an earlier attempt, if it can still become a certificate, else a new one. */
async function begin(
  certificate: NamedCertificate,
  { client, write, replaces, tick }: OrderParts,
): Promise<{ order: Order; key: KeyObject }> {
  const { name, orderUrl } = certificate
  tick()
  if (orderUrl !== null) {
    const found = await client.readOrder(orderUrl).catch((error: unknown) => {
      if (error instanceof AcmeError && !['away', 'rateLimited'].includes(error.type)) return undefined
      throw error
    })
    const key = await write(async (certificates) => certificates.orderKey(certificate))
    if (key && found && found.status !== 'invalid') return { order: found, key }
  }
  const key = await makeEcKey()
  // An authority may refuse to replace a certificate, for example one that was replaced already.
  const order = await client.order(name, replaces).catch((error: unknown) => {
    if (replaces !== undefined && error instanceof AcmeError && REFUSED.has(error.type))
      return client.order(name, undefined)
    throw error
  })
  await write((certificates) => certificates.beginOrder(name, order.url, key))
  failpoint('certificates.ordered')
  return { order, key }
}

const REFUSED = new Set(['alreadyReplaced', 'malformed', 'unauthorized'])

/** Proves that the name leads to us. After a failure the other kind of challenge has its turn. */
async function prove(name: string, url: string, attempts: number, parts: OrderParts): Promise<void> {
  const { client, write, clock, signal, kinds, settleMs } = parts
  const authorization = await client.readAuthorization(url)
  if (authorization.status === 'valid') return
  const kind = kinds[attempts % kinds.length]!
  const challenge = authorization.challenges[kind]
  if (!challenge) {
    throw new AcmeError(
      'unauthorized',
      `the certificate authority does not offer ${kind} for ${name}: set acme.challenge`,
    )
  }
  const answer = client.authorizationOf(challenge.token)
  await write((certificates) => certificates.setChallenge(name, { kind, token: challenge.token, answer }))
  // Listeners look at most once a second, and the authority looks only once.
  await clock.sleep(settleMs, signal)
  await client.answer(challenge)
  const settled = await until(parts, () => client.readAuthorization(url), isJudged)
  if (settled.status === 'valid') return
  await write((certificates) => certificates.dropOrder(name))
  const why = settled.problem ?? `its authorization is ${settled.status}`
  throw new AcmeError('unauthorized', `the certificate authority could not verify ${name} by ${kind}: ${why}`)
}

const isJudged = ({ status }: Authorization) => status !== 'pending'

/** Asks again until the answer fits, as patiently as the authority wants. Throws `AcmeError('away')` after `PATIENCE_MS`. */
async function until<T extends { retryAfterMs: number | undefined }>(
  { clock, signal, tick }: OrderParts,
  ask: () => Promise<T>,
  fits: (answer: T) => boolean,
): Promise<T> {
  const end = clock.monotonic() + PATIENCE_MS
  for (let pause = FIRST_POLL_MS; ; pause = Math.min(LONGEST_POLL_MS, pause * 2)) {
    tick()
    signal.throwIfAborted()
    const answer = await ask()
    if (fits(answer)) return answer
    if (clock.monotonic() >= end) throw new AcmeError('away', 'the certificate authority does not finish its work')
    await clock.sleep(Math.min(LONGEST_POLL_MS, Math.max(pause, answer.retryAfterMs ?? 0)), signal)
  }
}
