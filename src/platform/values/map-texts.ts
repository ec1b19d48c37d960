import { isPlainObject } from '../json/json.ts'
import { joined } from './reader.ts'

/** Copies a JSON value with other texts: `map` gets each with its path, `data.list[0].name`. The names of members stay. Pure. */
export function mapTextsOf(value: unknown, path: string, map: (text: string, path: string) => string): unknown {
  if (typeof value === 'string') return map(value, path)
  if (Array.isArray(value)) return value.map((one, i) => mapTextsOf(one, `${path}[${i}]`, map))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, mapTextsOf(one, joined(path, name), map)]),
  )
}
