import { access } from 'node:fs/promises'
import { uploadPath } from '../../domain/channels/files/disk.ts'
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
    const placeOf = async ({ appId: app, id }: (typeof files)[number]): Promise<FilePlace> => {
      if (await program.ingestion.slices.has(app, id)) return 'database'
      return (await isThere(config.dataDir, id)) ? 'disk' : 'elsewhere'
    }
    const places = new Map(await Promise.all(waiting.map(async (one) => [one, await placeOf(one)] as const)))
    for (const [place, some] of Map.groupBy(waiting, (one) => places.get(one)!)) {
      const names = listed(some.map(({ id, appId: app }) => `${id} (app ${app})`))
      const since = instant(Math.min(...some.map(({ updatedAt }) => updatedAt)))
      const { where, remedy } = PLACES[place]
      findings.push(warning(`files of subscribers wait since ${since} UTC, and are in ${where}: ${names}`, remedy))
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

/** The place of a file that waits, and what to do there. */
type FilePlace = keyof typeof PLACES

const PLACES = {
  database: { where: 'the database', remedy: 'start appsvc serve, or appsvc worker, on any machine' },
  disk: {
    where: 'this data directory',
    remedy: 'start appsvc serve, or appsvc worker, with this data directory',
  },
  elsewhere: {
    where: 'the data directory of another node',
    remedy:
      'an older version took them: run workers on that node (appsvc serve, or appsvc worker); a file that nobody has fails an hour after its last step: upload it again',
  },
} as const

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
