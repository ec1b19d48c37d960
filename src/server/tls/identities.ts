import { createSecureContext, type SecureContext, type SecureContextOptions, type SecureVersion } from 'node:tls'
import type { Identity } from '../../domain/certificates/types.ts'
import type { Config } from '../../platform/config/settings.ts'
import { challengeCertificate, isForName, makeEcKey } from '../../platform/crypto/x509.ts'
import { messageOf } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { readIdentity, stampOf, takeIdentity } from './identity-files.ts'

/** The certificates that a listener shows to clients. */
export interface Identities {
  /** The certificate for a name; undefined: the default one. Never rejects. */
  contextOf(name: string): Promise<SecureContext | undefined>
  /** The certificate that answers a TLS-ALPN-01 challenge of the name, from the last look. */
  challengeOf(name: string): SecureContext | undefined
  /** Looks for changes now. */
  reload(): Promise<void>
  close(): void
}

interface Parts {
  program: Program
  /** Sets the certificate for clients that name no host, or one that has no certificate. */
  setDefault(options: SecureContextOptions): void
  /** False in all threads but one, so that the log says things once. */
  speaks: boolean
}

/** `tls.minVersion` as Node names it. */
export function oldestVersion(config: Config): SecureVersion {
  return config['tls.minVersion'] === '1.3' ? 'TLSv1.3' : 'TLSv1.2'
}

/** Reads the certificates for the first time. Throws `config` when files of the settings cannot be used. */
export async function openIdentities(parts: Parts): Promise<Identities> {
  return parts.program.kernel.config['acme.enabled'] ? issuedIdentities(parts) : fileIdentities(parts)
}

/** The time (ms) between two looks at the files: they change rarely, and a look costs two calls of the system. */
const FILES_MS = 5000

/** `tls.certFile` and `tls.keyFile`. Files that cannot be used are refused with a warning: the old certificate stays. */
async function fileIdentities({ program, setDefault, speaks }: Parts): Promise<Identities> {
  const { config, log, clock } = program.kernel
  const { 'tls.certFile': certFile, 'tls.keyFile': keyFile } = config
  let taken = ''
  let refused = ''
  let isLooking = false

  function take({ stamp, cert, key, facts }: Awaited<ReturnType<typeof takeIdentity>>): void {
    setDefault({ cert, key })
    if (speaks) {
      const fields = { tls: certFile, names: facts.names, until: new Date(facts.notAfter).toISOString() }
      if (facts.notAfter <= clock.now()) log.warn(fields, 'the certificate has expired: clients refuse it')
      else if (taken !== '') log.info(fields, 'a new certificate is in use')
      const own = config.baseUrl === '' ? undefined : new URL(config.baseUrl).hostname
      if (own && !isForName(facts.names, own)) {
        log.warn(
          { ...fields, baseUrl: config.baseUrl },
          'the certificate is not for the host of baseUrl: clients refuse it',
        )
      }
    }
    taken = stamp
  }

  async function look(isAsked: boolean): Promise<void> {
    if (isLooking) return
    isLooking = true
    const stamp = await stampOf(config).catch(messageOf)
    try {
      if (stamp !== taken || isAsked) take(await takeIdentity(config))
      refused = ''
    } catch (error) {
      // Between the writing of one file and of the other they do not fit, so it is said at the second look.
      const isNew = refused !== stamp && refused !== `told ${stamp}`
      if (speaks && (isAsked || refused === stamp)) {
        const fields = { certFile, keyFile, error: messageOf(error) }
        log.warn(fields, 'the new certificate is refused; the old one stays')
        refused = `told ${stamp}`
      } else if (isNew) refused = stamp
    } finally {
      isLooking = false
    }
  }

  take(await readIdentity(config))
  const timer = setInterval(() => void look(false), FILES_MS)
  timer.unref()
  return {
    contextOf: async () => undefined,
    challengeOf: () => undefined,
    reload: () => look(true),
    close: () => clearInterval(timer),
  }
}

/** The time (ms) by which a handshake may be behind the database. Challenges wait longer than this (domain/certificates/keep.ts). */
const STALE_MS = 1000
/** The time (ms) between two looks without a cause: clients that name no host cause none. */
const LOOK_MS = 10_000

/** Certificates that an authority issued, from the database. Only names that stand there cost anything. */
async function issuedIdentities({ program, setDefault }: Parts): Promise<Identities> {
  const { config, log, clock } = program.kernel
  const own = new URL(config.baseUrl).hostname
  const options = { minVersion: oldestVersion(config) }
  const contexts = new Map<string, { revision: number; context: SecureContext }>()
  const challenges = new Map<string, { answer: string; context: SecureContext }>()
  let challengeKey: Awaited<ReturnType<typeof makeEcKey>> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  function take(name: string, revision: number, { chain, key }: Identity): void {
    contexts.set(name, { revision, context: createSecureContext({ ...options, cert: chain, key }) })
    if (name === own) setDefault({ cert: chain, key })
  }

  async function look(): Promise<void> {
    const names = await program.certificates.served()
    const present = new Set(names.map(({ name }) => name))
    for (const kept of [contexts, challenges]) for (const name of kept.keys()) if (!present.has(name)) kept.delete(name)
    for (const { name, revision, challenge } of names) {
      if (revision > 0 && contexts.get(name)?.revision !== revision) {
        const identity = await program.certificates.identityOf(name)
        if (identity) take(name, revision, identity)
      }
      if (challenge?.kind !== 'tls-alpn-01') challenges.delete(name)
      else if (challenges.get(name)?.answer !== challenge.answer) {
        challengeKey ??= await makeEcKey()
        const cert = challengeCertificate(name, challenge.answer, challengeKey, clock.now())
        const key = challengeKey.export({ type: 'pkcs8', format: 'pem' })
        challenges.set(name, { answer: challenge.answer, context: createSecureContext({ ...options, cert, key }) })
      }
    }
    lookedAt = clock.monotonic()
  }

  /** Handshakes that come together look once. Without the database the known certificates serve on. */
  function refresh(): Promise<void> {
    looking ??= look()
      .catch((error: unknown) =>
        log.warn({ error: messageOf(error) }, 'certificates cannot be read; the known ones stay'),
      )
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  await refresh()
  const timer = setInterval(() => void refresh(), LOOK_MS)
  timer.unref()
  return {
    async contextOf(name) {
      if (clock.monotonic() - lookedAt > STALE_MS) await refresh()
      return contexts.get(name)?.context
    },
    challengeOf: (name) => challenges.get(name)?.context,
    reload: refresh,
    close: () => clearInterval(timer),
  }
}
