/**
 * The URL of another host name on the server at `base`: with the scheme of `base`, and with its port unless the host
 * name includes one. No trailing slash. `base` is an absolute URL; its path is ignored.
 */
export function besideBase(host: string, base: string): string {
  const { protocol, port } = new URL(base)
  const hasPort = /:\d+$/.test(host)
  return `${protocol}//${host}${port === '' || hasPort ? '' : `:${port}`}`
}
