/**
 * Writes the types of the admin interface for the console, from the routes as the interface document describes them. `npm run check`,
 * `build` and `openapi` run this; `npm start` only where the file is missing (`--if-missing`) and the tools are there, because editors and
 * compilers need it and the program does not. openapi-typescript needs the compiler as a library, which TypeScript 7 is not;
 * `@ts-morph/common` carries one of version 5.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '..')
/** The file of the types. */
const SCHEMA_FILE = join(ROOT, 'src/console/api/schema.ts')

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
})

/** Writes the types, unless they are there as they should be. */
export async function writeConsoleSchema(): Promise<void> {
  const text = await consoleSchema()
  // A file that is written again would make the console build itself again.
  if (!existsSync(SCHEMA_FILE) || readFileSync(SCHEMA_FILE, 'utf8') !== text) writeFileSync(SCHEMA_FILE, text)
}

/** The types of everything below `/admin`, as TypeScript. */
async function consoleSchema(): Promise<string> {
  const [{ astToString, default: openapiTS }, { buildOpenApi }, { routes }] = await Promise.all([
    import('openapi-typescript'),
    import('../src/server/openapi/document.ts'),
    import('../src/server/routes.ts'),
  ])
  const { paths, components, ...document } = JSON.parse(JSON.stringify(buildOpenApi(routes))) as OpenApi
  const ours = Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/admin/')))
  const used = reached(ours, components)
  const text = astToString(await openapiTS({ ...document, paths: ours, components: used } as never))
  return `// Made of the interface document by packaging/console-schema.ts.\n${text}`
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const isOptional = process.argv.includes('--if-missing')
  // An installation without development tools serves without it.
  const isLeftOut =
    isOptional && (existsSync(SCHEMA_FILE) || !existsSync(join(ROOT, 'node_modules/openapi-typescript')))
  if (!isLeftOut) await writeConsoleSchema()
}
