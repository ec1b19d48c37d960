import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

/** The settings of which TLS depends, as in config.ts. */
interface TlsSettings {
  readonly baseUrl: string
  readonly port: number
  readonly 'links.domain': string
  readonly 'tls.certFile': string
  readonly 'tls.keyFile': string
  readonly 'tls.port': number
  readonly 'tls.httpPort': number | 'off'
  readonly 'acme.enabled': boolean
  readonly 'acme.agree': boolean
  readonly 'acme.challenge': string
  readonly 'acme.caFile': string
}

/** Whether the server speaks TLS itself, by the settings. */
export function speaksTls(config: Pick<TlsSettings, 'tls.certFile' | 'acme.enabled'>): boolean {
  return config['tls.certFile'] !== '' || config['acme.enabled']
}

/**
 * Why a certificate authority issues nothing for a name; undefined when it may. `name` is in lower case, without port.
 * A private authority (`acme.caFile`) may vouch for names that only its network knows.
 */
export function whyNoCertificate(name: string, isPrivate: boolean): string | undefined {
  if (isIP(name.replace(/^\[|\]$/g, '')) !== 0) return 'is an IP address'
  if (!isPrivate && !name.includes('.')) return 'has no dot'
  if (!isPrivate && /(?:^|\.)(?:localhost|local|internal|test|example|invalid|home\.arpa)$/.test(name)) {
    return 'is a name of private networks'
  }
  const labels = name.split('.')
  if (name.length > 253 || !labels.every((label) => /^(?!-)[a-z0-9-]{1,63}(?<!-)$/.test(label))) {
    return 'is not a name of the DNS'
  }
  return undefined
}

/** What contradicts itself in the settings of TLS: a sentence each, with the remedy. Every setting is right by itself. */
export function tlsProblems(config: TlsSettings): string[] {
  const { baseUrl, 'tls.port': port, 'tls.httpPort': httpPort, 'acme.enabled': acme } = config
  const { 'tls.certFile': certFile, 'tls.keyFile': keyFile } = config
  const problems: string[] = []
  if ((certFile === '') !== (keyFile === '')) {
    const [missing, given] = certFile === '' ? ['tls.certFile', 'tls.keyFile'] : ['tls.keyFile', 'tls.certFile']
    problems.push(`${missing} must be set with ${given}: a certificate needs both files`)
  }
  if (certFile !== '' && acme) {
    problems.push('tls.certFile and acme.enabled exclude each other: remove the files or set acme.enabled to false')
  }
  if (!speaksTls(config)) return problems
  if (baseUrl.startsWith('http://')) {
    problems.push(`baseUrl must begin with https:// when the server speaks TLS, not be ${baseUrl}`)
  }
  const ports = { port: config.port, 'tls.port': port, 'tls.httpPort': httpPort }
  const taken = new Map<number, string>()
  for (const [name, number] of Object.entries(ports)) {
    if (number === 'off' || number === 0) continue
    const other = taken.get(number)
    if (other) problems.push(`${name} must differ from ${other}: both are ${number}`)
    taken.set(number, name)
  }
  return acme ? problems.concat(acmeProblems(config)) : problems
}

function acmeProblems(config: TlsSettings): string[] {
  const problems: string[] = []
  if (!config['acme.agree']) {
    problems.push(
      'acme.agree must be true with acme.enabled: read the terms of the certificate authority (for Let’s Encrypt https://letsencrypt.org/repository/) and agree',
    )
  }
  if (config['acme.challenge'] === 'http-01' && config['tls.httpPort'] === 'off') {
    problems.push('acme.challenge http-01 needs tls.httpPort: set it to 80, or acme.challenge to tls-alpn-01')
  }
  if (config.baseUrl === '') {
    problems.push(
      'baseUrl must be set with acme.enabled, such as https://push.example.com: its name gets the certificate',
    )
  }
  for (const [setting, name] of configuredNames(config)) {
    const why = whyNoCertificate(name, config['acme.caFile'] !== '')
    if (why) {
      problems.push(
        `${setting} is ${name}, which ${why}: no certificate authority vouches for it; use a public name, or tls.certFile`,
      )
    }
  }
  return problems
}

/** Host names in the settings, in lower case without port, by setting. */
export function configuredNames(config: Readonly<object>): [setting: string, name: string][] {
  const given = Object.entries(config).flatMap(([setting, value]): [string, string][] => {
    if (setting === 'baseUrl') return value === '' ? [] : [[setting, new URL(String(value)).hostname]]
    return setting.startsWith('hosts.') || setting === 'links.domain' ? [[setting, String(value)]] : []
  })
  return given.flatMap(([setting, value]): [string, string][] =>
    value === '' ? [] : [[setting, value.replace(/:\d+$/, '').toLowerCase()]],
  )
}

/**
 * `https://` with the first name in `tls.certFile`, and `tls.port` unless it is 443: what `baseUrl` is when TLS is on and
 * nobody set it. Empty when there is no such name. The server reports a file that cannot be read; other commands need none.
 */
export function baseUrlOfCertificate(config: Pick<TlsSettings, 'tls.certFile' | 'tls.port'>): string {
  if (config['tls.certFile'] === '' || config['tls.port'] === 0) return ''
  try {
    // Every command looks: a device such as /dev/zero would hold it for ever.
    if (!statSync(config['tls.certFile']).isFile()) return ''
    const { subjectAltName = '' } = new X509Certificate(readFileSync(config['tls.certFile']))
    const name = /(?:^|, )DNS:([^*,"]+)(?:,|$)/.exec(subjectAltName)?.[1]
    if (name === undefined) return ''
    return `https://${name}${config['tls.port'] === 443 ? '' : `:${config['tls.port']}`}`
  } catch {
    return ''
  }
}
