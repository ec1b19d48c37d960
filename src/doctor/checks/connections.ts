import { lookup } from 'node:dns/promises'
import net from 'node:net'
import tls from 'node:tls'
import { probeApp } from '../../domain/gateways/probe-app.ts'
import { findGateway, vendorAddresses } from '../../domain/gateways/registry.ts'
import { gatewaySettings } from '../../domain/gateways/settings.ts'
import { checkDomain } from '../../domain/links/settings/check.ts'
import { atATime } from '../../platform/concurrency/at-a-time.ts'
import type { Config, VendorSetting } from '../../platform/config/settings.ts'
import { messageOf } from '../../platform/errors.ts'
import { besideBase } from '../../platform/net/base-address.ts'
import { isLoopback, trust } from '../../platform/net/http.ts'
import { exchange, HttpFailure } from '../../platform/net/http-exchange.ts'
import { sendOutbound } from '../../platform/net/outbound.ts'
import { type Check, error, type Finding, info, ok, type Subject, type WithProgram, warning } from './types.ts'

/** Apps of which the live checks are made, the oldest; more would take minutes. */
const MOST_APPS = 25
const CONNECT_MS = 8_000
const AT_A_TIME = 5

/** The apps that are examined, and whether there are more. */
async function appsOf({ storage: { program }, appId }: WithProgram): Promise<{ ids: number[]; more: boolean }> {
  if (appId !== undefined) return { ids: [appId], more: false }
  const ids = (await program.apps.list()).map(({ id }) => id)
  return { ids: ids.slice(0, MOST_APPS), more: ids.length > MOST_APPS }
}

const moreApps = (command: string) =>
  info(`only the first ${MOST_APPS} apps were checked here: ${command} checks another one`)

/** Connects to the gateways of every app and has them check the credential. */
export const gatewaysCheck: Check = {
  name: 'gateways',
  group: 'connections',
  needs: 'secrets',
  live: true,
  deadlineMs: 60_000,
  async run(subject, signal) {
    const { config, clock, storage } = subject
    const parts = { gateways: storage.program.gateways, settings: gatewaySettings(config), now: () => clock.now() }
    const { ids, more } = await appsOf(subject)
    const found = await atATime(ids, AT_A_TIME, async (appId) => {
      if (signal.aborted) return []
      const findings = await probeApp(parts, appId)
      return findings.map(({ platform, level, what, remedy }): Finding => {
        const sentence = `app ${appId} ${platform}: ${what}`
        if (level === 'ok') return ok(sentence)
        return { level, what: sentence, remedy: remedy ?? `appsvc gateways check --app ${appId} ${platform}` }
      })
    })
    const findings = found.flat()
    if (findings.length === 0) findings.push(info('no app has a push gateway: appsvc gateways set'))
    return more ? [...findings, moreApps('appsvc gateways check --app APP')] : findings
  },
}

/** Connects to the servers of the vendors whose gateways are configured; without any, of all vendors. */
export const reachCheck: Check = {
  name: 'reach',
  group: 'connections',
  needs: 'settings',
  live: true,
  async run(subject) {
    const { config } = subject
    const { ca } = gatewaySettings(config)
    const used = await addressesInUse(subject)
    const names = used.length > 0 ? used : Object.keys(vendorAddresses)
    return atATime(names, AT_A_TIME, async (name) => {
      const url = new URL(config[`gateways.${name}` as VendorSetting]!)
      const finding = judgeReach(url, await connectTo(url, ca))
      // Nobody sends there yet.
      return finding.level === 'error' && used.length === 0 ? { ...finding, level: 'warning' } : finding
    })
  },
}

/** The addresses of the gateways that are configured. */
async function addressesInUse({ storage, appId }: Subject): Promise<string[]> {
  if (storage.state !== 'open' || !storage.program) return []
  const newest = await storage.program.gateways.newest(1000)
  const used = newest.filter((one) => appId === undefined || one.appId === appId)
  return [...new Set(used.flatMap(({ platform }) => Object.keys(findGateway(platform).addresses)))]
}

/** Resolves with undefined when a connection was made and, for https, its certificate is trusted; otherwise with the reason. */
function connectTo(url: URL, ca: readonly string[]): Promise<Error | undefined> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80))
  return new Promise((resolve) => {
    const settle = (failure?: Error) => {
      socket.destroy()
      resolve(failure)
    }
    const socket =
      url.protocol === 'https:'
        ? tls.connect(
            {
              host,
              port,
              ALPNProtocols: ['h2', 'http/1.1'],
              ...trust(ca),
              rejectUnauthorized: true,
              ...(net.isIP(host) === 0 && { servername: host }),
            },
            () => settle(),
          )
        : net.connect({ host, port }, () => settle())
    socket.setTimeout(CONNECT_MS, () => settle(new Error(`no connection within ${CONNECT_MS / 1000} s`)))
    socket.on('error', settle)
  })
}

/** Judges the result of a connection to a gateway. */
export function judgeReach(url: URL, failure: (Error & { code?: string }) | undefined): Finding {
  if (!failure) return ok(`${url.host} can be reached`)
  const what = `${url.host} cannot be reached: ${failure.message}`
  const code = failure.code ?? ''
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return error(what, 'see the name servers in /etc/resolv.conf')
  if (/CERT|SELF_SIGNED|ISSUER|ALTNAME/.test(code)) {
    return error(
      what,
      'something reads the connections of this machine: gateways.caFile: its authority, or let them pass',
    )
  }
  return error(what, `open outgoing connections to ${url.hostname} port ${url.port || 443} in the firewall`)
}

/** Names by which clients reach this server, asked as clients ask. */
export const addressesCheck: Check = {
  name: 'addresses',
  group: 'connections',
  needs: 'settings',
  live: true,
  deadlineMs: 40_000,
  async run({ config, clock, served }) {
    const bases = basesOf(config)
    if (bases.length === 0) {
      return [info('baseUrl is empty, so this server is reached by its listening address only')]
    }
    const found = await atATime(bases, AT_A_TIME, (base) => visit(base, config, clock.now(), served))
    const findings = found.flat()
    const { 'links.domain': domain } = config
    if (domain !== '' && !isLoopback(domain)) findings.push(await wildcard(domain))
    return findings
  },
}

/** The URLs of `baseUrl` and of every host of an area. */
function basesOf(config: Config): URL[] {
  const { baseUrl } = config
  if (baseUrl === '') return []
  const hosts = Object.entries(config).flatMap(([name, value]) =>
    name.startsWith('hosts.') && value !== '' ? [besideBase(String(value), baseUrl)] : [],
  )
  return [...new Set([baseUrl, ...hosts])].map((text) => new URL(text))
}

const SHORT_CERTIFICATE_MS = 14 * 86_400_000

/** Asks for `/healthz` below a URL, and whether strangers may read the metrics there. */
async function visit(base: URL, config: Config, now: number, served: boolean | undefined): Promise<Finding[]> {
  const { ca } = gatewaySettings(config)
  const get = (path: string) => {
    const { protocol, hostname, port, pathname } = base
    const isPlain = protocol === 'http:'
    return exchange({
      options: {
        protocol: isPlain ? 'http:' : 'https:',
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port: port === '' ? undefined : port,
        path: `${pathname.replace(/\/$/, '')}${path}`,
        method: 'GET',
        agent: false,
        ...(isPlain ? {} : trust(ca)),
      },
      body: undefined,
      deadlineMs: CONNECT_MS,
      largestReply: 4096,
    })
  }
  try {
    const reply = await get('/healthz')
    const findings: Finding[] = []
    if (reply.status !== 200 || !reply.body.includes('"status":"ok"')) {
      const what = `${base.origin} answers ${reply.status} to /healthz, and not as this server does`
      if (served === false) return [warning(what, 'appsvc serve, then appsvc doctor again')]
      return [error(what, 'let the proxy pass on everything to this server, with the Host header of the request')]
    }
    findings.push(ok(`${base.origin} leads to this server`))
    const left = reply.certificateEnds - now
    if (reply.certificateEnds > 0 && left < SHORT_CERTIFICATE_MS) {
      const days = Math.max(0, Math.floor(left / 86_400_000))
      findings.push(
        warning(
          `the certificate of ${base.host} ends in ${days === 1 ? '1 day' : `${days} days`}`,
          'see what renews it: certbot renew, or the log of the proxy',
        ),
      )
    }
    if (!isLoopback(base.hostname) && (await get('/metrics')).status === 200) {
      findings.push(
        warning(
          `${base.origin}/metrics can be read from here: if that is so from everywhere, the proxy adds no X-Forwarded-For`,
          'metrics.listen: 127.0.0.1:9464',
        ),
      )
    }
    return findings
  } catch (failure) {
    return [judgeVisit(base, failure, served)]
  }
}

function judgeVisit(base: URL, failure: unknown, served: boolean | undefined): Finding {
  if (!(failure instanceof HttpFailure)) throw failure
  const what = `${base.origin} cannot be reached from here: ${failure.message}`
  switch (failure.kind) {
    case 'unknown_host':
      return error(
        `${base.hostname} does not resolve`,
        `create a DNS record for ${base.hostname} with the address of this server`,
      )
    case 'untrusted':
      return error(
        what,
        `get a certificate for ${base.hostname} from a public authority, with the intermediate certificates`,
      )
    default:
      if (served === false) return warning(what, 'appsvc serve, then appsvc doctor again')
      // Many networks do not lead back in to a public address of their own.
      return warning(
        what,
        `see from another network that something listens on port ${base.port || (base.protocol === 'https:' ? 443 : 80)}`,
      )
  }
}

/** Every app has a label of its own below the domain of short links. */
async function wildcard(domain: string): Promise<Finding> {
  const name = `any-app.${domain.replace(/:\d+$/, '')}`
  try {
    await lookup(name)
    return ok(`names below ${domain} resolve, for short links`)
  } catch (failure) {
    return error(
      `names below ${domain} do not resolve (${messageOf(failure)}), so short links lead nowhere`,
      `create a DNS record *.${domain.replace(/:\d+$/, '')} with the address of this server`,
    )
  }
}

/** Link domains of the apps, as Apple and Google see them. */
export const linksCheck: Check = {
  name: 'links',
  group: 'connections',
  needs: 'program',
  live: true,
  deadlineMs: 60_000,
  async run(subject, signal) {
    const { config, clock, storage } = subject
    const { ids, more } = await appsOf(subject)
    const found = await atATime(ids, AT_A_TIME, async (appId) => {
      const { settings } = await storage.program.links.site(appId)
      const { domain } = settings
      if (domain === null || signal.aborted) return []
      const findings = await checkDomain({
        domain,
        settings,
        send: sendOutbound,
        ca: gatewaySettings(config).ca,
        allowPrivate: config['outbound.allowPrivate'],
        monotonic: () => clock.monotonic(),
        now: clock.now(),
      })
      return findings.map(({ level, what, remedy }): Finding => {
        if (level === 'ok') return ok(`${domain}: ${what}`)
        return { level, what: `${domain}: ${what}`, remedy: remedy ?? `appsvc links check ${domain}` }
      })
    })
    const findings = found.flat()
    return more ? [...findings, moreApps('appsvc links check DOMAIN')] : findings
  },
}
