import { resolve } from 'node:path'
import { isSea } from 'node:sea'
import { AppError } from '../platform/errors.ts'
import { readZoneFile, ZONE_VARIABLE, zoneFolder } from '../platform/time/zone-file.ts'

interface Start {
  /** The settings, as far as they can be read. */
  config: { 'timezones.dir': string; dataDir: string }
  environment: Readonly<Record<string, string | undefined>>
}

/**
 * Starts the process again, under the same id, when there is a file with newer time zone rules than those in this program: ICU
 * reads its folder only when a process starts (docs/decisions/0079-decided-when-it-is-sent.md). Returns when there is no such
 * file.
 */
export function useZoneRules({ config, environment }: Start): void {
  // An operator's own choice, or this process has begun anew already.
  if (environment[ZONE_VARIABLE] !== undefined) return
  const folder = zoneFolder(config)
  const found = readZoneFile(folder)
  if (found.state !== 'usable' || found.release <= (process.versions.tz ?? '')) return
  // A process that its parent watches through a channel would lose it (bin/own-node.js).
  if (process.channel || typeof process.execve !== 'function') return
  const script = isSea() ? [] : [...process.execArgv, process.argv[1]!]
  const argv = [process.execPath, ...script, ...process.argv.slice(2)]
  process.execve(process.execPath, argv, {
    ...(environment as Record<string, string>),
    [ZONE_VARIABLE]: resolve(folder),
  })
}

/** Throws `config` when ICU was given rules that it cannot read: it then knows no zone. */
export function refuseBrokenZones(environment: Start['environment']): void {
  if (environment[ZONE_VARIABLE] === undefined) return
  try {
    new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin' })
  } catch {
    throw new AppError(
      'config',
      `the time zone rules in ${environment[ZONE_VARIABLE]} (${ZONE_VARIABLE}) cannot be read: remove the files from there, or put the right ones there`,
    )
  }
}
