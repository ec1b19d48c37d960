import { MessageSquareText, Plus } from 'lucide'
import { usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import { LABEL, LabelSums, ORDER, useLabelFilter } from '../../forms/labels.tsx'
import { Button } from '../../parts/button.tsx'
import { Badge, Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { targetInWords } from '../../parts/targets.ts'
import { TestBadge } from '../../parts/test-badge.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, query } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Thumb } from './thumb.tsx'
import { STATUS, titleOf } from './words.ts'

const SHOWN = [LABEL, ORDER({ sent: 'Last sent first', due: 'Next due first' })]

/** The in-app messages of the app, the newest first or by their time. */
export default function Messages({ appId }: PageProps) {
  const order = query.value.get('order') as 'due' | 'sent' | null
  const { label, extra } = useLabelFilter(appId)
  const list = usePages(
    '/admin/v1/apps/{appId}/in-app-messages',
    { path: { appId }, query: { limit: 20, ...(label !== '' && { label }), ...(order && { order }) } },
    'messages',
  )
  const compose = may('campaign', appId) && (
    <Button tone="primary" icon={Plus} href={href(`/apps/${appId}/in-app/new`)}>
      Compose a message
    </Button>
  )
  return (
    <div class="page">
      <PageHead
        title="In-app messages"
        about="They appear inside the app, over what people do there. No gateway is needed."
        actions={compose}
      />
      <Filters rows={SHOWN} extras={{ label: extra }} />
      {label !== '' && <LabelSums appId={appId} label={label} />}
      <Card isFlush>
        <ListTable
          label="In-app messages"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: MessageSquareText,
            title: label === '' && !order ? 'No in-app messages yet' : 'None of these',
            about: 'Create a template, then send a message to the people who shall see it.',
            action: may('campaign', appId) && (
              <Button href={href(`/apps/${appId}/templates`)}>Create a template</Button>
            ),
          }}
          columns={[
            {
              title: 'Message',
              cell: (message) => (
                <div class="message-line">
                  <Thumb appId={appId} id={message.id} />
                  <div class="message-name">
                    <a class="cell-link" href={href(`/apps/${appId}/in-app/${message.id}`)} dir="auto">
                      {titleOf(message)}
                    </a>
                    <span class="quiet small-text">
                      {[message.template, `number ${message.id}`, ...(message.labels ?? [])].join(', ')}
                    </span>
                  </div>
                </div>
              ),
            },
            { title: 'To', cell: ({ filters }) => targetInWords(filters) },
            {
              title: 'State',
              cell: ({ status, isTest }) => (
                <span>
                  <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>
                  {isTest && <TestBadge />}
                </span>
              ),
            },
            order === 'due'
              ? { title: 'Due', cell: ({ nextAt }) => nextAt && <Time at={nextAt} isDue />, isTight: true }
              : {
                  title: order ? 'Sent' : 'Created',
                  cell: (one) => <Time at={(order && one.sentAt) ?? one.createdAt} />,
                  isTight: true,
                },
          ]}
        />
      </Card>
    </div>
  )
}
