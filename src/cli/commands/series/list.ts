import { Flags } from '@oclif/core'
import { SERIES_STATES } from '../../../domain/series/types.ts'
import { appFlag } from '../../input/args.ts'
import { listCommand } from '../../kinds/list-command.ts'
import { printable } from '../../output/output.ts'

export const SeriesList = listCommand({
  summary: 'List sends that repeat, newest first or by their next time',
  examples: [
    'appsvc series list',
    'appsvc series list --state broken',
    'appsvc series list --order due',
    'appsvc series list --json',
  ],
  flags: {
    app: appFlag,
    state: Flags.string({ options: SERIES_STATES, description: 'only those in this state' }),
    order: Flags.string({
      options: ['created', 'due'],
      default: 'created',
      description: 'due: only those with a next time, by that',
    }),
  },
  paging: { limit: 20, most: 100 },
  things: 'series',
  none: 'Nothing repeats. Send something with a schedule whose strategy is recurring (appsvc notify).',
  head: ['ID', 'STATE', 'KIND', 'TIMES PLANNED', 'REPEATS', 'NEXT', 'TITLE'],
  async page({ program, appId, flags }) {
    const [{ presentSeries }, { repeatsInWords, timeInWords }] = await Promise.all([
      import('../../../present/api/series.ts'),
      import('../../output/series-words.ts'),
    ])
    const state = SERIES_STATES.find((one) => one === flags.state)
    const { after, limit } = flags
    const order = flags.order === 'due' ? 'due' : 'created'
    const { series, next } = await program.series.list(appId, { state, after, limit, order })
    const rows = series.map((one) => [
      one.series.id,
      one.series.state,
      one.series.kind,
      one.series.sent,
      repeatsInWords(one),
      one.next[0] ? timeInWords(one, one.next[0]) : null,
      printable(one.title),
    ])
    return { json: { series: series.map(presentSeries) }, rows, next }
  },
})
