import { CalendarSync } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import { ORDER } from '../../forms/labels.tsx'
import * as row from '../../forms/rows.ts'
import { Button } from '../../parts/button.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Num } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { ruleInWords, ruleOf, timeInWords } from './rule.ts'
import { type Line, STATES, titleOf } from './words.ts'

const LABELS = Object.fromEntries(Object.entries(STATES).map(([state, { label }]) => [state, label]))
const FILTERS = [
  row.select('state', 'State', { options: row.choices({ '': 'All', ...LABELS }) }),
  ORDER({ due: 'Next due first' }),
]

/** The sends of the app that repeat, the newest first or by their next time. */
export default function SeriesList({ appId }: PageProps) {
  const state = (query.value.get('state') ?? undefined) as Line['state'] | undefined
  const order = (query.value.get('order') || undefined) as 'due' | undefined
  const asked = { limit: 50, ...(state && { state }), ...(order && { order }) }
  const list = usePages('/admin/v1/apps/{appId}/series', { path: { appId }, query: asked }, 'series')
  return (
    <div class="page">
      <PageHead
        title="Series"
        about="Sends that repeat. Each of their times is a push or an in-app message of its own, with its own report."
        actions={
          may('campaign', appId) && (
            <>
              <Button href={href(`/apps/${appId}/in-app/new`)}>Compose an in-app message</Button>
              <Button href={href(`/apps/${appId}/push/new`)}>Compose a push</Button>
            </>
          )
        }
      />
      <Filters rows={FILTERS} />
      <Card isFlush>
        <ListTable
          label="Series"
          list={list}
          keyOf={({ id }) => id}
          empty={
            state === undefined
              ? {
                  icon: CalendarSync,
                  title: 'No series yet',
                  about:
                    'Compose a push or an in-app message and choose “Repeat”: every Monday, say, whoever is then in a segment gets it.',
                }
              : { icon: CalendarSync, title: 'None of that state', about: 'Choose another state, or all.' }
          }
          columns={[
            {
              title: 'Series',
              cell: (one) => (
                <a class="cell-link" href={href(`/apps/${appId}/series/${one.id}`)}>
                  {titleOf(one)}
                </a>
              ),
            },
            { title: 'Repeats', cell: ({ schedule }) => repeats(schedule) },
            {
              title: 'State',
              cell: (one) => <Badge tone={STATES[one.state].tone}>{STATES[one.state].label}</Badge>,
              isTight: true,
            },
            { title: 'Next', cell: ({ schedule, next }) => nextOf(schedule, next) },
            { title: 'Times planned', isMinor: true, cell: ({ sent }) => <Num value={sent} />, isNumeric: true },
          ]}
        />
      </Card>
    </div>
  )
}

function repeats(schedule: unknown): string | undefined {
  const rule = ruleOf(schedule)
  return rule && ruleInWords(rule)
}

function nextOf(schedule: unknown, [first]: readonly string[]) {
  const rule = ruleOf(schedule)
  return rule && first !== undefined ? timeInWords(first, rule.timezone) : null
}
