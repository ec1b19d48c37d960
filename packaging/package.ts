/**
 * `npm run package [-- --arch arm64]`: packages the bundle as build/appsvc-linux-x64, a single file without dependencies.
 * pkg builds it in SEA mode around the Node binary that npm installed, without downloads. Beside it: its Debian package,
 * and the tarballs of the clients.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import fsPromises from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { SEMI_SPACE_MB } from '../src/platform/threads/heaps.ts'
import { BILL, billOfMaterials } from './bill-of-materials.ts'
import { ASSETS, BUILT, bundle, PROGRAM_NAMES, writeJson } from './bundle.ts'
import { packClients } from './clients.ts'
import { ARCHITECTURES, packageName } from './debian/control.ts'
import { currentRelease, writeDebianPackage } from './debian/package.ts'
import { compiledName, PLACES, textName } from './programs/names.ts'

const root = resolve(import.meta.dirname, '..')
const { values } = parseArgs({ options: { arch: { type: 'string', default: process.arch } } })
if (values.arch !== 'x64' && values.arch !== 'arm64') throw new Error(`--arch must be x64 or arm64, not ${values.arch}`)

/** Room for the places of large files in the executable. */
const NOT_YET = 'places of large files'.padEnd(1024, '.')

const begun = performance.now()
const dist = join(root, 'build/dist')
const id = await bundle(dist)
const bill = `${JSON.stringify(billOfMaterials(values.arch), null, 2)}\n`
writeFileSync(join(dist, BILL), bill)
const output = join(root, `build/appsvc-linux-${values.arch}`)
process.env.HOME = seedCache(values.arch)
hardenSea()
writePkgConfig()
rmSync(output, { force: true })
// After HOME is set, because pkg searches its cache there.
const { exec } = await import('@yao-pkg/pkg')
const warnings = warningsOf(process.stdout)
await exec([dist, '--sea', '-t', `node${process.versions.node}-linux-${values.arch}`, '-o', output])
if (warnings.length > 0) throw new Error(`pkg warns, so something is missing in the executable:\n${warnings.join('')}`)
writePlaces()
// An executable for another processor cannot run here.
if (values.arch === process.arch) writeManPage()
writeFileSync(`${output}.cdx.json`, bill)
writeDebianPackage({
  executable: output,
  arch: values.arch,
  bundle: join(dist, 'appsvc.cjs'),
  target: join(root, 'build'),
})
await packClients(join(root, 'build'))
writeChecksums()
const megabytes = Math.round(statSync(output).size / 1e6)
process.stdout.write(`${output} is build ${id}, ${megabytes} MB, ${Math.round((performance.now() - begun) / 1000)} s\n`)

/** build/SHA256SUMS, for `sha256sum --check`: every executable that is there, its bill of materials, Debian packages, and the tarballs of clients. */
function writeChecksums(): void {
  const debian = Object.values(ARCHITECTURES).map((architecture) => packageName(currentRelease(), architecture))
  const names = readdirSync(join(root, 'build')).filter(
    (name) =>
      /^appsvc-linux-(?:x64|arm64)(?:\.cdx\.json)?$/.test(name) ||
      name.endsWith(`-${packageJson.version}.tgz`) ||
      debian.includes(name),
  )
  const lines = names.sort().map((name) => `${digestOf(join(root, 'build', name))}  ${name}\n`)
  writeFileSync(join(root, 'build/SHA256SUMS'), lines.join(''))
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

/** The lines with a warning that are written to a stream from now on. */
function warningsOf(stream: NodeJS.WriteStream): string[] {
  const found: string[] = []
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean
  stream.write = (piece: unknown, ...rest: unknown[]) => {
    if (/\bwarning\b/i.test(String(piece))) found.push(String(piece))
    return write(piece, ...rest)
  }
  return found
}

/** build/appsvc.1, for packagers; `appsvc man` prints the same. */
function writeManPage(): void {
  const page = execFileSync(output, ['man'], { encoding: 'utf8' })
  writeFileSync(join(root, 'build/appsvc.1'), page)
}

/**
 * pkg downloads Node from nodejs.org unless its cache contains the binary with the marker of a complete download. This puts the binary of
 * the npm package there, whose digest is in package-lock.json. Returns the home directory to use.
 */
function seedCache(arch: string): string {
  const node = arch === process.arch ? process.execPath : installedNode(arch)
  const home = join(root, 'build/.pkg')
  const cache = join(home, '.pkg-cache/sea')
  const name = `node-${process.version}-linux-${arch}`
  const seeded = join(cache, name, 'bin/node')
  rmSync(home, { recursive: true, force: true })
  mkdirSync(join(cache, name, 'bin'), { recursive: true })
  symlinkSync(node, seeded)
  for (const mark of [`${seeded}.ok`, join(cache, `${name}.tar.gz`), join(cache, `${name}.tar.gz.ok`)])
    writeFileSync(mark, '')
  return home
}

function installedNode(arch: string): string {
  try {
    return createRequire(import.meta.url).resolve(`node-linux-${arch}/bin/node`)
  } catch {
    throw new Error(
      `node-linux-${arch} is not installed: npm installs that of its own processor only; the Dockerfile shows how to get another`,
    )
  }
}

/**
 * Node options that pkg has no switch for, added where pkg writes the configuration of the executable:
 * the environment (NODE_OPTIONS) cannot make it run foreign code, `__proto__` is gone in every thread, and SIGUSR1 does not open
 * a debugger port that every local user could use.
 */
function hardenSea(): void {
  const write = fsPromises.writeFile
  fsPromises.writeFile = (async (file: string, data: string, ...rest: []) => {
    if (basename(file) !== 'sea-config.json') return write(file, data, ...rest)
    const config = JSON.parse(data) as { main: string; assets: Record<string, string> }
    // pkg reads the home directory at startup, which fails for a user without one. It is needed only to extract addons, which this does not do.
    const guard = `process.env.PKG_NATIVE_CACHE_PATH ??= '/nonexistent'\n`
    await write(config.main, guard + readFileSync(config.main, 'utf8'))
    const options = {
      assets: { ...config.assets, ...ownAssets() },
      // The path becomes part of the executable: without its temporary folder the same sources give the same bytes.
      main: basename(config.main),
      // By default V8 lets garbage grow to tens of megabytes before it collects (docs/decisions/0005-what-was-measured.md).
      execArgv: ['--disable-proto=delete', '--disable-sigusr1', `--max-semi-space-size=${SEMI_SPACE_MB.main}`],
      execArgvExtension: 'none',
    }
    return write(file, JSON.stringify({ ...config, ...options }))
  }) as typeof write
}

/** Large files that the executable reads from itself (programs/contents.ts), and where they are in it; pkg would copy them. */
function ownAssets(): Record<string, string> {
  writeFileSync(join(dist, PLACES), NOT_YET)
  return Object.fromEntries([...largeFiles(), PLACES].map((name) => [name, join(dist, name)]))
}

/** Names of these files. What is compiled in advance is for this processor: another one compiles for itself. */
function largeFiles(): string[] {
  const names = [`linux-${values.arch}.node`, ...PROGRAM_NAMES.map(textName)]
  return values.arch === process.arch ? [...names, ...PROGRAM_NAMES.map(compiledName)] : names
}

/** Writes the places of large files into the executable, over what has kept room for them. */
function writePlaces(): void {
  const executable = readFileSync(output)
  const place = (bytes: Buffer | string) => {
    const at = executable.indexOf(bytes)
    if (at < 0) throw new Error('a large file is not in the executable as it is')
    return { at, size: bytes.length }
  }
  const places = Object.fromEntries(largeFiles().map((name) => [name, place(readFileSync(join(dist, name)))]))
  executable.write(JSON.stringify(places).padEnd(NOT_YET.length), place(NOT_YET).at)
  writeFileSync(output, executable)
}

/** Files of dist to include in addition to those that the entry requires. */
function writePkgConfig(): void {
  const assets = [BILL, ...[...ASSETS, ...Object.values(BUILT)].map((folder) => `${folder}/**/*`)]
  // pkg mistakes a word in the bundle for a package to include; the bundle is already complete.
  const scripts = ['*.cjs', ...PROGRAM_NAMES.map((name) => `!${textName(name)}`)]
  const pkg = { scripts, assets, ignore: ['**/node_modules/**'] }
  writeJson(join(dist, 'package.json'), { name: 'appsvc', bin: { appsvc: 'appsvc.cjs' }, pkg })
}
