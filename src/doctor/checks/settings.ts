import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { vendorAddresses } from '../../domain/gateways/registry.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { secretsInFile } from '../../platform/config/config.ts'
import type { Config, VendorSetting } from '../../platform/config/settings.ts'
import { speaksTls } from '../../platform/config/tls-settings.ts'
import { messageOf } from '../../platform/errors.ts'
import { isLoopback } from '../../platform/net/http.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

/** Settings that are each valid and make no sense together, or that nobody should have by accident. */
export const settingsCheck: Check = {
  name: 'settings',
  group: 'machine',
  needs: 'settings',
  async run({ config, ofServer }) {
    const findings = [
      ...unreadable(config),
      ...exposed(config),
      ...unreachable(config),
      ...proxies(config),
      ...open(config),
    ]
    if (findings.some(({ level }) => level !== 'info')) return findings
    const whose = ofServer ? 'the settings of the running server' : 'the settings'
    return [ok(`${whose} are valid and agree with each other`), ...findings]
  },
}

/** Files with secrets that every user of the machine can read or change. */
function exposed(config: Config): Finding[] {
  const secrets = secretsInFile(config)
  const files: [string, string][] = [
    ...(secrets ? [[secrets.file, `a password (${secrets.names.join(', ')})`] as [string, string]] : []),
    [config['nats.url'].reveal() === '' ? '' : config['nats.credentials'], 'the credentials of NATS'],
    [config['admin.passwordFile'], 'the password of the first owner'],
    [config['tls.keyFile'], 'the private key of the certificate'],
  ]
  return files.flatMap(([file, what]) => {
    const mode = file === '' ? undefined : statSync(file, { throwIfNoEntry: false })?.mode
    if (mode === undefined || (mode & 0o007) === 0) return []
    return [
      warning(
        `everybody on this machine can read ${resolve(file)}, which holds ${what}`,
        `chmod o= ${resolve(file)}, and change the secret if others use this machine`,
      ),
    ]
  })
}

/** Files that settings name. */
function unreadable(config: Config): Finding[] {
  const findings: Finding[] = []
  try {
    gatewaySettings(config)
  } catch (failure) {
    findings.push(error(messageOf(failure), 'correct the path in gateways.caFile, or remove the setting'))
  }
  const file = config['nats.credentials']
  if (file !== '' && !existsSync(file)) {
    findings.push(error(`nats.credentials names ${resolve(file)}, which does not exist`, 'correct nats.credentials'))
  }
  if (file !== '' && config['nats.url'].reveal() === '') {
    findings.push(warning('nats.credentials is set and nats.url is not, so no NATS server gets events', 'set nats.url'))
  }
  return findings
}

/** Finds what keeps clients from reaching this server under the names that it tells them. */
function unreachable(config: Config): Finding[] {
  const findings: Finding[] = []
  const { baseUrl, host } = config
  const base = baseUrl === '' ? undefined : new URL(baseUrl)
  if (base?.protocol === 'http:' && !isLoopback(base.hostname)) {
    findings.push(
      warning('baseUrl is plain http, so keys and messages can be read on the way', `baseUrl: https://${base.host}`),
    )
  }
  if (!base && !isLoopback(host) && host !== '') {
    findings.push(
      warning(
        `baseUrl is empty and the server listens on ${host}: URLs in its answers name an address that clients may not reach`,
        'baseUrl: https://push.example.com, with the name by which clients reach this server',
      ),
    )
  }
  const areas = Object.entries(config).filter(([name, value]) => name.startsWith('hosts.') && value !== '')
  for (const [value, same] of Map.groupBy(areas, ([, value]) => String(value).toLowerCase())) {
    if (same.length < 2) continue
    const names = same.map(([name]) => name).join(' and ')
    findings.push(
      error(`${names} are both ${value}, so one of them answers nothing`, 'give each area a host name of its own'),
    )
  }
  return findings
}

/** Judges the proxies whose X-Forwarded-For counts. */
function proxies({ trustedProxies, baseUrl, host, ...tls }: Config): Finding[] {
  if (/\/0(?:,|\s|$)/.test(trustedProxies)) {
    return [
      warning(
        'trustedProxies trusts every address: a caller can name any address as its own, and limits by address do not hold',
        'trustedProxies: the addresses or networks of your proxies only, such as 10.0.0.0/8',
      ),
    ]
  }
  const isPublic = baseUrl !== '' && !isLoopback(new URL(baseUrl).hostname)
  // A server that speaks TLS itself is reached under a public name without a proxy.
  if (trustedProxies === '' && isPublic && isLoopback(host) && !speaksTls(tls)) {
    return [
      warning(
        'a proxy on this machine stands before the server, and it is not trusted: all devices count as one address',
        'trustedProxies: 127.0.0.1,::1',
      ),
    ]
  }
  return []
}

/** Settings that let in more than usual, and such as are made for tests. */
function open(config: Config): Finding[] {
  const findings = replacedVendors(config)
  if (config['outbound.allowPrivate'] === true) {
    findings.push(
      warning(
        'outbound.allowPrivate is true: URLs of callers may lead to any address of your network',
        'outbound.allowPrivate: https://host.of.yours, or remove it',
      ),
    )
  }
  if (config['webPush.anyHost']) {
    findings.push(
      warning(
        'webPush.anyHost is true: a browser may name any host to send to',
        'name the hosts in webPush.extraHosts; for phones without Google, webPush.unifiedPush is enough',
      ),
    )
  }
  if (config['webPush.unifiedPush']) {
    findings.push(
      info('webPush.unifiedPush is true: web pushes go to every public host that says it is a UnifiedPush server'),
    )
  }
  if (config['log.level'] === 'silent') {
    findings.push(warning('log.level is silent, so nobody can see what goes wrong', 'log.level: info'))
  }
  for (const name of ['metrics.listen', 'metrics.workerListen'] as const) {
    const listen = config[name]
    if (listen !== '' && !isLoopback(listen.replace(/:\d+$/, ''))) {
      findings.push(info(`${name} is ${listen}: whoever reaches that port can read the metrics`))
    }
  }
  return findings
}

/** Vendors that settings replace: one by one, or all by a sandbox, which is worth a warning only where the public comes. */
function replacedVendors(config: Config): Finding[] {
  const replaced = Object.entries(vendorAddresses).flatMap(([name, { default: usual }]) => {
    const is = config[`gateways.${name}` as VendorSetting]!
    return is === usual ? [] : [{ name, is }]
  })
  const { 'sandbox.url': sandbox, baseUrl } = config
  const areStandIns = replaced.every(({ is }) => isLoopback(new URL(is).hostname))
  if (sandbox !== '' && areStandIns && replaced.length > 0) {
    const what = `pushes go to the sandbox at ${sandbox}, so they reach no real device`
    const isPublic = baseUrl !== '' && !isLoopback(new URL(baseUrl).hostname)
    return [isPublic ? warning(what, 'start the server without --sandbox, --demo and sandbox.url') : info(what)]
  }
  return replaced.map(({ name, is }) =>
    warning(
      `gateways.${name} is ${is} and not the vendor's address, so pushes through it reach no real device`,
      `remove gateways.${name}, unless you test`,
    ),
  )
}
