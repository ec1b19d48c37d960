import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import type { App } from '../../../app.ts'
import type { Channel, ChannelImport } from '../../../domain/channels/types.ts'
import { AppError } from '../../../platform/errors.ts'
import { chooseApp } from '../../input/app.ts'
import { channelArgs } from '../../input/channel.ts'
import { unreadable } from '../../input/files.ts'
import { BaseCommand, textArg } from '../../kinds/base.ts'
import { printable } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { startProgress } from '../../output/progress.ts'

/** Lines that name nobody, of those that people see at once. */
const MOST_SHOWN = 20

export class ChannelsImport extends BaseCommand {
  static override summary = 'Subscribe the users of a CSV file: one identifier a line, no head'
  static override description =
    'The whole file is checked before the first user is subscribed. When the command is stopped in the middle, the server ' +
    'goes on with it; so does the next one that is started on this data directory.'
  static override examples = ['<%= config.bin %> channels import 1 news subscribers.csv']
  static override args = { ...channelArgs, file: textArg({ required: true, description: 'the file, FILE.csv' }) }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ChannelsImport)
    const app = await this.open(flags)
    const { id } = await chooseApp(app, args.app)
    const channel = await app.channels.get(id, { uuid: args.uuid })
    const queued = await this.#takeIn(app, channel, args.file)
    await this.#apply(app, queued)
    await this.#report(app, channel, queued)
  }

  async #takeIn(app: App, channel: Channel, path: string): Promise<ChannelImport> {
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

  /** A running server may take steps of it as well; that is fine. */
  async #apply(app: App, { row, total }: ChannelImport): Promise<void> {
    const { createIngestion } = await import('../../../domain/channels/ingest.ts')
    const { clock, config, db } = app.kernel
    const ingestion = createIngestion({
      read: app.ingestion,
      inTransaction: <T>(work: (areas: App['ingestion']) => Promise<T>) =>
        app.inTransaction((tx) => work(tx.ingestion)),
      clock,
      dataDir: config.dataDir,
      alone: db.kind === 'sqlite',
    })
    const progress = await startProgress(this.io, 'line')
    try {
      while ((await ingestion.step(row)) === 'more') {
        const now = await app.ingestion.imports.get(row)
        if (now) progress.update(now.applied + now.unknown, total)
      }
    } finally {
      progress.stop()
    }
  }

  async #report(app: App, channel: Channel, { id }: ChannelImport): Promise<void> {
    const { presentImportReport } = await import('../../../server/present/channels.ts')
    const done = await app.channelImports.get(channel, id)
    this.out.value(presentImportReport(done))
    if (done.error !== null) throw new AppError('unavailable', `the import failed: ${done.error}`)
    this.out.line(
      `${done.applied} of ${countOf(done.total, 'line')} ${done.total === 1 ? 'is' : 'are'} subscribed to ${printable(channel.uuid)}.`,
    )
    for (const { line, identifier } of done.unknownLines.slice(0, MOST_SHOWN)) {
      this.out.note(`line ${line}: there is no user ${printable(JSON.stringify(identifier))}`)
    }
    if (done.unknown > MOST_SHOWN) {
      this.out.note(
        `${done.unknown} lines name nobody: appsvc channels imports ${channel.appId} ${printable(channel.uuid)} ${id}`,
      )
    }
  }
}
