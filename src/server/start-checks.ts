import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { masterKeyFile } from '../open.ts'
import type { Config } from '../platform/config/settings.ts'
import { speaksTls } from '../platform/config/tls-settings.ts'
import { readKeyFile } from '../platform/crypto/vault.ts'
import { AppError, messageOf } from '../platform/errors.ts'
import { listenOn } from '../platform/net/listen.ts'
import { readIdentity } from './tls/identity-files.ts'
import { portOfListen, REMEDIES } from './tls/remedies.ts'

/**
 * Looks for what a start would refuse only after it has made the database and the master key: files that the settings name, and
 * at the first start the ports. Later starts wait for a predecessor that still has them. `http`: the process serves. Throws
 * `config` or `unavailable`, and has made nothing.
 */
export async function refuseBadStart(config: Config, { http }: { http: boolean }): Promise<void> {
  const keyFile = masterKeyFile(config)
  readKeyFile(keyFile)
  refuseNoAuthorities(config, 'gateways.caFile')
  if (config['acme.enabled']) refuseNoAuthorities(config, 'acme.caFile')
  if (http && config['tls.certFile'] !== '') await readIdentity(config)
  if (existsSync(keyFile)) return
  for (const [host, port, remedy] of listened(config, http)) {
    // The system has a free one.
    if (port === 0) continue
    const probe = createServer()
    await listenOn(probe, host, port, remedy)
    await new Promise((resolve) => probe.close(resolve))
  }
}

function refuseNoAuthorities(config: Config, setting: 'gateways.caFile' | 'acme.caFile'): void {
  const file = config[setting]
  if (file === '') return
  try {
    // Throws for a file that does not begin with a certificate.
    new X509Certificate(readFileSync(file))
  } catch (error) {
    throw new AppError(
      'config',
      `${setting} ${file} cannot be used: ${messageOf(error)}; name a file of certificates (PEM)`,
    )
  }
}

/** The addresses at which a process listens by its settings, and what to do when it cannot. */
function listened(config: Config, http: boolean): [host: string, port: number, remedy: string][] {
  const beside = http ? 'metrics.listen' : 'metrics.workerListen'
  const all: [string, number, string][] = []
  if (http) all.push([config.host, config.port, REMEDIES.port])
  if (config[beside] !== '') all.push([...portOfListen(config[beside]), `choose another with ${beside}`])
  if (http && config['console.enabled'] && config['console.listen'] !== '') {
    all.push([...portOfListen(config['console.listen']), 'choose another with console.listen'])
  }
  if (http && speaksTls(config)) {
    const { 'tls.host': host, 'tls.port': port, 'tls.httpPort': httpPort } = config
    all.push([host, port, REMEDIES.tls('tls.port')])
    if (httpPort !== 'off') all.push([host, httpPort, REMEDIES.tls('tls.httpPort')])
  }
  return all
}
