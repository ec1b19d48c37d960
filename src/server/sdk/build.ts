import { globSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build, type Plugin, transform } from 'esbuild'
import { minify } from 'terser'
import packageJson from '../../../package.json' with { type: 'json' }

/** A file of the browser client. */
interface SdkFile {
  /** `appsvc.js`, `worker.js`, and the map of each. */
  name: string
  bytes: Uint8Array
}

const ROOT = join(import.meta.dirname, '../../..')

/** The style sheet of the prompts as a text of the script, shortened as scripts are. */
const styleAsText: Plugin = {
  name: 'style-as-text',
  setup(bundle) {
    bundle.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { loader: 'css', minify: true })
      return { contents: code.trim(), loader: 'text' }
    })
  },
}

/**
 * Bundles `clients/web`: the module and the worker, each one file with a source map. The same sources give the same bytes. The packaged
 * program has the result with it, and not this module, because esbuild is not part of it.
 */
export async function buildSdk(): Promise<SdkFile[]> {
  const [module, worker] = await Promise.all([
    bundleOf('clients/web/src/index.ts', 'appsvc', 'esm'),
    // A site imports it with importScripts, which knows no modules.
    bundleOf('clients/web/src/worker/worker.ts', 'worker', 'iife'),
  ])
  return [...module, ...worker]
}

async function bundleOf(entry: string, name: string, format: 'esm' | 'iife'): Promise<SdkFile[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: { [name]: entry },
    outdir: 'sdk',
    write: false,
    bundle: true,
    format,
    platform: 'browser',
    target: 'es2022',
    sourcemap: 'external',
    legalComments: 'none',
    logLevel: 'silent',
    define: { APPSVC_VERSION: JSON.stringify(packageJson.version) },
    plugins: [styleAsText],
  })
  const textOf = (ending: string) => outputFiles.find(({ path }) => path.endsWith(ending))!.text
  // 600 bytes smaller, compressed, than what esbuild makes of it (12 KB).
  const { code, map } = await minify(textOf('.js'), {
    module: format === 'esm',
    ecma: 2020,
    compress: { passes: 3, unsafe_arrows: true, pure_getters: true },
    sourceMap: { content: textOf('.map'), filename: `${name}.js`, url: `${name}.js.map`, includeSources: true },
  })
  return [
    { name: `${name}.js`, bytes: Buffer.from(`${code}\n`) },
    { name: `${name}.js.map`, bytes: Buffer.from(map as string) },
  ]
}

/** The newest change of a source of the client, in milliseconds since 1970. */
export function newestChange(): number {
  const files = globSync('clients/{core,web}/src/**/*.{ts,css}', { cwd: ROOT })
  return Math.max(...files.map((name) => statSync(join(ROOT, name)).mtimeMs))
}
