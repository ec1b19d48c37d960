/**
 * `npm run release -- --key FILE`: makes everything that a release consists of, for both processors, in build/release, with checksums and their
 * signature by an SSH key. It publishes nothing; docs/releases.md says what comes before and after.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { ARCHITECTURES } from './debian/control.ts'
import { currentRelease } from './debian/package.ts'

const root = resolve(import.meta.dirname, '..')
const target = join(root, 'build/release')
/** The purpose of the signature: the same key signs nothing else under this name (ssh-keygen(1), -n). */
const NAMESPACE = 'appsvc-release'

function run(command: string, args: string[], input?: string): string {
  return execFileSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
    ...(input && { input }),
  })
}

/** Refuses a tree that is not the release which it says. */
function checkTree(): void {
  const { version, day } = currentRelease()
  if (day === undefined)
    throw new Error(`CHANGELOG.md calls ${version} unreleased: write its day, YYYY-MM-DD, into the heading`)
  const changed = run('git', ['status', '--porcelain'])
  if (changed !== '') throw new Error(`what is not committed would be released:\n${changed}`)
  const tags = run('git', ['tag', '--points-at', 'HEAD']).split('\n')
  if (!tags.includes(`v${version}`)) throw new Error(`this commit has no tag v${version}`)
}

/** Installs the Node that goes into the executable for another processor: npm installs that of its own only. */
function installNode(arch: string): void {
  const name = `node-linux-${arch}`
  if (existsSync(join(root, 'node_modules', name))) return
  const beside = join(root, 'build/.other')
  rmSync(beside, { recursive: true, force: true })
  mkdirSync(beside, { recursive: true })
  for (const file of ['package.json', 'package-lock.json', '.npmrc']) cpSync(join(root, file), join(beside, file))
  run('npm', ['ci', '--prefix', beside, '--omit=dev', '--os=linux', `--cpu=${arch}`, '--no-audit', '--no-fund'])
  renameSync(join(beside, 'node_modules', name), join(root, 'node_modules', name))
  rmSync(beside, { recursive: true, force: true })
}

/** Copies the files that SHA256SUMS names, and that list. */
function gather(): string[] {
  const names = readFileSync(join(root, 'build/SHA256SUMS'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  ')[1]!)
  rmSync(target, { recursive: true, force: true })
  mkdirSync(target, { recursive: true })
  for (const name of ['SHA256SUMS', ...names]) cpSync(join(root, 'build', name), join(target, name))
  return names
}

const SIGNERS = join(root, 'packaging/signers')

/** Refuses a key by which nobody could verify the release. */
function checkKey(key: string): void {
  const publicKey = run('ssh-keygen', ['-y', '-f', key]).trim()
  const [type, body] = publicKey.split(' ')
  if (readFileSync(SIGNERS, 'utf8').includes(`releases@appsvc ${type} ${body}`)) return
  throw new Error(
    `packaging/signers does not name this key: add "releases@appsvc ${publicKey}" and release that commit`,
  )
}

/** Signs the checksums, and verifies the signature as whoever gets the files will. */
function sign(key: string): void {
  const sums = join(target, 'SHA256SUMS')
  run('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', NAMESPACE, sums])
  const how = ['-f', SIGNERS, '-I', 'releases@appsvc', '-n', NAMESPACE, '-s', `${sums}.sig`]
  run('ssh-keygen', ['-Y', 'verify', ...how], readFileSync(sums, 'utf8'))
}

const { values } = parseArgs({ options: { key: { type: 'string' } } })
if (values.key === undefined) throw new Error('--key FILE names the SSH key that signs the release')
const key = resolve(values.key)
checkTree()
checkKey(key)
rmSync(join(root, 'build'), { recursive: true, force: true })
for (const arch of Object.keys(ARCHITECTURES)) {
  installNode(arch)
  execFileSync('npm', ['run', '--silent', 'package', '--', '--arch', arch], { cwd: root, stdio: 'inherit' })
}
const names = gather()
sign(key)
process.stdout.write(`${target} has release ${packageJson.version}:\n${names.map((name) => `  ${name}\n`).join('')}`)
