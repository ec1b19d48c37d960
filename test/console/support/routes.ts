import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const TABLE = join(import.meta.dirname, '../../../src/console/routes.ts')

/**
 * The patterns of the table of pages, `/apps/:appId/users`. They are read as text: the table itself belongs to browsers.
 */
export function consoleRoutes(): string[] {
  return [...readFileSync(TABLE, 'utf8').matchAll(/\bpath: '([^']+)'/g)].map(([, path]) => path!)
}

/** The same, with the right that opens each page. */
export function routesWithRights(): { path: string; right: string }[] {
  const found = readFileSync(TABLE, 'utf8').matchAll(/\bpath: '([^']+)',\s+right: '(\w+)'/g)
  return [...found].map(([, path, right]) => ({ path: path!, right: right! }))
}

/** The pages that the navigation leads to, with the group in which each stands. */
export function entriesOfNavigation(): { path: string; group: string }[] {
  const found = readFileSync(TABLE, 'utf8').matchAll(/\bpath: '([^']+)',\s+right: '\w+',\s+nav: \{ group: '(\w+)'/g)
  return [...found].map(([, path, group]) => ({ path: path!, group: group! }))
}
