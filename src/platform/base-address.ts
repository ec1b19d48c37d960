/**
 * The address of another host name at the door that `base` describes: with its scheme, and its port unless the name has one. No slash at
 * the end. `base` is an absolute URL; a path in it is that of the base alone.
 */
export function besideBase(host: string, base: string): string {
  const { protocol, port } = new URL(base)
  const hasPort = /:\d+$/.test(host)
  return `${protocol}//${host}${port === '' || hasPort ? '' : `:${port}`}`
}
