import { access } from 'node:fs/promises'
import { uploadPath } from '../../domain/channels/subscribers-file.ts'
import { type Check, type Finding, ok, warning } from './types.ts'

/** Imports that are looked at, and that are named. */
const MOST_READ = 1000
const MOST_NAMED = 5
/** A file of subscribers that makes no progress for so long waits for something. */
const FILE_PATIENCE_MS = 120_000
/** An import of another service stores a batch every few seconds. */
const IMPORT_PATIENCE_MS = 600_000
const instant = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ')

/** Files of subscribers that nobody applies, and imports of other services that were interrupted. */
export const importsCheck: Check = {
  name: 'imports',
  group: 'database',
  needs: 'program',
  async run({ storage: { program }, clock, config, appId }) {
    const findings: Finding[] = []
    const now = clock.now()
    const isOurs = (one: { appId: number }) => appId === undefined || one.appId === appId
    const files = (await program.ingestion.imports.open(MOST_READ)).filter(isOurs)
    const waiting = files.filter(({ updatedAt }) => now - updatedAt > FILE_PATIENCE_MS)
    const here = new Map(
      await Promise.all(waiting.map(async ({ id }) => [id, await isThere(config.dataDir, id)] as const)),
    )
    for (const [isHere, some] of Map.groupBy(waiting, ({ id }) => here.get(id)!)) {
      const names = listed(some.map(({ id, appId: app }) => `${id} (app ${app})`))
      const since = instant(Math.min(...some.map(({ updatedAt }) => updatedAt)))
      findings.push(
        isHere
          ? warning(
              `files of subscribers wait since ${since} UTC, and are in this data directory: ${names}`,
              'start appsvc serve, or appsvc worker, with this data directory',
            )
          : warning(
              `files of subscribers wait since ${since} UTC, and are in the data directory of another node: ${names}`,
              'run workers on the node that took them (appsvc serve, or appsvc worker), or mount one uploads/ on all; a file that nobody has fails an hour after its last step: upload it again',
            ),
      )
    }
    const interrupted = (await program.imports.unfinished(MOST_READ)).filter(
      (one) => isOurs(one) && now - one.updatedAt > IMPORT_PATIENCE_MS,
    )
    for (const one of interrupted.slice(0, MOST_NAMED)) {
      findings.push(
        warning(
          `the import ${one.id} of ${one.source} into app ${one.appId} stopped after ${one.place} rows at ${instant(one.updatedAt)} UTC`,
          `the same command with --resume continues it; appsvc import delete --app ${one.appId} ${one.id} forgets it`,
        ),
      )
    }
    return findings.length > 0 ? findings : [ok('no import waits')]
  },
}

async function isThere(dataDir: string, id: string): Promise<boolean> {
  return access(uploadPath(dataDir, id)).then(
    () => true,
    () => false,
  )
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return `${names.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
