import { chmodSync, existsSync, readdirSync, rmSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { masterKeyFile } from '../../open.ts'
import type { Config } from '../../platform/config/settings.ts'
import { ageOfFile, type Clock } from '../../platform/time/clock.ts'
import { type Check, error, type Finding, info, ok, warning } from './types.ts'

/**
 * Our files that only their owner may read: the database with its side files, one that is being restored, the keys, the mark, the
 * lock, the erasure list, the files about the last backup and the time.
 */
const PRIVATE =
  /^(appsvc\.sqlite(\.restoring)?(-wal|-shm|-journal)?|appsvc\.mark|appsvc\.clock|master\.key|server\.lock|erasures\.list|backup\.json|\.backup-[0-9a-f]{12}\.begun)$/
/** Drafts of a restore: left over once there is a database; before that the check of the database tells of them. */
const RESTORING = /^appsvc\.sqlite\.restoring(-wal|-shm|-journal)?$/
/** Drafts that a kill has left: of the key (vault.ts, durable-file.ts), the mark (mark-file.ts), backup.json, the time and of this check (disk.ts). */
const LEFTOVER =
  /^(master\.key(\.next)?\.\d+\.[0-9a-f]{8}|appsvc\.mark\.new|doctor\.\d+\.tmp|\.(backup\.json|master\.key|appsvc\.clock)\.[0-9a-f]{12})$/
/** A draft that is younger may be in use. */
const YOUNG_MS = 60_000

/** Owner and modes of the data directory and its files. */
export const dataDirectoryCheck: Check = {
  name: 'data-directory',
  group: 'machine',
  needs: 'settings',
  async run({ config, clock }) {
    const dir = config.dataDir
    const at = resolve(dir)
    if (!existsSync(dir)) {
      return [info(`there is no data directory ${at} yet: appsvc serve makes it`)]
    }
    const findings: Finding[] = []
    const { uid } = statSync(dir)
    const me = process.getuid?.() ?? uid
    if (uid !== me) {
      findings.push(
        error(`${at} belongs to the user with id ${uid}, and you are ${me}`, `sudo -u '#${uid}' appsvc doctor`),
      )
    }
    const strangers = ours(config).filter(({ stats }) => stats.uid !== uid)
    if (strangers.length > 0) {
      const names = strangers.map(({ path }) => path).join(' ')
      findings.push(error(`another user owns ${names}, so the server cannot write it`, `chown ${uid} ${names}`))
    }
    for (const { path, mode } of readable(config)) {
      findings.push(
        warning(`other users may read ${path}`, `chmod ${mode.toString(8)} ${path}, or appsvc doctor --fix`),
      )
    }
    for (const path of leftovers(config, clock)) {
      findings.push(warning(`${path} was left behind by a process that was killed`, 'appsvc doctor --fix'))
    }
    return findings.length > 0 ? findings : [ok(`${at} and its files belong to their owner alone`)]
  },
  fix: {
    async repair({ config, clock }) {
      if (!existsSync(config.dataDir)) return []
      const did: string[] = []
      for (const { path, mode } of readable(config)) {
        chmodSync(path, mode)
        did.push(`took the access of other users away from ${path} (mode ${mode.toString(8)})`)
      }
      for (const path of leftovers(config, clock)) {
        rmSync(path, { force: true })
        did.push(`removed ${path}`)
      }
      return did
    },
  },
}

interface OurFile {
  path: string
  stats: Stats
}

/** The files of ours that exist. */
function ours(config: Config): OurFile[] {
  const { dataDir } = config
  const paths = readdirSync(dataDir).flatMap((name) => (PRIVATE.test(name) ? [resolve(join(dataDir, name))] : []))
  const key = resolve(masterKeyFile(config))
  for (const name of existsSync(dirname(key)) ? readdirSync(dirname(key)) : []) {
    const path = join(dirname(key), name)
    if (isKeyOf(basename(key), name) && !paths.includes(path)) paths.push(path)
  }
  const snapshots = resolve(join(dataDir, 'backups'))
  if (existsSync(snapshots)) {
    paths.push(...readdirSync(snapshots).map((name) => join(snapshots, name)))
  }
  return paths.map((path) => ({ path, stats: statSync(path) })).filter(({ stats }) => stats.isFile())
}

/** Tells whether a file is the master key, the next one of a rotation, or one of before (key-file.ts). */
const isKeyOf = (key: string, name: string) =>
  name === key || (name.startsWith(`${key}.`) && /^(next|former-\d+)$/.test(name.slice(key.length + 1)))

/** Files that others may read although they are private, and the mode that each should have. */
function readable(config: Config): { path: string; mode: number }[] {
  const dir = resolve(config.dataDir)
  const wanted = [
    { path: dir, stats: statSync(dir), mode: 0o700 },
    ...snapshotDirectory(dir),
    ...ours(config).map((one) => ({ ...one, mode: 0o600 })),
  ]
  return wanted.filter(({ stats }) => (stats.mode & 0o077) !== 0).map(({ path, mode }) => ({ path, mode }))
}

function snapshotDirectory(dir: string) {
  const path = join(dir, 'backups')
  return existsSync(path) ? [{ path, stats: statSync(path), mode: 0o700 }] : []
}

function leftovers({ dataDir }: Config, clock: Clock): string[] {
  const names = readdirSync(dataDir)
  const isRestored = names.includes('appsvc.sqlite')
  return names
    .filter((name) => LEFTOVER.test(name) || (isRestored && RESTORING.test(name)))
    .map((name) => resolve(join(dataDir, name)))
    .filter((path) => {
      const found = statSync(path, { throwIfNoEntry: false })
      return found !== undefined && ageOfFile(clock, found.mtimeMs) > YOUNG_MS
    })
}
