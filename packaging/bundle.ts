/**
 * `npm run build`: bundles the sources into dist/. `node dist/appsvc.cjs` runs the bundle without node_modules, and packaging/package.ts
 * turns it into the executable. The same sources give the same bytes.
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, type Plugin, transform } from 'esbuild'
import packageJson from '../package.json' with { type: 'json' }
import { type Compress, writeConsole, writeSdk } from './built-files.ts'
import { compileProgram } from './programs/compile.ts'
import { writeConsoleSchema } from './schemas.ts'

const root = resolve(import.meta.dirname, '..')

/**
 * Files for modules and libraries that the program imports only when they are first used. No other file contains their text, because
 * every thread keeps the text of its files in memory.
 */
const LATE = {
  's3-client': 'src/platform/net/s3-client.ts',
  'nats-client': 'src/domain/nats/library.ts',
  'upload-body': 'koa-body',
  yaml: 'yaml',
  'qr-code': 'qrcode',
  passkeys: '@simplewebauthn/server',
  forge: 'node-forge',
}

/** A late library that is imported by a statement, in modules that are late themselves: those of the sandbox. */
const LATE_OF_LATE = 'node-forge'

/** The program, and the programs of worker and HTTP threads, which are compiled in advance (programs/compile.ts). */
const PROGRAMS = {
  cli: 'src/cli/main.ts',
  'thread-program': 'src/workers/thread.ts',
  'http-thread-program': 'src/cli/http-thread.ts',
}

/** Names of the programs. */
export const PROGRAM_NAMES = Object.keys(PROGRAMS)

/** Files of the bundle: a small entry that handles `--version`, what loads programs in a thread, the programs, and late libraries. */
const ENTRIES = { appsvc: 'packaging/entry.ts', load: 'packaging/programs/load.ts', ...PROGRAMS, ...LATE }

/**
 * Entry point of a thread. It is small because pkg passes the first file of a thread as a string within a string: with the whole program
 * in it every thread needed 40 MB more.
 */
const threadEntry = (program: string) => `require('./load.cjs').load('${program}')\n`

/** Folders below src that are read at run time through `assetPath`. */
export const ASSETS = ['sandbox/page', 'server/renderer/page']

/** Folders of the console and of the browser client, which `packaging/built-files.ts` builds. */
export const BUILT = { console: 'console', sdk: 'sdk' } as const

/** Optional drivers of Knex and pg. None is used, but unresolved imports would fail the build. */
const UNUSED = /^(sqlite3|mysql|mysql2|mariadb\/callback|oracledb|tedious|pg-native|pg-query-stream)$/

const unusedDrivers: Plugin = {
  name: 'unused-drivers',
  setup(bundle) {
    bundle.onResolve({ filter: UNUSED }, ({ path }) => ({ path, namespace: 'unused' }))
    bundle.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: `throw Object.assign(new Error('${path} is not part of appsvc'), { code: 'MODULE_NOT_FOUND' })`,
    }))
  },
}

/**
 * Files of libraries that load code by a path known only at run time: migrations from a folder, and commands written in TypeScript. The
 * program has neither, and pkg would warn of each.
 */
const neverLoaded: Plugin = {
  name: 'never-loaded',
  setup(bundle) {
    bundle.onLoad({ filter: /\/knex\/lib\/migrations\/util\/import-file\.js$/ }, () => ({
      contents: `module.exports = async (path) => { throw new Error('not part of appsvc: ' + path) }`,
    }))
    bundle.onLoad({ filter: /\/@oclif\/core\/lib\/config\/ts-path\.js$/ }, () => ({
      contents: 'exports.tsPath = async (_root, path) => path',
    }))
  },
}

/** Dialects of Knex for other databases. This program gives Knex the classes of its dialects. */
const DIALECTS = /^\.\/(cockroachdb|mssql|mysql|mariadb|mysql2|oracle|oracledb|pgnative|redshift)$/

const unusedDialects: Plugin = {
  name: 'unused-dialects',
  setup(bundle) {
    bundle.onResolve({ filter: DIALECTS }, ({ path, importer }) =>
      importer.endsWith('/knex/lib/dialects/index.js') ? { path, namespace: 'unused' } : undefined,
    )
  },
}

/** One table of media types instead of one for each version of `mime-types`, with what these read of it. */
const mediaTypes: Plugin = {
  name: 'media-types',
  setup(bundle) {
    const table = createRequire(import.meta.url).resolve('mime-db')
    bundle.onResolve({ filter: /^mime-db$/ }, () => ({ path: table }))
    bundle.onLoad({ filter: /\/mime-db\/db\.json$/ }, ({ path }) => {
      const all = JSON.parse(readFileSync(path, 'utf8')) as Record<string, { [field: string]: unknown }>
      const known = Object.entries(all).filter(([, { extensions, charset }]) => extensions ?? charset)
      const read = known.map(([type, { source, charset, extensions }]) => [type, { source, charset, extensions }])
      return { contents: JSON.stringify(Object.fromEntries(read)), loader: 'json' }
    })
  },
}

/** raw-body loads a megabyte of character set tables, which are not needed to read bytes. */
const noCharacterSets: Plugin = {
  name: 'no-character-sets',
  setup(bundle) {
    bundle.onResolve({ filter: /^iconv-lite$/ }, ({ path }) => ({ path, namespace: 'no-character-sets' }))
    bundle.onLoad({ filter: /.*/, namespace: 'no-character-sets' }, () => ({ contents: 'module.exports = {}' }))
  },
}

/** better-sqlite3 searches its addon near its own directory, which does not exist in a bundle: sqlite-addon.ts replaces that search. */
const sqliteAddon: Plugin = {
  name: 'sqlite-addon',
  setup(bundle) {
    bundle.onResolve({ filter: /^\.\/binding$/ }, ({ importer }) =>
      importer.includes('better-sqlite3') ? { path: join(root, 'packaging/sqlite-addon.ts') } : undefined,
    )
  },
}

/** Leaves the imports of late modules to the time at which they run. */
const late: Plugin = {
  name: 'late',
  setup(bundle) {
    bundle.onResolve({ filter: /.*/ }, ({ kind, path, resolveDir }) => {
      if (kind !== 'dynamic-import' && !(kind === 'import-statement' && path === LATE_OF_LATE)) return undefined
      const wanted = path.startsWith('.') ? relative(root, resolve(resolveDir, path)) : path
      const file = Object.entries(LATE).find(([, source]) => source === wanted)?.[0]
      return file === undefined ? undefined : { path: `./${file}.cjs`, external: true }
    })
  },
}

/**
 * Gives what functions of libraries declare short names, as every thread keeps the text. Names of the functions and classes that are declared
 * outside of any function stay, and so do all names of our own, for stack traces.
 */
const shortNames: Plugin = {
  name: 'short-names',
  setup(bundle) {
    bundle.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        minifyIdentifiers: true,
        legalComments: 'inline',
        target: 'node24',
      })
      return { contents: code }
    })
  },
}

/** The console and the browser client are built in advance (packaging/built-files.ts), so the program never builds them. */
const builtFiles: Plugin = {
  name: 'built-files',
  setup(bundle) {
    bundle.onResolve({ filter: /\/build\.ts$/ }, ({ path, importer }) =>
      /server\/(console|sdk)\//.test(importer) ? { path, namespace: 'built-files' } : undefined,
    )
    bundle.onLoad({ filter: /.*/, namespace: 'built-files' }, () => ({
      contents: `throw new Error('the files of the console and of the browser client are missing beside the program')`,
    }))
  },
}

/** All but short names, which come last: of the plugins that load a file, the first is the only one. */
const PLUGINS: Plugin[] = [
  unusedDrivers,
  unusedDialects,
  neverLoaded,
  noCharacterSets,
  mediaTypes,
  sqliteAddon,
  late,
  builtFiles,
]

/** Added to every file, so that it runs in every thread: removes the `__proto__` accessor, so that a `__proto__` key in JSON is just a key. */
const BANNER = [
  'const __moduleUrl = require("node:url").pathToFileURL(__filename).href;',
  'delete Object.prototype.__proto__;',
].join('\n')

const BUILD_ID = '@@@build-id@@'

/** The oldest major version of Node that runs the program. */
const WANTED_NODE = String(Number.parseInt(packageJson.engines.node.replace('>=', ''), 10))

interface BundleOptions {
  /** Plugins of a bench that changes the program. */
  more?: readonly Plugin[]
  /** Compresses the files for browsers; as small as can be when left out. */
  compress?: Compress
}

/** Builds `dist`; returns the build id, a digest of everything in it. */
export async function bundle(dist = join(root, 'dist'), { more = [], compress }: BundleOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: dist,
    outExtension: { '.js': '.cjs' },
    write: false,
    bundle: true,
    platform: 'node',
    target: `node${WANTED_NODE}`,
    format: 'cjs',
    // Late libraries are required: `import` would need a loader, which programs that are compiled in advance do not have.
    supported: { 'dynamic-import': false },
    // Every thread keeps its source text, so this saves 15 MB per thread. Names and lines are kept for stack traces.
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 200,
    legalComments: 'linked',
    logLevel: 'warning',
    plugins: [...PLUGINS, ...more, shortNames],
    define: {
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
      'import.meta.url': '__moduleUrl',
      APPSVC_VERSION: JSON.stringify(packageJson.version),
      APPSVC_BUILD: JSON.stringify(BUILD_ID),
      APPSVC_NODE: WANTED_NODE,
    },
    banner: { js: BANNER },
  })

  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  for (const { path, text } of outputFiles) writeFileSync(path, path.endsWith('.cjs') ? inAscii(text) : text)
  for (const name of PROGRAM_NAMES) compileProgram(dist, name)
  for (const thread of ['thread', 'http-thread']) {
    writeFileSync(join(dist, `${thread}.cjs`), threadEntry(`${thread}-program`))
  }
  for (const asset of ASSETS) cpSync(join(root, 'src', asset), join(dist, asset), { recursive: true })
  await writeConsole(join(dist, BUILT.console), compress)
  await writeSdk(join(dist, BUILT.sdk), compress)
  const prebuilds = join(dirname(createRequire(import.meta.url).resolve('better-sqlite3/package.json')), 'prebuilds')
  for (const addon of ['linux-x64.node', 'linux-arm64.node']) cpSync(join(prebuilds, addon), join(dist, addon))
  cpSync(join(root, 'LICENSE'), join(dist, 'LICENSE'))
  writeJson(join(dist, 'package.json'), { name: 'appsvc', version: packageJson.version, bin: { appsvc: 'appsvc.cjs' } })

  const id = digestOf(dist).slice(0, 12)
  const entry = join(dist, 'appsvc.cjs')
  writeFileSync(entry, readFileSync(entry, 'utf8').replaceAll(BUILD_ID, id))
  return id
}

/**
 * esbuild does not escape regular expressions. A single character outside Latin-1 makes V8 store the whole source with two bytes per
 * character in every thread.
 */
function inAscii(code: string): string {
  return code.replace(/[^\n\r\t\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function writeJson(file: string, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

/** SHA-256 over names and contents of all files below a folder. */
function digestOf(folder: string): string {
  const digest = createHash('sha256')
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const file = join(folder, name)
    if (statSync(file).isFile()) digest.update(`${name}\0`).update(readFileSync(file))
  }
  return digest.digest('hex')
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const begun = performance.now()
  await writeConsoleSchema()
  const id = await bundle()
  process.stdout.write(`dist/ is build ${id}, ${Math.round(performance.now() - begun)} ms\n`)
}
