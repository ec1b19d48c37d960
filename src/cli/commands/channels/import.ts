import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { App } from '../../../app.ts'
import type { Channel, ChannelImport } from '../../../domain/channels/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { channelArgs, textArg } from '../../input/args.ts'
import { unreadable } from '../../input/files.ts'
import type { Io } from '../../io.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'

/** Maximum number of lines with unknown users that are printed. */
const MAX_SHOWN = 20

export const ChannelsImport = appCommand({
  summary: 'Subscribe the users listed in a CSV file: one identifier per line, no header',
  description:
    'The whole file is checked before the first user is subscribed. If the command is interrupted, the running server finishes the ' +
    'import, or else the next server started on this data directory.',
  examples: ['appsvc channels import --app 1 news subscribers.csv'],
  args: { ...channelArgs, file: textArg({ required: true, description: 'CSV file' }) },
  async work({ app, appId, args, out, io }) {
    const channel = await app.channels.get(appId, { uuid: args.uuid })
    const queued = await takeIn(app, channel, args.file)
    await apply(app, queued, io)
    await report(app, channel, queued, out)
  },
})

async function takeIn(app: App, channel: Channel, path: string): Promise<ChannelImport> {
  const { receiveSubscribersFile } = await import('../../../domain/channels/subscribers-file.ts')
  const file = receiveSubscribersFile(app.kernel.config.dataDir)
  try {
    await file.begin(basename(path), 'text/csv')
    for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 })) await file.write(chunk as Buffer)
    const taken = await file.end()
    return await app.inTransaction((tx) => tx.channelImports.queue(channel, taken))
  } catch (error) {
    await file.discard()
    throw unreadable(error, path)
  }
}

/** Runs the import step by step. A running server may take steps of the same import; both can work on it at once. */
async function apply(app: App, { row, total }: ChannelImport, io: Io): Promise<void> {
  const { createIngestion } = await import('../../../domain/channels/ingest.ts')
  const { clock, config, db } = app.kernel
  const ingestion = createIngestion({
    read: app.ingestion,
    inTransaction: <T>(work: (areas: App['ingestion']) => Promise<T>) => app.inTransaction((tx) => work(tx.ingestion)),
    clock,
    dataDir: config.dataDir,
    alone: db.kind === 'sqlite',
  })
  const progress = await startProgress(io, 'line')
  try {
    while ((await ingestion.step(row)) === 'more') {
      const now = await app.ingestion.imports.get(row)
      if (now) progress.update(now.applied + now.unknown, total)
    }
  } finally {
    progress.stop()
  }
}

async function report(app: App, channel: Channel, { id }: ChannelImport, out: Output): Promise<void> {
  const { presentImportReport } = await import('../../../server/present/channels.ts')
  const done = await app.channelImports.get(channel, id)
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
}
