import type { Config } from '../../platform/config/settings.ts'

/** The address at which programs on this machine find the server: `baseUrl`, or else the address it listens on. */
export function addressOf({ baseUrl, host, port }: Pick<Config, 'baseUrl' | 'host' | 'port'>): string {
  if (baseUrl !== '') return baseUrl
  const reachable = host === '0.0.0.0' || host === '' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
