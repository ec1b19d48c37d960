import type { Block } from '../../domain/gateways/gateway.ts'
import { findGateway } from '../../domain/gateways/registry.ts'
import type { CheckedBlocks } from '../../domain/gateways/service.ts'
import type { ConsentCounts } from '../../domain/imports/consent-tally.ts'
import type { Reading } from '../../domain/imports/read/export.ts'
import type { Survey } from '../../domain/imports/survey.ts'
import type { ImportProgress, Source } from '../../domain/imports/types.ts'
import { AppError, invalid } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { meterOf } from '../input/source.ts'
import type { Output } from '../output/output.ts'
import { startProgress } from '../output/progress.ts'
import { catchInterruption, type Interrupted } from '../process/interruption.ts'
import type { Io } from '../process/io.ts'
import { openRefusedFile, type RefusedFile } from './refused-file.ts'

/** The steps of `appsvc import`, in the order in which command.ts takes them. */

/** Values of the flags; those that a source does not have are absent. */
export interface Given {
  'dry-run'?: boolean | undefined
  yes?: boolean | undefined
  resume?: boolean | undefined
  errors?: string | undefined
  'create-channels'?: boolean | undefined
  sandbox?: boolean | undefined
  'suppress-opted-out'?: boolean | undefined
  'include-erased'?: boolean | undefined
  keep?: boolean | undefined
  'assume-subscribed'?: boolean | undefined
  'tag-channel'?: string[] | undefined
  numbers?: boolean | undefined
  'vapid-file'?: string | undefined
  map?: string[] | undefined
  links?: boolean | undefined
  fallback?: string | undefined
}

/** One run of the command. */
export interface Move {
  program: Program
  appId: number
  out: Output
  io: Io
  onEnd(release: () => Promise<void> | void): void
  given: Given
  reading: Omit<Reading, 'from'>
}

export const HOW_TO_RESUME = 'run the same command with --resume to continue'

/** New channels of one import. More are a sign that the tags are not channels. */
const MAX_NEW_CHANNELS = 1000

/** The web gateway with the keys of `--vapid-file`, checked. Its other settings stay. */
export async function checkedBlocks(
  program: Program,
  appId: number,
  block: Block | undefined,
): Promise<CheckedBlocks | undefined> {
  if (!block) return undefined
  const { checkBlocks } = await import('../../domain/gateways/service.ts')
  const stored = await program.gateways.find(appId, 'web')
  const kept = (findGateway('web').commandLine.keptFacts ?? []).flatMap((name) =>
    stored?.facts[name] === undefined ? [] : [[name, stored.facts[name]]],
  )
  return checkBlocks({ web: { ...Object.fromEntries(kept), ...block } }, program.kernel.clock.now())
}

/**
 * Reads the files to their end, so that a file that cannot be read is reported before anything is written. `withConsent`: it also
 * asks the database for the consent of the devices.
 */
export async function surveyFiles({ program, appId, given, reading, io }: Move, withConsent = false): Promise<Survey> {
  const [{ surveyExport }, { createConsentTally }] = await Promise.all([
    import('../../domain/imports/survey.ts'),
    import('../../domain/imports/consent-tally.ts'),
  ])
  const meter = await meterOf(
    io,
    reading.files.map(({ name }) => name),
  )
  const files = reading.files.map(({ name, open }) => ({ name, open: async () => meter.counted(await open()) }))
  const progress = await startProgress(io, 'row')
  try {
    const survey = await surveyExport(
      { ...reading, files },
      {
        onRows: (rows) => progress.update(rows, undefined, meter.part()),
        tally: withConsent
          ? createConsentTally({
              standing: (installIds, tokens) => program.imports.standing(appId, installIds, tokens),
              foresees: true,
              keeps: given.keep ?? false,
              assumes: given['assume-subscribed'] ?? false,
            })
          : undefined,
        ...(!given['include-erased'] && { withoutErased: (rows) => program.imports.withoutErased(appId, rows) }),
      },
    )
    if (survey.rows === 0) throw invalid({ file: ['has no rows'] })
    return survey
  } finally {
    progress.stop()
  }
}

/**
 * Throws `invalid` when no device of an export says whether the person opted out, although the service has a column for it
 * (OneSignal leaves it out unless it is asked for): importing such a file would make a consent of every opt-out.
 */
export function refuseUnsaid({ unsaid, isSaid }: Survey, { consent }: Source): void {
  if (!consent || unsaid === 0 || isSaid) return
  throw invalid({
    [consent.column]: [
      `is not in the export, so nobody knows who opted out: ${consent.remedy}, or say --assume-subscribed`,
    ],
  })
}

/** Counts the consent of the devices of the rows that are done, as they are here now. */
export async function consentAfter(
  { program, appId, given, reading }: Move,
  { place, counts }: ImportProgress,
): Promise<ConsentCounts> {
  const { tallyExport } = await import('../../domain/imports/consent-tally.ts')
  const after = await tallyExport(reading, place, {
    standing: (installIds, tokens) => program.imports.standing(appId, installIds, tokens),
    assumes: given['assume-subscribed'] ?? false,
    ...(!given['include-erased'] && { withoutErased: (rows) => program.imports.withoutErased(appId, rows) }),
  })
  // An import that an earlier version began has not counted it.
  return { ...after, optedOutByThisImport: counts.optedOut ?? 0 }
}

/** Ids of the channels of the export that the app has, by UUID. */
export async function knownChannels({ program, appId }: Move, { channels }: Survey): Promise<Map<string, number>> {
  if (channels.length === 0) return new Map()
  const found = await program.channels.findByUuids(
    appId,
    channels.map(({ name }) => name),
  )
  return new Map(found.channels.map(({ uuid, id }) => [uuid, id]))
}

/**
 * Creates, for `--create-channels`, the channels that the app does not have, without names: devices do not see them. Adds them to
 * `known`.
 */
export async function createChannels(
  { program, appId, given }: Move,
  survey: Survey,
  known: Map<string, number>,
): Promise<void> {
  const missing = survey.channels.filter(({ name }) => !known.has(name))
  if (!given['create-channels'] || missing.length === 0) return
  if (missing.length > MAX_NEW_CHANNELS) {
    throw new AppError(
      'usage',
      `the export names ${missing.length} new channels, and --create-channels creates at most ${MAX_NEW_CHANNELS}: create those that you need with appsvc channels create, and leave the flag out`,
    )
  }
  await program.inTransaction(async (tx) => {
    for (const { name } of missing) known.set(name, (await tx.channels.create(appId, { uuid: name })).id)
  })
}

/**
 * The import that `--resume` continues, or a new one. The same files with other flags are another import. Throws
 * `not_found` when there is none to continue.
 */
export async function beginImport(
  { program, appId, out, given, reading }: Move,
  survey: Survey,
): Promise<ImportProgress> {
  const [{ createHash }, { noCounts }] = await Promise.all([
    import('node:crypto'),
    import('../../domain/imports/types.ts'),
  ])
  const { source, options } = reading
  const flags = [
    [...options.map],
    options.tagChannels,
    options.numbers,
    options.sandbox,
    given['suppress-opted-out'] ?? false,
    ...(given['include-erased'] ? ['include erased'] : []),
    ...(given.keep ? ['keep'] : []),
    ...(given['assume-subscribed'] ? ['assume subscribed'] : []),
  ]
  const digest = createHash('sha256').update(survey.digest).update(JSON.stringify(flags)).digest('hex')
  const found = await program.imports.find(appId, source.name, digest)
  if (given.resume) {
    if (found) return found
    throw new AppError(
      'not_found',
      'there is no interrupted import of these files with these flags: leave --resume out to import them',
    )
  }
  if (found) {
    out.note(
      `An import of these files was interrupted after ${found.place} rows. This one begins at the first row, and nothing is stored twice; --resume would have continued it.`,
    )
  }
  return program.inTransaction((tx) => tx.imports.begin(appId, source.name, digest, noCounts()))
}

/** Applies the files. `interrupted`: by the signal that stopped it, if one did. */
export async function applyImport(
  move: Move,
  { begun, survey, channels }: { begun: ImportProgress; survey: Survey; channels: ReadonlyMap<string, number> },
): Promise<{ progress: ImportProgress; interrupted: Interrupted | undefined }> {
  const { program, out, io, onEnd, given, reading } = move
  const [{ runImport }, { isServed }] = await Promise.all([
    import('../../domain/imports/run.ts'),
    import('../../doctor/state/served.ts'),
  ])
  // Undefined on PostgreSQL, where writers do not wait for each other.
  const served = await isServed(program)
  const refused = given.errors === undefined ? undefined : await openRefusedFile(io, given.errors, begun.errorsSize)
  if (refused) onEnd(() => refused.close())
  const interruption = catchInterruption(io)
  onEnd(() => interruption.end())
  const progress = await startProgress(io, 'row')
  let { place } = begun
  try {
    const done = await runImport(begun, {
      reading,
      storing: {
        channels,
        suppressOptedOut: given['suppress-opted-out'] ?? false,
        includeErased: given['include-erased'] ?? false,
        keepBefore: given.keep ? begun.createdAt : undefined,
      },
      inTransaction: (work) => program.inTransaction((tx) => work(tx.imports)),
      refuse: (rows, position) => writeRefused(refused, rows, position, reading),
      onProgress: (counts) => {
        place = counts.rows
        progress.update(counts.rows, survey.rows)
      },
      ...(served && { rest: (tookMs) => program.kernel.clock.sleep(Math.ceil(tookMs / 4)) }),
      // Ends after the batch that is being stored, instead of in the middle of it.
      isStopped: () => interruption.caught !== undefined,
    })
    return { progress: done.progress, interrupted: done.isDone ? undefined : interruption.caught }
  } catch (error) {
    progress.stop()
    out.note(`${place} of ${survey.rows} rows are done: ${HOW_TO_RESUME}`)
    throw error
  } finally {
    progress.stop()
    interruption.end()
  }
}

async function writeRefused(
  file: RefusedFile | undefined,
  rows: readonly { file: number; line: number; problem: string; text: string }[],
  position: number,
  { files }: Move['reading'],
): Promise<number> {
  if (!file) return position
  return file.put(
    rows.map((row) => ({ ...row, file: files[row.file]!.name })),
    position,
  )
}
