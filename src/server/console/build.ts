import { globSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'
import packageJson from '../../../package.json' with { type: 'json' }
import { ICON } from '../../present/brand/mark.ts'
import { TOKENS } from '../../present/brand/tokens.ts'

/** A file that browsers load. */
interface ConsoleFile {
  /** A name with a digest of the content, so that a name always has the same content: `main-K3JQ2Z7A.js`. */
  name: string
  bytes: Uint8Array
}

/** The console, ready to be served. */
export interface BuiltConsole {
  /** The page, which every address below `/console` gets. */
  index: string
  files: ConsoleFile[]
}

/** The path at which the files are served. */
const FILES_PATH = '/console/files'
const ROOT = join(import.meta.dirname, '../../..')
const SOURCE = 'src/console'
/** The notes of the release, of which the console shows what is new. */
const NOTES = 'CHANGELOG.md'

/**
 * `@import "tokens"` of the style sheet: the tokens that all pages of the product share; `@import "pages"`: the style sheets beside the pages, so that
 * nobody has to name them.
 */
const pageStyles: Plugin = {
  name: 'page-styles',
  setup(bundle) {
    bundle.onResolve({ filter: /^tokens$/ }, ({ path }) => ({ path, namespace: 'tokens' }))
    bundle.onLoad({ filter: /.*/, namespace: 'tokens' }, () => ({ contents: TOKENS, loader: 'css' }))
    bundle.onResolve({ filter: /^pages$/ }, ({ path }) => ({ path, namespace: 'page-styles' }))
    bundle.onLoad({ filter: /.*/, namespace: 'page-styles' }, () => {
      const contents = sources('pages/**/*.css')
        .map((name) => `@import "./${name}";`)
        .join('\n')
      return { contents, loader: 'css', resolveDir: join(ROOT, SOURCE) }
    })
  },
}

/** `import('./pages/links/new-link.tsx')` of routes.ts. */
const PAGE = /import\('(\.\/pages\/([\w-]+)\/([\w-]+)\.tsx)'\)/g

/**
 * Folders of pages that share a script, by its name: people go from one to the other, they use the same parts, and gzip finds what is alike.
 * Every other folder has a script of its own.
 */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  audience: ['channels', 'segments', 'users'],
  content: ['banners', 'links', 'pictures', 'tables'],
  server: ['account', 'audit', 'health', 'new-app', 'operating', 'people'],
  app: ['checkins', 'crashes', 'events', 'gateways', 'keys', 'restraint', 'settings', 'webhooks'],
  send: ['in-app', 'push', 'push-templates'],
  sent: ['delivery', 'series'],
}
const scriptOf = (folder: string): string =>
  Object.keys(TOGETHER).find((name) => TOGETHER[name]!.includes(folder)) ?? folder

/** The line of routes.ts for the page that shows what pages are made of. */
const GALLERY = /^.*'\.\/pages\/gallery\/gallery\.tsx'.*\n/m

/**
 * A script for the pages of each folder, and one for all that folders share. Left alone, esbuild makes a script for every page and for each
 * set of pages that have files in common: a hundred small ones, whose names and imports were a tenth of the console, and which gzip
 * compresses badly.
 */
const fewScripts = ({ withGallery }: { withGallery: boolean }): Plugin => ({
  name: 'few-scripts',
  setup(bundle) {
    const folder = join(ROOT, SOURCE)
    const module = (lines: string[]) => ({ contents: lines.join('\n'), loader: 'ts' as const, resolveDir: folder })
    bundle.onResolve({ filter: /^(?:folder:|shared$)/ }, ({ path }) => ({ path, namespace: 'few-scripts' }))
    bundle.onLoad({ filter: /^shared$/, namespace: 'few-scripts' }, () =>
      module(sources('{api,parts,shell}/*.{ts,tsx}').map((name) => `import "./${name}"`)),
    )
    bundle.onLoad({ filter: /^folder:/, namespace: 'few-scripts' }, async ({ path }) => {
      const pages = [...(await readFile(join(folder, 'routes.ts'), 'utf8')).matchAll(PAGE)]
      const own = pages.filter(([, , name]) => scriptOf(name!) === path.slice('folder:'.length))
      const names = new Map(own.map(([, file, name, page]) => [exportOf(name!, page!), file!]))
      return module([
        `import 'shared'`,
        ...[...names].map(([name, file]) => `export { default as ${name} } from '${file}'`),
      ])
    })
    bundle.onLoad({ filter: /src\/console\/routes\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8'))
        .replace(withGallery ? '' : GALLERY, '')
        .replace(
          PAGE,
          (_, __, name: string, page: string) =>
            `import('folder:${scriptOf(name)}').then((all) => ({ default: all.${exportOf(name, page)} }))`,
        ),
      loader: 'ts',
    }))
  },
})

/** The name of a page in its script: several folders may have a page of the same name. */
const exportOf = (folder: string, page: string) =>
  `${folder}-${page}`.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** `release-notes`: the lines under "New" of the newest version in CHANGELOG.md. */
const releaseNotes: Plugin = {
  name: 'release-notes',
  setup(bundle) {
    bundle.onResolve({ filter: /^release-notes$/ }, ({ path }) => ({ path, namespace: 'release-notes' }))
    bundle.onLoad({ filter: /.*/, namespace: 'release-notes' }, async () => ({
      contents: `export const NEWS = ${JSON.stringify(newsOf(await readFile(join(ROOT, NOTES), 'utf8')))}`,
    }))
  },
}

/** The lines of the first list under "New", each in one line. Pure. */
export function newsOf(changelog: string): string[] {
  const [, list = ''] = /^### New\n([^#]*)/m.exec(changelog) ?? []
  return list
    .split(/^- /m)
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
}

/** Files of the console that fit a pattern, in an order that is always the same. */
const sources = (pattern: string) =>
  globSync(pattern, { cwd: join(ROOT, SOURCE) })
    .map((name) => name.replaceAll('\\', '/'))
    .toSorted()

/**
 * Bundles `src/console`: one script and one style sheet for every page, and a script for each page alone. The same sources
 * give the same bytes. The gallery is for people who change the console: operators need none. Throws what esbuild says about a source that it cannot read. The packaged program has the result
 * with it, and not this module, because esbuild is not part of it.
 */
export async function buildConsole({ withGallery = true } = {}): Promise<BuiltConsole> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: { main: `${SOURCE}/main.tsx` },
    tsconfig: `${SOURCE}/tsconfig.json`,
    outdir: 'files',
    publicPath: FILES_PATH,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
    plugins: [pageStyles, releaseNotes, fewScripts({ withGallery })],
    define: { APPSVC_VERSION: JSON.stringify(packageJson.version) },
  })
  const files = outputFiles.map(({ path, contents }) => ({
    name: path.slice(path.lastIndexOf('/') + 1),
    bytes: contents,
  }))
  const entry = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === `${SOURCE}/main.tsx`)!
  const [script, { cssBundle, imports }] = entry
  const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  // The browser learns of these at once instead of after it has read the script.
  const early = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => nameOf(path))
  return { index: indexPage({ script: nameOf(script), style: nameOf(cssBundle!), early }), files }
}

/** The newest change of a source of the console, in milliseconds since 1970. */
export function newestChange(): number {
  const names = [...globSync([`${SOURCE}/**/*.{ts,tsx,css}`, 'src/present/brand/*.ts'], { cwd: ROOT }), NOTES]
  return Math.max(...names.map((name) => statSync(join(ROOT, name)).mtimeMs))
}

function indexPage({ script, style, early }: { script: string; style: string; early: string[] }): string {
  const preloads = early.map((name) => `<link rel="modulepreload" href="${FILES_PATH}/${name}">\n`).join('')
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>appsvc</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${FILES_PATH}/${style}">
${preloads}<script type="module" src="${FILES_PATH}/${script}"></script>
</head>
<body>
<noscript>The console needs JavaScript. Everything that it does, the command line does too: appsvc --help</noscript>
<div id="console"></div>
</body>
</html>
`
}
