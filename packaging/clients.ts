/**
 * The tarballs of `clients/`, as `npm publish` takes them: build/appsvc-server-VERSION.tgz, build/appsvc-react-native-VERSION.tgz and
 * build/appsvc-web-VERSION.tgz. A client has the version of the server. Those for servers and apps are compiled file by file, so that whoever installs one
 * can read it; that for browsers has the very files that the server hands out. `npm run package` runs this; `npm run package:clients` makes the tarballs only.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { buildSdk } from '../src/server/sdk/build.ts'
import { writeJson } from './bundle.ts'
import { writeServerSchema } from './schemas.ts'

const root = resolve(import.meta.dirname, '..')
/** The folders of `clients/` that become packages, each with the root of its sources: those that use `core` bring it along. */
const CLIENTS = { server: 'clients/server/src', 'react-native': 'clients' } as const

export type ClientName = keyof typeof CLIENTS

/** Compiles a client into a directory, with the files of its package. */
export async function buildClient(name: ClientName, directory: string): Promise<void> {
  if (name === 'server') await writeServerSchema()
  const source = join(root, 'clients', name)
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc')
  const emit = [
    '--noEmit',
    'false',
    '--declaration',
    '--sourceMap',
    '--inlineSources',
    '--rewriteRelativeImportExtensions',
  ]
  const into = ['--outDir', join(directory, 'dist'), '--rootDir', join(root, CLIENTS[name])]
  execFileSync(process.execPath, [tsc, '-p', source, ...emit, ...into], { stdio: 'inherit' })
  writeDescription(source, directory)
}

/** Types of the client for browsers: its interface, which has nothing but types in it, and the one value. */
const webTypes = (api: string) => `${api}\nexport declare const appsvc: Appsvc\n`

/** Puts the files of the client for browsers into a directory. */
export async function buildWebClient(directory: string): Promise<void> {
  const source = join(root, 'clients/web')
  const dist = join(directory, 'dist')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  for (const { name, bytes } of await buildSdk()) writeFileSync(join(dist, name), bytes)
  writeFileSync(join(dist, 'appsvc.d.ts'), webTypes(readFileSync(join(source, 'src/api.ts'), 'utf8')))
  writeDescription(source, directory)
}

/** The parts of a package besides its code. */
function writeDescription(source: string, directory: string): void {
  cpSync(join(source, 'README.md'), join(directory, 'README.md'))
  cpSync(join(root, 'LICENSE'), join(directory, 'LICENSE'))
  const description = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as object
  writeJson(join(directory, 'package.json'), { ...description, version: packageJson.version })
}

/** Makes the tarball of every client in a directory. */
export async function packClients(target: string): Promise<void> {
  for (const name of [...(Object.keys(CLIENTS) as ClientName[]), 'web'] as const) {
    const directory = join(target, 'clients', name)
    await (name === 'web' ? buildWebClient(directory) : buildClient(name, directory))
    execFileSync('npm', ['pack', '--silent', '--pack-destination', target], { cwd: directory, stdio: 'inherit' })
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await packClients(join(root, 'build'))
