import type { Config } from '../../platform/config/settings.ts'
import { configuredNames, whyNoCertificate } from '../../platform/config/tls-settings.ts'

/**
 * The names that get certificates: those of the settings, then hosts of deep links, in their order, at most
 * `acme.maxNames`. `links.domain` itself serves nothing. Names that no authority would vouch for are left out.
 */
export function wantedNames(config: Config, linkHosts: readonly string[]): string[] {
  const isPrivate = config['acme.caFile'] !== ''
  const own = configuredNames(config).flatMap(([setting, name]) => (setting === 'links.domain' ? [] : [name]))
  const links = linkHosts.map((host) => host.replace(/:\d+$/, '').toLowerCase())
  const names = [...new Set([...own, ...links])]
  return names.filter((name) => whyNoCertificate(name, isPrivate) === undefined).slice(0, config['acme.maxNames'])
}
