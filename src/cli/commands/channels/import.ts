import { basename } from 'node:path'
import type { Channel, ChannelImport } from '../../../domain/channels/types.ts'
import { newUuid } from '../../../platform/crypto/ids.ts'
import { AppError, ERRORS } from '../../../platform/errors.ts'
import type { Program } from '../../../program.ts'
import { channelArgs, textArg } from '../../input/args.ts'
import { openSource, type Source } from '../../input/source.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'
import { catchInterruption, type Interruption } from '../../process/interruption.ts'
import type { Io } from '../../process/io.ts'

/** Maximum number of lines with unknown users that are printed. */
const MAX_SHOWN = 20

export const ChannelsImport = appCommand({
  summary: 'Subscribe the users listed in a CSV file: one identifier per line, no header',
  description:
    'The whole file is checked before the first user is subscribed. If the command is interrupted, the running server finishes the ' +
    'import, or else the next one that is started. Exits with 65 if a line names an unknown user.',
  examples: ['appsvc channels import --app 1 news subscribers.csv'],
  args: { ...channelArgs, file: textArg({ required: true, description: 'CSV file, or - for standard input' }) },
  async work({ program, appId, args, out, io, onEnd, exit }) {
    const interruption = catchInterruption(io)
    onEnd(() => interruption.end())
    const channel = await program.channels.get(appId, { uuid: args.uuid })
    const queued = await takeIn(program, channel, args.file, await openSource(io, args.file, interruption))
    try {
      await apply(program, queued, io, interruption)
    } catch (error) {
      out.note(
        `The import ${queued.id} is stored: the running server finishes it, or else the next one. appsvc channels imports --app ${appId} ${printable(channel.uuid)} ${queued.id} shows how far it is.`,
      )
      throw error
    }
    const { unknown } = await report(program, channel, queued, out)
    if (unknown > 0) exit(ERRORS.invalid.exit)
  },
})

async function takeIn(program: Program, channel: Channel, path: string, { pieces }: Source): Promise<ChannelImport> {
  const [{ receiveSubscribersFile }, { keeperOf }] = await Promise.all([
    import('../../../domain/channels/subscribers-file.ts'),
    import('../../../domain/channels/files/choice.ts'),
  ])
  const file = receiveSubscribersFile(keeperOf(program, channel.appId), program.kernel.disk.takeIn)
  try {
    await file.begin(path === '-' ? 'standard-input.csv' : basename(path), 'text/csv')
    for await (const chunk of pieces) await file.write(chunk)
    const taken = await file.end()
    return await program.inTransaction((tx) => tx.channelImports.queue(channel, taken))
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** The time (ms) between two looks at a file that a server applies. */
const LOOK_MS = 250

/** Runs the import step by step, or follows it while a server does so. On SQLite both can work on it at once. */
async function apply(
  program: Program,
  { row, total }: ChannelImport,
  io: Io,
  interruption: Interruption,
): Promise<void> {
  const { createIngestion } = await import('../../../domain/channels/ingest.ts')
  const { clock, config, db } = program.kernel
  const ingestion = createIngestion({
    read: program.ingestion,
    inTransaction: <T>(work: (areas: Program['ingestion']) => Promise<T>) =>
      program.inTransaction((tx) => work(tx.ingestion)),
    clock,
    dataDir: config.dataDir,
    alone: db.kind === 'sqlite',
    owner: newUuid(),
  })
  const progress = await startProgress(io, 'line')
  try {
    for (;;) {
      const step = await ingestion.step(row)
      if (step === 'elsewhere') await clock.sleep(LOOK_MS)
      else if (step !== 'more') break
      const now = await program.ingestion.imports.get(row)
      if (now) progress.update(now.applied + now.unknown, total)
      interruption.check()
    }
  } finally {
    progress.stop()
    await ingestion.release()
  }
}

async function report(
  program: Program,
  channel: Channel,
  { id }: ChannelImport,
  out: Output,
): Promise<{ unknown: number }> {
  const { presentImportReport } = await import('../../../present/api/channels.ts')
  const done = await program.channelImports.get(channel, id)
  out.value(presentImportReport(done))
  if (done.error !== null) throw new AppError('unavailable', `the import failed: ${done.error}`)
  out.line(
    `${done.applied} of ${countOf(done.total, 'line')} ${done.total === 1 ? 'is' : 'are'} subscribed to ${printable(channel.uuid)}.`,
  )
  for (const { line, identifier } of done.unknownLines.slice(0, MAX_SHOWN)) {
    out.note(`line ${line}: there is no user ${printable(JSON.stringify(identifier))}`)
  }
  if (done.unknown > MAX_SHOWN) {
    out.note(
      `${done.unknown} lines name unknown users. List them with appsvc channels imports --app ${channel.appId} ${printable(channel.uuid)} ${id}`,
    )
  }
  return done
}
