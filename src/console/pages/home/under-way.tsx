import { Button } from '../../parts/button.tsx'
import { formatShare } from '../../parts/numbers.ts'
import { Badge, Card } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { TestBadge } from '../../parts/test-badge.tsx'
import { Num, Progress, Time } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { whenInWords } from '../delivery/when-words.ts'
import { type Delivery, type Overview, STATUS } from '../delivery/words.ts'

const linkTo = (appId: number, id: number) => href(`/apps/${appId}/delivery/${id}`)

/** Notifications that are being sent, and those that are scheduled. */
export function UnderWay({ appId, overview: { running, scheduled } }: { appId: number; overview: Overview }) {
  return (
    <Card title="In progress" isFlush>
      <div class="stack">
        {running.map(({ id, title, counts }) => (
          <div key={id} class="stack tight flush-part">
            <Progress
              label={title}
              value={counts.audience - counts.pending}
              max={counts.audience}
              {...(counts.audience === 0 && { text: 'finding its recipients' })}
            />
            <div>
              <Button size="small" href={linkTo(appId, id)}>
                Watch it
              </Button>
            </div>
          </div>
        ))}
        {scheduled.length > 0 && (
          <Table
            label="Scheduled"
            rows={scheduled}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Scheduled',
                cell: ({ id, title }) => (
                  <a class="cell-link" href={linkTo(appId, id)}>
                    {title}
                  </a>
                ),
              },
              { title: 'Due', cell: ({ nextAt }) => <Time at={nextAt} isDue /> },
              { title: 'When', cell: ({ schedule }) => whenInWords(schedule) },
            ]}
          />
        )}
      </div>
    </Card>
  )
}

/** The notifications that ended last. */
export function Recent({ appId, ended }: { appId: number; ended: readonly Delivery[] }) {
  return (
    <Card
      title="Recently sent"
      isFlush
      actions={
        <Button size="small" href={href(`/apps/${appId}/delivery`)}>
          See all
        </Button>
      }
    >
      <Table
        label="Recently sent"
        rows={ended.slice(0, 5)}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Notification',
            cell: ({ id, title, isTest }) => (
              <span>
                <a class="cell-link" href={linkTo(appId, id)}>
                  {title}
                </a>
                {isTest && <TestBadge />}
              </span>
            ),
          },
          {
            title: 'State',
            cell: ({ status }) => <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>,
            isTight: true,
          },
          { title: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
          { title: 'Accepted', cell: ({ counts }) => <Num value={counts.accepted} />, isNumeric: true },
          {
            title: 'Opened',
            cell: ({ counts }) => formatShare(counts.opened, counts.accepted),
            isNumeric: true,
          },
        ]}
      />
    </Card>
  )
}
