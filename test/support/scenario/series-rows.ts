import { tryOut } from '../../../src/cli/notify/try-out.ts'
import { fromInAppForm, inAppForm } from '../../../src/domain/in-app/request/request.ts'
import { SOURCE } from '../../../src/domain/in-app/types.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import { inAppBody } from '../in-app.ts'
import { planAll } from '../series.ts'
import { type Row, row, rowOf } from './row.ts'
import type { Stage } from './stage.ts'

/** Sends that repeat. Each series is ended afterwards: an app has few that have not. */

interface Made {
  id: number
}

async function newSeries(s: Stage, timezone = 'Europe/Berlin'): Promise<Made> {
  const schedule = { strategy: 'recurring', cron: '0 9 * * MON', timezone }
  const { series } = await s.call<{ series: Made }>('POST', '/messages/v2/notifications', {
    body: { target: { userIds: [`user-${s.some()}`] }, content: { title: 'T', message: 'M' }, schedule },
  })
  return series
}

const step = (s: Stage, { id }: Made, name: string) => s.call('POST', `/messages/v1/series/${id}/${name}`)
const after = (s: Stage, made: Made) => step(s, made, 'end')

async function paused(s: Stage): Promise<Made> {
  const made = await newSeries(s)
  await step(s, made, 'pause')
  return made
}

/** A series whose planned time is over. */
async function due(s: Stage, timezone?: string): Promise<Made> {
  const made = await newSeries(s, timezone)
  await s.program.kernel.db.write((trx) => trx('series').where({ id: made.id }).update({ due_at: s.clock.now() }))
  return made
}

/** Series that are planned side by side: on PostgreSQL what they ask at the same time is one statement. */
const severalDue = async (s: Stage) => [await due(s, 'local'), await due(s, 'local'), await due(s, 'local')]

async function plan(s: Stage): Promise<void> {
  await s.program.instance.hold()
  await planAll(s)
  await s.program.seriesRows.nextAt()
}

/** A dry run of an in-app message. */
async function tries({ program, first }: Stage): Promise<void> {
  const request = fromInAppForm(parseJson(inAppForm, { ...inAppBody(), presentedWhen: 'never' }))
  await tryOut(program, (tx) => tx.inApp.accept(first.id, SOURCE.cli, request, null))
}

export const SERIES_ROWS: readonly Row[] = [
  rowOf(
    'post messages /v2/notifications',
    async () => ({ id: 0 }),
    async (s, made) => void Object.assign(made, await newSeries(s)),
    { what: 'that repeats', after },
  ),
  rowOf('get messages /v1/series', newSeries, (s) => s.call('GET', '/messages/v1/series?limit=20'), { after }),
  rowOf('get messages /v1/series', newSeries, (s) => s.call('GET', '/messages/v1/series?limit=20&state=active'), {
    what: 'in a state',
    after,
  }),
  rowOf('get messages /v1/series', newSeries, (s) => s.call('GET', '/messages/v1/series?limit=20&order=due'), {
    what: 'by their next time',
    after,
  }),
  rowOf('get messages /v1/series/:id', newSeries, (s, { id }) => s.call('GET', `/messages/v1/series/${id}`), { after }),
  rowOf(
    'patch messages /v1/series/:id',
    newSeries,
    (s, { id }) => s.call('PATCH', `/messages/v1/series/${id}`, { body: { ttl: 60 } }),
    { after },
  ),
  rowOf('post messages /v1/series/:id/pause', newSeries, (s, made) => step(s, made, 'pause'), { after }),
  rowOf('post messages /v1/series/:id/resume', paused, (s, made) => step(s, made, 'resume'), { after }),
  rowOf('post messages /v1/series/:id/end', newSeries, after),
  row('job series', plan, { what: 'nothing is due' }),
  rowOf('job series', (s) => due(s), plan, { what: 'one is due', after }),
  rowOf('job series', severalDue, plan, {
    what: 'several are due by local time',
    async after(s, all) {
      for (const made of all) await after(s, made)
    },
  }),
  row('sweep series.forget', ({ program }) => program.inTransaction((tx) => tx.series.forget(1, 1000))),
  row('cli inApp.accept', tries, { what: 'and takes it back' }),
  row('cli series.broken', ({ program, first }) => program.series.broken(first.id, 10)),
  row('cli series.broken', ({ program }) => program.series.broken(undefined, 10), { what: 'of all apps' }),
  row('cli series.goingOn', ({ program, first }) => program.series.goingOn(first.id, 10)),
  row('cli series.goingOn', ({ program }) => program.series.goingOn(undefined, 10), { what: 'of all apps' }),
]
