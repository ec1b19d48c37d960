import { Secret } from './secret.ts'

/** A setting without its secrets: `***` for a secret, a database URL without its password. */
export function masked(value: string | number | boolean | readonly string[] | Secret): string | number | boolean {
  if (!(value instanceof Secret)) return typeof value === 'object' ? value.join(',') : value
  const clear = value.reveal()
  if (clear === '') return ''
  if (!URL.canParse(clear)) return '***'
  const url = new URL(clear)
  if (url.password !== '') url.password = '***'
  // The query may contain a password too (?password=…).
  if (url.search !== '') url.search = '?***'
  return url.href
}
