/**
 * Writes the types of the admin interface for the console, and those of the server interface for `clients/server`, from the routes as the
 * interface document describes them. `npm run check`, `build`, `package` and `openapi` run this; `npm start` only where a file is missing
 * (`--if-missing`) and the tools are there, because editors and compilers need them and the program does not. openapi-typescript needs the
 * compiler as a library, which TypeScript 7 is not; `@ts-morph/common` carries one of version 5.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = resolve(import.meta.dirname, '..')

/** A file of types, and the operations that it is about. */
interface Target {
  file: string
  holds(path: string, operation: Operation): boolean
}

const CONSOLE: Target = {
  file: join(ROOT, 'src/console/api/schema.ts'),
  holds: (path) => path.startsWith('/admin/'),
}

const SERVERS: Target = {
  file: join(ROOT, 'clients/server/src/schema.ts'),
  holds: (_path, { security = [] }) => security.some((one) => 'serverKey' in one || 'restKey' in one),
}

registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? '@ts-morph/common/dist/typescript.js' : specifier, context),
})

/** Writes the types of the console, unless they are there as they should be. */
export const writeConsoleSchema = () => writeSchema(CONSOLE)

/** Writes the types of `clients/server`, unless they are there as they should be. */
export const writeServerSchema = () => writeSchema(SERVERS)

async function writeSchema(target: Target): Promise<void> {
  const text = await schemaOf(target)
  // A file that is written again would make the console build itself again.
  if (!existsSync(target.file) || readFileSync(target.file, 'utf8') !== text) writeFileSync(target.file, text)
}

/** The types of the operations of a file, as TypeScript. */
async function schemaOf({ holds }: Target): Promise<string> {
  const [{ astToString, default: openapiTS }, { buildOpenApi }, { routes }] = await Promise.all([
    import('openapi-typescript'),
    import('../src/server/openapi/document.ts'),
    import('../src/server/routes.ts'),
  ])
  const { paths, components, ...document } = JSON.parse(JSON.stringify(buildOpenApi(routes))) as OpenApi
  const kept = Object.entries(paths).map(([path, operations]) => {
    const held = Object.entries(operations).filter(([, operation]) => holds(path, operation))
    return [path, Object.fromEntries(held)] as const
  })
  const ours = Object.fromEntries(kept.filter(([, operations]) => Object.keys(operations).length > 0))
  const used = reached(ours, components)
  const text = astToString(await openapiTS({ ...document, paths: ours, components: used } as never))
  return `// Made of the interface document by packaging/schemas.ts.\n${text}`
}

type Components = Record<string, Record<string, unknown>>
interface Operation {
  security?: Record<string, unknown>[]
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
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
  const hasTools = existsSync(join(ROOT, 'node_modules/openapi-typescript'))
  for (const target of [CONSOLE, SERVERS]) {
    // An installation without development tools serves without them.
    const isLeftOut = isOptional && (existsSync(target.file) || !hasTools)
    if (!isLeftOut) await writeSchema(target)
  }
}
