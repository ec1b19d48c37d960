import { Flags } from '@oclif/core'
import { type Chosen, isChosen } from '../../../domain/followers/log/latest.ts'
import { isBefore, type Position, requireCursor } from '../../../domain/followers/position.ts'
import type { LoggedEvent } from '../../../domain/followers/types.ts'
import { INCLUDES } from '../../../domain/followers/types.ts'
import type { Program } from '../../../program.ts'
import { appFlag } from '../../input/args.ts'
import { appCommand } from '../../kinds/app-command.ts'
import { type Output, printable } from '../../output/output.ts'
import { shortTime } from '../../output/present.ts'
import { untilAskedToStop } from '../../process/signals.ts'

/** Interval of looking for new events: others store them. */
const LOOK_MS = 500
const PAGE = 500
/** Characters of the data that a line shows. */
const DATA_LENGTH = 80

export const EventsTail = appCommand({
  summary: 'Show the last events of an app, or all from a position on',
  description:
    'Events are shown in the order in which they were stored. --json prints the answer of GET /v1/events; with --follow it prints one ' +
    'event a line. The id of an event can be given to --after.',
  examples: [
    'appsvc events tail --follow',
    'appsvc events tail --type order.paid --type k.message.opened -n 100',
    'appsvc events tail --user user-17',
    'appsvc events tail --after 00000000000000000000q8 --json',
  ],
  flags: {
    app: appFlag,
    follow: Flags.boolean({ char: 'f', description: 'go on with new events until Ctrl-C' }),
    type: Flags.string({ multiple: true, helpValue: 'TYPE', description: 'only events of this type; may be repeated' }),
    user: Flags.string({ helpValue: 'USER', description: 'only events of this user', exclusive: ['install'] }),
    install: Flags.string({ helpValue: 'INSTALL', description: 'only events that this install reported' }),
    search: Flags.string({
      helpValue: 'TEXT',
      description: 'only events with this text in their uuid, user or install; looks at the last 2000 events',
    }),
    include: Flags.string({
      options: INCLUDES,
      description: 'also show the pages of notifications as they closed; appsvc events settings switches them on',
    }),
    after: Flags.string({ helpValue: 'ID', description: 'begin behind this event, and show all that follow' }),
    count: Flags.integer({
      char: 'n',
      default: 10,
      min: 0,
      max: 1000,
      helpValue: 'N',
      description: 'number of events to begin with, unless --after says where',
    }),
  },
  read({ flags }) {
    return flags.after === undefined ? undefined : requireCursor(flags.after, '--after')
  },
  async work({ program, appId, input: after, flags, out, io }) {
    const { follow, type: types } = flags
    const deliveries = flags.include !== undefined
    const chosen: Chosen = { userId: flags.user, installId: flags.install, q: flags.search }
    const isNarrow = Object.values(chosen).some((one) => one !== undefined)
    const printer = await printerOf(out, follow)
    let from = after
    if (from === undefined) {
      // First, so that nothing falls between the last events and those that follow.
      from = await program.eventLog.end()
      const { eventLog } = program
      const last =
        flags.count === 0
          ? []
          : isNarrow
            ? (await eventLog.latest({ appId, types, ...chosen, limit: flags.count })).events.toReversed()
            : await eventLog.last({ appId, types, deliveries, limit: flags.count })
      printer.show(last.filter(({ position }) => !isBefore(from!, position)))
      if (!follow) return printer.end(from, 'There are no such events.')
    }
    const stop = new AbortController()
    const signals = follow && !io.caller ? untilAskedToStop() : undefined
    void signals?.asked.then(() => stop.abort())
    const asked = { appId, after: from, types, deliveries, chosen }
    try {
      await showAll(program, asked, { printer, follow, stop: io.caller?.signal ?? stop.signal })
    } finally {
      signals?.end()
    }
  },
})

interface Printer {
  show(events: readonly LoggedEvent[]): void
  /** Says that some are missing. */
  missed(): void
  /** Resolves when more can be printed. */
  drained(): Promise<void>
  /** True when nobody reads any more. */
  closed(): boolean
  end(next: Position, empty: string): void
}

/** Prints lines for people; for programs one document, or with `follow` one event a line. */
async function printerOf(out: Output, follow: boolean): Promise<Printer> {
  const { presentEvent, presentNext } = await import('../../../present/api/events.ts')
  let shown = 0
  if (!follow) out.piece('{"events":[')
  return {
    show(events) {
      for (const event of events) {
        const text = out.json ? JSON.stringify(presentEvent(event)) : lineOf(event)
        if (!out.json) out.line(text)
        else if (follow) out.piece(`${text}\n`)
        else out.piece(shown > 0 ? `,${text}` : text)
        shown++
      }
    },
    missed: () => out.note('Events behind this position were forgotten (events.retentionDays): these are the oldest.'),
    drained: () => out.drained(),
    closed: () => out.closed(),
    end(next, empty) {
      if (!follow) out.piece(`],"next":${JSON.stringify(presentNext(next))}}\n`)
      if (shown === 0 && !out.json) out.note(empty)
    },
  }
}

interface Showing {
  printer: Printer
  follow: boolean
  stop: AbortSignal
}

/** Shows every event from a position on; with `follow` until it is stopped, or nobody reads any more. */
async function showAll(
  { eventLog, kernel }: Program,
  asked: { appId: number; after: Position; types: readonly string[] | undefined; deliveries: boolean; chosen: Chosen },
  { printer, follow, stop }: Showing,
): Promise<void> {
  let { after } = asked
  while (!stop.aborted && !printer.closed()) {
    const { events, next, atEnd, missed } = await eventLog.read({ ...asked, after, limit: PAGE })
    if (missed) printer.missed()
    printer.show(events.filter((event) => isChosen(event, asked.chosen)))
    await printer.drained()
    after = next
    if (!atEnd) continue
    if (!follow) return printer.end(after, 'There are no events behind this one.')
    await kernel.clock.sleep(LOOK_MS, stop)
  }
}

function lineOf({ happenedAt, type, userIdentifier, installId, data, cursor }: LoggedEvent): string {
  const text = JSON.stringify(data ?? {})
  const cut = text.length <= DATA_LENGTH ? text : `${text.slice(0, DATA_LENGTH - 1)}…`
  const who = [userIdentifier, installId].filter((one) => one !== null).join(' ')
  return [shortTime(happenedAt), cursor, printable(type), printable(who), printable(cut)].join('  ')
}
