import { useSignal } from '@preact/signals'
import { ChartNoAxesColumn, CopyPlus, Download, OctagonX, Pencil, Send } from 'lucide'
import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Empty, Note, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { TargetWords } from '../../parts/target.tsx'
import { TestBadge } from '../../parts/test-badge.tsx'
import { KeyValues, More, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { pageOf } from '../home/leads.ts'
import { readable } from '../push/personal/template.ts'
import { SeriesLink } from '../series/link.tsx'
import { Fixed, isFixed } from './fixed.tsx'
import { Openers } from './openers.tsx'
import { Planned } from './planned.tsx'
import { ByLanguage, ByPlatform, Funnel, MissingValues, OpensByHour, ReasonsList } from './report.tsx'
import { SendNow } from './send-now.tsx'
import { SentRequests } from './sent.tsx'
import { Trace } from './trace.tsx'
import { Watch } from './watch.tsx'
import { whenInWords } from './when-words.ts'
import { counted, OVER, type Report, STATUS, sentence } from './words.ts'

/** A notification: while it is sent, its progress; then its outcome and the reasons. */
export default function DeliveryPage({ appId, params }: PageProps) {
  const id = Number(params['notificationId'])
  const loaded = useGet('/admin/v1/apps/{appId}/deliveries/{id}', { path: { appId, id } })
  const report = loaded.value.value
  if (report === undefined) {
    return (
      <div class="page">
        <PageHead title={`Notification ${id}`} crumbs={crumbsFor(appId)} />
        <Card>
          <Reading of={loaded} lines={6} />
        </Card>
      </div>
    )
  }
  return <Whole appId={appId} report={report} reload={loaded.reload} />
}

const crumbsFor = (appId: number) => [{ label: 'Delivery', href: href(`/apps/${appId}/delivery`) }]

interface WholeProps {
  appId: number
  report: Report
  reload(): void
}

function Whole({ appId, report, reload }: WholeProps) {
  const { id, status, statusReason } = report
  const state = STATUS[status]
  return (
    <div class="page">
      <Head key={id} appId={appId} report={report} reload={reload} />
      {statusReason !== null && (
        <Note
          tone={status === 5 ? 'bad' : 'warn'}
          title={`${status === 5 ? `${state.label}: ${statusReason}` : sentence(statusReason)}.`}
        />
      )}
      {isWaiting(report) && may('campaign', appId) && <Fixed appId={appId} report={report} />}
      {isWaiting(report) && <Planned appId={appId} report={report} />}
      {status < OVER && <Watch appId={appId} id={id} isScheduled={status === 0} onOver={reload} />}
      {isWaiting(report) ? (
        <Details appId={appId} report={report} />
      ) : (
        <Tabs
          label="About this notification"
          items={[
            { name: 'report', label: 'Report', panel: () => <ReportPanel appId={appId} report={report} /> },
            { name: 'recipients', label: 'Recipients', panel: () => <Recipients appId={appId} id={id} /> },
            { name: 'openers', label: 'Who opened', panel: () => <Openers appId={appId} id={id} /> },
            { name: 'sent', label: 'What was sent', panel: () => <SentRequests report={report} /> },
            { name: 'details', label: 'Details', panel: () => <Details appId={appId} report={report} /> },
          ]}
        />
      )}
    </div>
  )
}

/** Tells whether it waits for its time, and nobody was decided on. */
const isWaiting = ({ status, counts }: Report) => status === 0 && counts.audience === 0

/** The title, with the words of its values in place of braces. */
function titleOf({ id, title, personalization }: Report): string {
  if (title === '') return `Notification ${id}`
  return personalization === undefined ? title : readable(title)
}

/** Heading of the page: title and state, with the buttons that duplicate the notification or stop it. */
function Head({ appId, report, reload }: WholeProps) {
  const { id, status } = report
  const isStopping = useSignal(false)
  const isSending = useSignal(false)
  const compose = pageOf(appId, '/apps/:appId/push/new')
  return (
    <>
      <PageHead
        title={titleOf(report)}
        crumbs={crumbsFor(appId)}
        about={
          <span class="row">
            <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>
            {report.isTest && <TestBadge />}
            <span>
              created <Time at={report.createdAt} />
            </span>
          </span>
        }
        actions={
          <>
            {compose !== undefined && report.inAppMessageId === undefined && (
              <Button icon={CopyPlus} href={href(`${compose}?from=${id}`)}>
                Duplicate
              </Button>
            )}
            {isWaiting(report) && !isFixed(report) && may('campaign', appId) && (
              <>
                <Button icon={Pencil} href={href(`/apps/${appId}/delivery/${id}/edit`)}>
                  Edit
                </Button>
                <Button icon={Send} onClick={() => (isSending.value = true)}>
                  Send now
                </Button>
              </>
            )}
            {report.canStop && may('campaign', appId) && (
              <Button tone="danger" icon={OctagonX} onClick={() => (isStopping.value = true)}>
                {status === 0 ? 'Cancel it' : 'Stop sending'}
              </Button>
            )}
          </>
        }
      />
      {isSending.value && (
        <SendNow
          appId={appId}
          of="notifications"
          id={id}
          title={report.title}
          onSent={reload}
          onClose={() => (isSending.value = false)}
        />
      )}
      {isStopping.value && (
        <Stop appId={appId} report={report} onStopped={reload} onClose={() => (isStopping.value = false)} />
      )}
    </>
  )
}

interface StopProps {
  appId: number
  report: Report
  onStopped(): void
  onClose(): void
}

function Stop({ appId, report: { id, status, title }, onStopped, onClose }: StopProps) {
  return (
    <ConfirmDialog
      title={status === 0 ? 'Cancel this notification?' : 'Stop sending?'}
      action={status === 0 ? 'Cancel the notification' : 'Stop sending'}
      typed={String(id)}
      run={async () => {
        await api.post('/admin/v1/apps/{appId}/deliveries/{id}/stop', { path: { appId, id } })
        toast('It is stopped: nobody else gets it.')
        onStopped()
      }}
      onClose={onClose}
    >
      <p>
        Whoever has not got “{title}” by now does not get it. What Apple, Google and the others have accepted cannot be
        called back.
      </p>
      <AsCommand call={{ method: 'POST', path: `/admin/v1/apps/${appId}/deliveries/${id}/stop` }} />
    </ConfirmDialog>
  )
}

function ReportPanel({ appId, report }: { appId: number; report: Report }) {
  // Its figures are of the time at which it was read; above, they follow the send.
  if (report.status > 0 && report.status < OVER) {
    return <Empty icon={ChartNoAxesColumn} title="The report follows when everything is sent" />
  }
  return (
    <div class="stack loose">
      <Funnel report={report} />
      <ReasonsList appId={appId} report={report} />
      <MissingValues report={report} />
      <ByPlatform report={report} />
      <ByLanguage report={report} />
      <OpensByHour report={report} />
    </div>
  )
}

function Recipients({ appId, id }: { appId: number; id: number }) {
  const path = `/admin/v1/apps/${appId}/deliveries/${id}/recipients.csv`
  return (
    <div class="stack loose">
      <Trace appId={appId} id={id} />
      {may('campaign', appId) && (
        <Card
          title="All recipients as a file"
          about="One line for each device: its user, what became of it and why. The audit log notes who took it."
        >
          <div class="stack">
            <div class="row">
              <Button icon={Download} href={path} download={`notification-${id}-recipients.csv`}>
                Download CSV
              </Button>
              <Button icon={Download} href={`${path}?outcome=failed`} download={`notification-${id}-failed.csv`}>
                Only those not reached
              </Button>
            </div>
            <AsCommand command={command`notifications recipients ${id} --json`} call={{ method: 'GET', path }} />
          </div>
        </Card>
      )}
    </div>
  )
}

function Details({ appId, report }: { appId: number; report: Report }) {
  const { schedule, dueInstants, seriesId, inAppMessageId } = report
  return (
    <Card title="Details">
      <div class="stack">
        <KeyValues
          items={[
            ['Number', String(report.id)],
            ['Message', report.message],
            ['Push template', report.template && `${report.template.uid}, version ${report.template.version}`],
            ['Time of', seriesId && <SeriesLink key="series" appId={appId} id={seriesId} />],
            [
              'Announces',
              inAppMessageId && (
                <a key="message" href={href(`/apps/${appId}/in-app/${inAppMessageId}`)}>
                  In-app message {inAppMessageId}
                </a>
              ),
            ],
            ['Labels', report.labels?.join(', ')],
            ['Test', report.isTest && 'sent to see how it looks: it is in no figure of the app'],
            ['Created', <Time key="created" at={report.createdAt} isExact />],
            ['Expires', <Time key="expires" at={report.expiresAt} isExact />],
            [
              'To',
              <TargetWords
                key="to"
                appId={appId}
                target={report.filters}
                {...(report.counts.audience > 0 && { count: [report.counts.audience, 'devices'] as const })}
              />,
            ],
            ['When', schedule === null && !report.intelligentDelivery ? 'sent at once' : whenInWords(schedule)],
            ['Due times', dueInstants.length === 0 ? undefined : counted(dueInstants.length, 'due time')],
            [
              'Limit',
              report.ratePerSecond === null ? 'as fast as the gateways take it' : `${report.ratePerSecond} a second`,
            ],
          ]}
        />
        <More label="Raw">
          <JsonView value={report.filters} />
        </More>
      </div>
    </Card>
  )
}
