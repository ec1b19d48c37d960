/** The Debian package: what is in it, and where. `npm run package` makes it around the executable (docs/releases.md). */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import packageJson from '../../package.json' with { type: 'json' }
import { settingsManPage } from '../../src/cli/manual/settings-manual.ts'
import { commentedYaml, SETTINGS } from '../../src/config.ts'
import type { BillOfMaterials } from '../bill-of-materials.ts'
import { type PackageFile, packageArchive } from './archive.ts'
import {
  ARCHITECTURES,
  controlFile,
  copyrightFile,
  debianChangelog,
  md5sums,
  packageDate,
  packagedUnit,
  packageName,
  packageVersion,
  type Release,
  releasesOf,
} from './control.ts'
import { noticesOf } from './notices.ts'

const root = resolve(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, name), 'utf8')

/** The scripts that dpkg runs, beside this file. */
export const SCRIPTS = ['postinst', 'postrm', 'prerm'] as const

/** The settings file of the package. dpkg asks before it replaces one that somebody has changed. */
export function packagedSettings(): string {
  const head = [
    'Then: sudo -u appsvc appsvc config check && systemctl restart appsvc',
    'The service can write in /var/lib/appsvc only: systemctl edit appsvc opens other directories to it (ReadWritePaths=).',
  ]
  return commentedYaml(head, { dataDir: '/var/lib/appsvc' })
}

/** The texts that the executable prints about itself. */
interface Texts {
  manPage: string
  completions: Readonly<Record<'bash' | 'zsh' | 'fish', string>>
}

/** Asks a bundle for its texts: the executable for another processor cannot run here. The man page has the day of the package. */
function textsOf(bundle: string, date: number): Texts {
  const say = (...words: string[]) => execFileSync(process.execPath, [bundle, ...words], { encoding: 'utf8', env: {} })
  return {
    manPage: say('man').replace(/^(\.TH \S+ \d) "[^"]*"/, `$1 "${dayOf(date)}"`),
    completions: { bash: say('completion', 'bash'), zsh: say('completion', 'zsh'), fish: say('completion', 'fish') },
  }
}

/** The files of the package, as they lie on the disk. */
export function packageFiles(parts: {
  executable: Buffer
  bill: string
  texts: Texts
  releases: Release[]
}): PackageFile[] {
  const { executable, bill, texts, releases } = parts
  const date = packageDate(releases[0]!)
  const text = (path: string, content: string, mode = 0o644): PackageFile => ({
    path,
    mode,
    content: Buffer.from(content),
  })
  const zipped = (path: string, content: string): PackageFile => ({
    path: `${path}.gz`,
    mode: 0o644,
    content: gzipSync(content, { level: 9 }),
  })
  const materials = JSON.parse(bill) as BillOfMaterials
  return [
    { path: 'usr/bin/appsvc', mode: 0o755, content: executable },
    text('etc/appsvc.yaml', packagedSettings(), 0o640),
    text('usr/lib/systemd/system/appsvc.service', packagedUnit(read('packaging/appsvc.service'))),
    text('usr/share/bash-completion/completions/appsvc', texts.completions.bash),
    text('usr/share/zsh/vendor-completions/_appsvc', texts.completions.zsh),
    text('usr/share/fish/vendor_completions.d/appsvc.fish', texts.completions.fish),
    zipped('usr/share/man/man1/appsvc.1', texts.manPage),
    zipped('usr/share/man/man5/appsvc.yaml.5', settingsManPage(SETTINGS, packageJson.version, dayOf(date))),
    text('usr/share/doc/appsvc/copyright', copyrightFile(read('LICENSE'), materials)),
    zipped('usr/share/doc/appsvc/changelog', debianChangelog(releases, packageJson.author)),
    zipped('usr/share/doc/appsvc/notices', noticesOf(materials, join(root, 'node_modules'))),
    text('usr/share/doc/appsvc/sbom.cdx.json', bill),
    text('usr/share/lintian/overrides/appsvc', read('packaging/debian/lintian-overrides')),
  ]
}

/** The files in which dpkg reads about a package of these files. */
export function controlFiles(
  files: readonly PackageFile[],
  identity: Parameters<typeof controlFile>[0],
): PackageFile[] {
  const text = (path: string, content: string, mode = 0o644): PackageFile => ({
    path,
    mode,
    content: Buffer.from(content),
  })
  return [
    text('control', controlFile(identity, files)),
    text('conffiles', '/etc/appsvc.yaml\n'),
    text('md5sums', md5sums(files)),
    ...SCRIPTS.map((name) => text(name, read(`packaging/debian/${name}`), 0o755)),
  ]
}

/** The version of this tree: the first of CHANGELOG.md, which package.json must name, too. */
export function currentRelease(): Release {
  const [release] = releasesOf(read('CHANGELOG.md'))
  if (release?.version === packageJson.version) return release
  throw new Error(`CHANGELOG.md begins with ${release?.version}, and package.json says ${packageJson.version}`)
}

/** Writes the package of an executable into a directory. Returns its name: appsvc_0.1.0_amd64.deb. */
export function writeDebianPackage(given: {
  executable: string
  arch: keyof typeof ARCHITECTURES
  bundle: string
  target: string
}): string {
  const release = currentRelease()
  const date = packageDate(release)
  const files = packageFiles({
    executable: readFileSync(given.executable),
    bill: readFileSync(`${given.executable}.cdx.json`, 'utf8'),
    texts: textsOf(given.bundle, date),
    releases: releasesOf(read('CHANGELOG.md')),
  })
  const identity = {
    version: packageVersion(release),
    architecture: ARCHITECTURES[given.arch],
    maintainer: packageJson.author,
  }
  const name = packageName(release, identity.architecture)
  writeFileSync(join(given.target, name), packageArchive(controlFiles(files, identity), files, date))
  return name
}

/** A second (Unix time) as `YYYY-MM-DD`. */
function dayOf(date: number): string {
  return new Date(date * 1000).toISOString().slice(0, 10)
}
