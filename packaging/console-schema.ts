/**
 * `npm run openapi` runs this too: writes the types of the admin interface for the console, from the routes as the interface
 * document describes them. openapi-typescript needs the compiler as a library, which TypeScript 7 is not; `@ts-morph/common`
 * carries one of version 5.
 */
import { writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { buildOpenApi } from '../src/server/openapi/document.ts'
import { routes } from '../src/server/routes.ts'

/** The file of the types. */
export const SCHEMA_FILE = join(resolve(import.meta.dirname, '..'), 'src/console/api/schema.ts')

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
})

/** The types of everything below `/admin`, as TypeScript. */
export async function consoleSchema(): Promise<string> {
  const { astToString, default: openapiTS } = await import('openapi-typescript')
  const { paths, components, ...document } = JSON.parse(JSON.stringify(buildOpenApi(routes))) as OpenApi
  const ours = Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/admin/')))
  const used = reached(ours, components)
  const text = astToString(await openapiTS({ ...document, paths: ours, components: used } as never))
  return `// Made of the interface document by npm run openapi.\n${text}`
}

type Components = Record<string, Record<string, unknown>>
interface OpenApi {
  paths: Record<string, unknown>
  components: Components
}

/** The components that the paths refer to, directly or by others. */
function reached(paths: unknown, all: Components): Components {
  const found = new Set<string>()
  const visit = (part: unknown) => {
    for (const [, kind, name] of JSON.stringify(part).matchAll(/"#\/components\/([^/"]+)\/([^"]+)"/g)) {
      const key = `${kind}/${name}`
      if (found.has(key)) continue
      found.add(key)
      visit(all[kind!]?.[name!] ?? null)
    }
  }
  visit(paths)
  return Object.fromEntries(
    Object.entries(all).map(([kind, members]) => [
      kind,
      Object.fromEntries(Object.entries(members).filter(([name]) => found.has(`${kind}/${name}`))),
    ]),
  )
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) writeFileSync(SCHEMA_FILE, await consoleSchema())
