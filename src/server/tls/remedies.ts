/** What to do when a port cannot be listened on. */
export const REMEDIES = {
  port: 'choose another with --port',
  tls: (setting: 'tls.port' | 'tls.httpPort') =>
    `choose another with ${setting}; ports below 1024 need CAP_NET_BIND_SERVICE (docs/tls.md)`,
} as const

/** Host and port of a checked setting such as `metrics.listen`: `127.0.0.1:9464`, `[::1]:9464`. */
export function portOfListen(at: string): [host: string, port: number] {
  const [, host, port] = /^(.*):(\d+)$/.exec(at)!
  return [host!.replace(/^\[|\]$/g, ''), Number(port)]
}
