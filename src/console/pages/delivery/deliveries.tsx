import { CalendarClock, Send } from 'lucide'
import { Fragment } from 'preact'
import { api } from '../../api/client.ts'
import { useFilledList, usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import { LABEL, LabelSums, ORDER, useLabelFilter } from '../../forms/labels.tsx'
import * as row from '../../forms/rows.ts'
import { Button } from '../../parts/button.tsx'
import { formatShare } from '../../parts/numbers.ts'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TestBadge } from '../../parts/test-badge.tsx'
import { usePaused } from '../../parts/use-paused.ts'
import { Num, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { pageOf } from '../home/leads.ts'
import { whenInWords } from './when-words.ts'
import { type Delivery, STATUS } from './words.ts'

const DAY_MS = 86_400_000
const PAUSE_MS = 300
/** A page of a search may be short: it is read on until there is something to show. */
const MOST_ROUNDS = 10
const PAGE = 25
const SHOWN = [
  row.text('q', 'Title'),
  row.select('status', 'State', {
    options: [{ value: '', label: 'Every state' }, ...STATUS.map(({ name, label }) => ({ value: name, label }))],
  }),
  row.select('since', 'Created in', {
    options: [
      { value: '', label: 'Any time' },
      { value: '1', label: 'The last day' },
      { value: '7', label: 'The last 7 days' },
      { value: '30', label: 'The last 30 days' },
    ],
  }),
  LABEL,
  ORDER({ sent: 'Last sent first', due: 'Next due first' }),
]

/** The notifications of an app, and those that are due later. */
export default function Deliveries({ appId }: PageProps) {
  const compose = pageOf(appId, '/apps/:appId/push/new')
  return (
    <div class="page">
      <PageHead
        title="Delivery"
        about="What was sent, what is being sent, and what became of it."
        actions={
          compose !== undefined && (
            <Button tone="primary" icon={Send} href={href(compose)}>
              Compose a push
            </Button>
          )
        }
      />
      <Tabs
        label="Notifications"
        items={[
          { name: 'all', label: 'All', panel: () => <All appId={appId} /> },
          { name: 'scheduled', label: 'Scheduled', panel: () => <Scheduled appId={appId} /> },
        ]}
      />
    </div>
  )
}

function Title({
  appId,
  of: { id, title, message, isTest, labels },
}: {
  appId: number
  of: Pick<Delivery, 'id' | 'title' | 'message' | 'isTest' | 'labels'>
}) {
  return (
    <div class="delivery-name">
      <span>
        <a class="cell-link" href={href(`/apps/${appId}/delivery/${id}`)}>
          {title === '' ? `Notification ${id}` : title}
        </a>
        {isTest && <TestBadge />}
        {labels?.map((one) => (
          <Fragment key={one}>
            {' '}
            <Badge isPlain>{one}</Badge>
          </Fragment>
        ))}
      </span>
      <span class="quiet small-text">{message}</span>
    </div>
  )
}

function All({ appId }: { appId: number }) {
  const status = query.value.get('status') ?? ''
  const since = query.value.get('since') ?? ''
  const order = query.value.get('order') as 'due' | 'sent' | null
  const { label, extra } = useLabelFilter(appId)
  const q = usePaused((query.value.get('q') ?? '').trim(), PAUSE_MS)
  const list = useFilledList<Delivery, number>(
    (after, limit, signal) =>
      api.get('/admin/v1/apps/{appId}/deliveries', {
        path: { appId },
        query: {
          ...(after !== null && { after }),
          limit,
          ...(q !== '' && { q }),
          ...(label !== '' && { label }),
          ...(order && { order }),
          ...(status !== '' && { status: status as 'sent' }),
          ...(since !== '' && { createdSince: new Date(Date.now() - Number(since) * DAY_MS).toISOString() }),
        },
        signal,
      }),
    { most: PAGE, rounds: MOST_ROUNDS },
    [appId, status, since, q, label, order],
  )
  const isFiltered = status !== '' || since !== '' || q !== '' || label !== '' || !!order
  return (
    <div class="stack">
      <Filters rows={SHOWN} extras={{ label: extra }} />
      {label !== '' && <LabelSums appId={appId} label={label} />}
      <Card isFlush>
        <ListTable
          label="Notifications"
          list={list}
          keyOf={({ id }) => id}
          empty={
            isFiltered
              ? {
                  icon: Send,
                  title: 'None of these',
                  about: 'No notification fits. Choose another title or state, or a longer time.',
                }
              : { icon: Send, title: 'Nothing was sent yet', about: 'Every push stands here with what became of it.' }
          }
          columns={[
            { title: 'Notification', cell: (one) => <Title appId={appId} of={one} /> },
            {
              title: 'State',
              cell: ({ status: at }) => <Badge tone={STATUS[at].tone}>{STATUS[at].label}</Badge>,
              isTight: true,
            },
            {
              title: order === 'due' ? 'Due' : order ? 'Sent' : 'Created',
              cell: ({ dueAt, sentAt, createdAt }) =>
                order === 'due' ? dueAt && <Time at={dueAt} isDue /> : <Time at={(order && sentAt) ?? createdAt} />,
              isTight: true,
            },
            {
              title: 'Recipients',
              cell: (one) => <Num value={countOf(one, 'audience')} />,
              isNumeric: true,
              isMinor: true,
            },
            {
              title: 'Accepted',
              cell: (one) => <Num value={countOf(one, 'accepted')} />,
              isNumeric: true,
              isMinor: true,
            },
            {
              title: 'Not reached',
              cell: (one) => <Num value={countOf(one, 'failed')} />,
              isNumeric: true,
              isMinor: true,
            },
            { title: 'Opened', cell: ({ counts }) => formatShare(counts.opened, counts.accepted), isNumeric: true },
          ]}
        />
      </Card>
    </div>
  )
}

function Scheduled({ appId }: { appId: number }) {
  const list = usePages(
    '/admin/v1/apps/{appId}/scheduled-notifications',
    { path: { appId }, query: { limit: 100 } },
    'notifications',
  )
  return (
    <Card isFlush>
      <ListTable
        label="Scheduled notifications"
        list={list}
        keyOf={({ id }) => id}
        empty={{
          icon: CalendarClock,
          title: 'Nothing is scheduled',
          about: 'A push for later, or for each phone at its own time, waits here until it is due.',
        }}
        columns={[
          { title: 'Notification', cell: (one) => <Title appId={appId} of={one} /> },
          { title: 'Next due', cell: ({ nextAt }) => <Time at={nextAt} isDue /> },
          { title: 'When', cell: ({ schedule }) => whenInWords(schedule) },
        ]}
      />
    </Card>
  )
}

/** A count of a notification; none while nobody was decided on. */
const countOf = ({ status, counts }: Delivery, name: 'audience' | 'accepted' | 'failed') =>
  status === 0 && counts.audience === 0 ? null : counts[name]
