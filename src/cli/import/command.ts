import { existsSync } from 'node:fs'
import type { Command } from '@oclif/core'
import { Flags } from '@oclif/core'
import type { Survey } from '../../domain/imports/survey.ts'
import type { ImportProgress, SourceName, SourceOptions } from '../../domain/imports/types.ts'
import { AppError, ERRORS } from '../../platform/errors.ts'
import { readBlock } from '../credentials.ts'
import { appArg, textArg, yesFlag } from '../input/args.ts'
import { readPieces, refuseAsOutput } from '../input/source.ts'
import { appCommand, type FlagInput } from '../kinds/app-command.ts'
import { countOf } from '../output/plural.ts'
import type { Interrupted } from '../process/interruption.ts'
import { expectOutput } from '../process/io.ts'
import { MODE } from './refused-file.ts'
import { printConsent, printCounts, printErased, printRefused, printSurvey } from './report.ts'
import {
  applyImport,
  beginImport,
  checkedBlocks,
  consentAfter,
  createChannels,
  type Given,
  HOW_TO_RESUME,
  knownChannels,
  type Move,
  refuseUnsaid,
  surveyFiles,
} from './steps.ts'

export const importArgs = {
  app: appArg,
  files: textArg({ required: true, multiple: true, description: 'exported files; .gz is unpacked' }),
}

/**
 * The first of several words is the app unless there is a file of this name: their number tells nothing. For somebody on another
 * machine, whose files cannot be asked for before the right is known, it is the app if they see one of this name.
 */
export const appLeadsFiles = (
  [first]: readonly string[],
  _flags: Record<string, unknown>,
  isApp: boolean | undefined,
): boolean => isApp ?? !existsSync(first!)

const COMMON = {
  'dry-run': Flags.boolean({ description: 'show what would be imported, and write nothing' }),
  yes: yesFlag,
  resume: Flags.boolean({ description: 'continue an import of these files that was interrupted' }),
  errors: Flags.string({ helpValue: 'FILE', description: 'write refused rows and the reasons to this CSV file' }),
  'create-channels': Flags.boolean({ description: 'create the channels of the export that do not exist' }),
  sandbox: Flags.boolean({ description: 'all tokens of Apple are of its sandbox (the export of a development build)' }),
  'suppress-opted-out': Flags.boolean({
    description: 'put users who opted out in the app on the suppression list: they get nothing at all',
  }),
  keep: Flags.boolean({
    description:
      'leave devices as they are that were here before, also those that opted out in the former service since',
  }),
  'include-erased': Flags.boolean({
    description: 'also import people and devices that were erased here; otherwise their rows are left out',
  }),
}
const TAGS = {
  'tag-channel': Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'TAG',
    description: 'this tag becomes a channel instead of an attribute; may be repeated',
  }),
}
const ASSUME = {
  'assume-subscribed': Flags.boolean({
    description: 'take devices as subscribed whose export does not say whether the person opted out',
  }),
}
const NUMBERS = {
  numbers: Flags.boolean({ description: 'values written as numbers, true or false become numbers and booleans' }),
}
const VAPID = {
  'vapid-file': Flags.string({
    helpValue: 'FILE',
    description: 'VAPID keys of the former service, so that browsers stay subscribed (as gateways set APP web)',
  }),
}
const MAP = {
  map: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'COLUMN=FIELD',
    description: 'what a column is: a field, attr:NAME or -; may be repeated',
  }),
}
const LINKS = {
  links: Flags.boolean({ description: 'the files are exports of Dynamic Links (one CSV for each domain)' }),
  fallback: Flags.string({
    helpValue: 'URL',
    description: 'with --links: where people without the app are sent if a link has no target of its own',
  }),
}

/** Flags that only some sources have. */
const OF_SOURCE: Readonly<Record<SourceName, FlagInput>> = {
  onesignal: { ...ASSUME, ...TAGS, ...NUMBERS, ...VAPID },
  parse: {},
  firebase: { ...MAP, ...NUMBERS, ...VAPID, ...LINKS },
  airship: { ...ASSUME, ...NUMBERS, ...VAPID },
  pinpoint: { ...ASSUME, ...NUMBERS },
  csv: { ...MAP, ...NUMBERS, ...VAPID },
  expo: { ...MAP, ...NUMBERS, ...VAPID },
}

/** `appsvc import SOURCE APP FILE...` */
export function importCommand(
  name: SourceName,
  { summary, description, examples }: { summary: string; description: string; examples: string[] },
): Command.Class {
  return appCommand({
    summary,
    description: `${description} Shows first what would be imported, and asks; --yes skips the question. Running it again changes nothing more; a later export takes over who opted out since. Exits with 65 if rows were refused; the others are imported. The guide: docs/moving/${name}.md`,
    examples,
    args: importArgs,
    appLeads: appLeadsFiles,
    flags: { ...COMMON, ...OF_SOURCE[name] },
    async read({ args, flags, io }) {
      const given = flags as Given
      const { readMap } = await import('../../domain/imports/sources/fields.ts')
      if (given.resume && given['dry-run']) throw new AppError('usage', '--resume writes, and --dry-run does not')
      if (given.fallback !== undefined && !given.links) throw new AppError('usage', '--fallback goes with --links')
      // The import opens it when it has begun to write.
      if (given.errors !== undefined) {
        await refuseAsOutput(io, '--errors', given.errors, args.files)
        expectOutput(io, given.errors, MODE)
      }
      const file = given['vapid-file']
      return {
        map: readMap(given.map ?? []),
        web: file === undefined ? undefined : await readBlock(io, 'web', { 'vapid-file': file }),
      }
    },
    async work({ program, appId, chosen, args, flags, input, out, io, onEnd, exit }) {
      const given = flags as Given
      const { files } = args
      if (files.includes('-')) throw new AppError('usage', 'the files are read twice, so standard input cannot be one')
      if (given.links) {
        const { moveLinks } = await import('./links.ts')
        const refused = await moveLinks({ program, appId, files, service: 'firebase', given, out, io, onEnd })
        return refused > 0 ? exit(ERRORS.invalid.exit) : undefined
      }
      const { sources } = await import('../../domain/imports/sources/all.ts')
      const source = sources[name]
      const reading = {
        files: files.map((file) => ({ name: file, open: () => readPieces(io, file) })),
        source,
        options: optionsOf(given, input.map),
        rules: program.imports.rules(name, { suppressOptedOut: given['suppress-opted-out'] ?? false }),
      }
      const move: Move = { program, appId, out, io, onEnd, given, reading }
      const blocks = await checkedBlocks(program, appId, input.web)
      const isShown = given['dry-run'] || !given.yes
      const survey = await surveyFiles(move, isShown)
      const channels = await knownChannels(move, survey)
      if (isShown) {
        // With --yes nobody reads it: the result is what counts.
        const present = { gateways: await program.gateways.platforms(appId), channels: new Set(channels.keys()) }
        printSurvey(out, survey, present, {
          app: chosen,
          label: source.label,
          createChannels: given['create-channels'] ?? false,
          hasVapidFile: blocks !== undefined,
          consent: source.consent,
          hasMap: OF_SOURCE[name].map !== undefined,
        })
      }
      if (given['dry-run']) {
        out.value({ dryRun: true, ...survey })
        out.note('Nothing was written: this was a dry run.')
        return printConsent(out, survey.consent!)
      }
      refuseUnsaid(survey, source)
      await out.confirm(`Import this into app ${appId}?`, given.yes ?? false)
      const begun = await beginImport(move, survey)
      if (blocks) await program.inTransaction((tx) => tx.gateways.configure(appId, blocks))
      await createChannels(move, survey, channels)
      const { progress, interrupted } = await applyImport(move, { begun, survey, channels })
      await reportResult(move, survey, progress, interrupted)
      if (interrupted) exit(interrupted.exit)
      if (progress.counts.refused > 0) exit(ERRORS.invalid.exit)
    },
  })
}

const optionsOf = (given: Given, map: SourceOptions['map']): SourceOptions => ({
  map,
  tagChannels: given['tag-channel'] ?? [],
  numbers: given.numbers ?? false,
  sandbox: given.sandbox ?? false,
  assumeSubscribed: given['assume-subscribed'] ?? false,
})

/** Prints what was imported, and what to do about the rest. */
async function reportResult(
  move: Move,
  survey: Survey,
  progress: ImportProgress,
  interrupted: Interrupted | undefined,
): Promise<void> {
  const { out, given } = move
  const consent = await consentAfter(move, progress)
  const { optedOut: _, ...counts } = progress.counts
  out.value({ dryRun: false, done: interrupted === undefined, ...counts, consent })
  printCounts(out, progress.counts)
  printErased(out, progress.counts.erased, survey)
  if (interrupted) {
    out.note(`Interrupted after ${progress.place} of ${countOf(survey.rows, 'row')}: ${HOW_TO_RESUME}`)
  } else if (progress.counts.refused > 0) {
    // Without the question nobody has seen them.
    if (given.yes && given.errors === undefined) printRefused(out, survey)
    if (given.errors === undefined) out.note('Use --errors FILE to keep the refused rows.')
  }
  printConsent(out, consent)
}
