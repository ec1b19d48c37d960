/** The texts of the Debian package that follow from others: control file, changelog, copyright, unit. All are pure. */
import { createHash } from 'node:crypto'
import type { BillOfMaterials } from '../bill-of-materials.ts'
import type { PackageFile } from './archive.ts'

/** Debian's names of processors. */
export const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const

/** One version of CHANGELOG.md. */
export interface Release {
  version: string
  /** `YYYY-MM-DD`; undefined before its release. */
  day: string | undefined
  /** Lines of the file below the heading. */
  lines: string[]
}

/** The versions of CHANGELOG.md, newest first: headings such as `## 0.1.0 (2026-12-01)` or `## 0.2.0 (unreleased)`. */
export function releasesOf(changelog: string): Release[] {
  const releases: Release[] = []
  for (const line of changelog.split('\n')) {
    const [, version, when] = /^## (\d\S*) \((unreleased|\d{4}-\d\d-\d\d)\)$/.exec(line) ?? []
    if (version !== undefined) releases.push({ version, day: when === 'unreleased' ? undefined : when, lines: [] })
    else if (line.startsWith('## '))
      throw new Error(`CHANGELOG.md: "${line}" is not "## VERSION (YYYY-MM-DD)" or "(unreleased)"`)
    else releases.at(-1)?.lines.push(line)
  }
  return releases
}

/** The version of the package (deb-version(7)): `~` sorts before nothing, so what comes before a release gives way to it. */
export function packageVersion({ version, day }: Release): string {
  return `${version.replace('-', '~')}${day === undefined ? '~unreleased' : ''}`
}

/** The name of the file. */
export function packageName(release: Release, architecture: string): string {
  return `appsvc_${packageVersion(release)}_${architecture}.deb`
}

/** The second at which all files of the package were made: the day of the release, or the first one of this project. */
export function packageDate({ day }: Release): number {
  return Date.parse(`${day ?? '2026-01-01'}T00:00:00Z`) / 1000
}

export interface Identity {
  version: string
  architecture: string
  /** `Name <address>` of who answers for the package. */
  maintainer: string
}

/** The control file. The libraries are those that the Node inside is linked with. */
export function controlFile({ version, architecture, maintainer }: Identity, files: readonly PackageFile[]): string {
  const kilobytes = files.reduce((sum, { content }) => sum + Math.max(1, Math.ceil(content.length / 1024)), 0)
  return `Package: appsvc
Version: ${version}
Architecture: ${architecture}
Maintainer: ${maintainer}
Installed-Size: ${kilobytes}
Depends: libc6 (>= 2.28), libgcc-s1 | libgcc1, libstdc++6 (>= 5), passwd
Suggests: caddy, postgresql
Section: net
Priority: optional
Description: self-hosted backend of a mobile app
 Push notifications for iPhone, Google, Huawei and browsers, in-app messages,
 users, channels, segments, geofences, data tables and deep links, from one
 program with a console and an interface for servers.
 .
 The data is kept in SQLite in /var/lib/appsvc, or in a PostgreSQL database.
 Settings are in /etc/appsvc.yaml.
`
}

/** The md5sums of the files, by which `dpkg --verify` finds what has changed. */
export function md5sums(files: readonly PackageFile[]): string {
  const digest = (content: Buffer) => createHash('md5').update(content).digest('hex')
  return files
    .filter(({ path }) => !path.endsWith('/') && !path.startsWith('etc/'))
    .map(({ path, content }) => `${digest(content)}  ${path}\n`)
    .join('')
}

const WIDTH = 78

/** The changelog in Debian's form (deb-changelog(5)). */
export function debianChangelog(releases: readonly Release[], maintainer: string): string {
  const entries = releases.map((release) => {
    const changes = release.lines.filter((line) => line.trim() !== '').map(changeOf)
    const at = new Date(packageDate(release) * 1000).toUTCString().replace('GMT', '+0000')
    const suite = release.day === undefined ? 'UNRELEASED' : 'stable'
    return `appsvc (${packageVersion(release)}) ${suite}; urgency=medium\n\n${changes.join('\n')}\n\n -- ${maintainer}  ${at}\n`
  })
  return entries.join('\n')
}

/** One line of CHANGELOG.md as lines of a changelog of Debian: its headings are `[ … ]` there. */
function changeOf(line: string): string {
  const heading = /^#+ (.*)$/.exec(line)
  if (heading) return `  [ ${heading[1]} ]`
  const item = /^- (.*)$/.exec(line)
  return wrapped(item ? item[1]! : line, item ? '  *' : '   ')
}

function wrapped(text: string, begin: string): string {
  const lines = [begin]
  for (const word of text.split(' ')) {
    if (lines.at(-1)!.length + 1 + word.length > WIDTH && lines.at(-1) !== begin) lines.push('   ')
    lines.push(`${lines.pop()} ${word}`)
  }
  return lines.join('\n')
}

/** The unit of the package, from that for an installation by hand. */
export function packagedUnit(unit: string): string {
  const [, body] = /^(?:#.*\n)*(\[Unit\]\n[\s\S]*)$/.exec(unit) ?? []
  if (body?.match(/^ExecStart=\/usr\/local\/bin\/appsvc /m) == null) throw new Error('appsvc.service has another form')
  return body.replace('/usr/local/bin/appsvc', '/usr/bin/appsvc')
}

/** The copyright file in Debian's form (DEP 5): our licence, and what is inside under which. */
export function copyrightFile(license: string, bill: BillOfMaterials): string {
  const [, holders] = /^Copyright \(c\) (.*)$/m.exec(license)!
  const terms = license.slice(license.indexOf('Permission is')).trimEnd()
  const inside = bill.components.map(({ name, version, licenses }) => ` ${name} ${version}: ${licenseWords(licenses)}`)
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: appsvc
Comment:
 The executable contains these packages of npm, Node itself among them. Their
 licences are in full in notices.gz beside this file, and sbom.cdx.json has
 their digests.
 .
${inside.join('\n')}

Files: *
Copyright: ${holders}
License: Expat

License: Expat
${terms
  .split('\n')
  .map((line) => (line === '' ? ' .' : ` ${line}`))
  .join('\n')}
`
}

/** The licences of a component in a few words. */
function licenseWords(licenses: BillOfMaterials['components'][number]['licenses']): string {
  const words = licenses?.map((one) => one.expression ?? one.license?.id ?? one.license?.name ?? 'in notices.gz')
  return words?.join(', ') ?? 'in notices.gz'
}
