import { Secret } from '../../platform/secret.ts'

/** A setting as it may be shown: of a secret only whether there is one; of a database address all but its password. */
export function masked(value: string | number | boolean | readonly string[] | Secret): string | number | boolean {
  if (!(value instanceof Secret)) return typeof value === 'object' ? value.join(',') : value
  const clear = value.reveal()
  if (clear === '') return ''
  if (!URL.canParse(clear)) return '***'
  const url = new URL(clear)
  if (url.password !== '') url.password = '***'
  // Passwords may also stand in the query (?password=…).
  if (url.search !== '') url.search = '?***'
  return url.href
}
