import { useSignal } from '@preact/signals'
import { CopyPlus, Download, OctagonX } from 'lucide'
import { useEffect } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { KeyValues, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { pageOf } from '../home/leads.ts'
import { ByPlatform, Funnel, OpensByHour, ReasonsList } from './report.tsx'
import { SentRequests } from './sent.tsx'
import { Trace } from './trace.tsx'
import { Watch } from './watch.tsx'
import { counted, OVER, type Report, STATUS } from './words.ts'

/** A notification: while it is sent, its progress; then its outcome and the reasons. */
export default function DeliveryPage({ appId, params }: PageProps) {
  const id = Number(params['notificationId'])
  const loaded = useGet('/admin/v1/apps/{appId}/deliveries/{id}', { path: { appId, id } })
  const isStopping = useSignal(false)
  useEffect(() => void (isStopping.value = false), [id])
  const report = loaded.value.value
  const list = { label: 'Delivery', href: href(`/apps/${appId}/delivery`) }
  if (report === undefined) {
    return (
      <div class="page">
        <PageHead title={`Notification ${id}`} crumbs={[list]} />
        <Card>
          <Reading of={loaded} lines={6} />
        </Card>
      </div>
    )
  }
  const state = STATUS[report.status]
  const isOver = report.status >= OVER
  const compose = pageOf(appId, '/apps/:appId/push/new')
  const mayStop = report.canStop && may('campaign', appId)
  return (
    <div class="page">
      <PageHead
        title={report.title === '' ? `Notification ${id}` : report.title}
        crumbs={[list]}
        about={
          <span class="row">
            <Badge tone={state.tone}>{state.label}</Badge>
            <span>
              made <Time at={report.createdAt} />
            </span>
          </span>
        }
        actions={
          <>
            {compose !== undefined && (
              <Button icon={CopyPlus} href={href(`${compose}?from=${id}`)}>
                Duplicate
              </Button>
            )}
            {mayStop && (
              <Button tone="danger" icon={OctagonX} onClick={() => (isStopping.value = true)}>
                {report.status === 0 ? 'Cancel it' : 'Stop sending'}
              </Button>
            )}
          </>
        }
      />
      {report.statusReason !== null && (
        <Note tone={report.status === 5 ? 'bad' : 'warn'} title={`${state.label}: ${report.statusReason}.`} />
      )}
      {!isOver && <Watch appId={appId} id={id} isScheduled={report.status === 0} onOver={loaded.reload} />}
      <Tabs
        label="About this notification"
        items={[
          { name: 'report', label: 'Report', panel: () => <ReportPanel appId={appId} report={report} /> },
          { name: 'recipients', label: 'Recipients', panel: () => <Recipients appId={appId} id={id} /> },
          { name: 'sent', label: 'What was sent', panel: () => <SentRequests report={report} /> },
          { name: 'details', label: 'Details', panel: () => <Details report={report} /> },
        ]}
      />
      {isStopping.value && (
        <ConfirmDialog
          title={report.status === 0 ? 'Cancel this notification?' : 'Stop sending?'}
          action={report.status === 0 ? 'Cancel the notification' : 'Stop sending'}
          typed={String(id)}
          run={async () => {
            await api.post('/admin/v1/apps/{appId}/deliveries/{id}/stop', { path: { appId, id } })
            toast('It is stopped: nobody else gets it.')
            loaded.reload()
          }}
          onClose={() => (isStopping.value = false)}
        >
          <p>
            Whoever has not got “{report.title}” by now does not get it. What Apple, Google and the others have accepted
            cannot be called back.
          </p>
          <AsCommand call={{ method: 'POST', path: `/admin/v1/apps/${appId}/deliveries/${id}/stop` }} />
        </ConfirmDialog>
      )}
    </div>
  )
}

function ReportPanel({ appId, report }: { appId: number; report: Report }) {
  return (
    <div class="stack loose">
      <Funnel report={report} />
      <ReasonsList appId={appId} report={report} />
      <ByPlatform report={report} />
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
          about="One line for each install: its user, what became of it and why. The audit log notes who took it."
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

const GOES_OUT = {
  utc: 'to everybody at once',
  timezone: 'in the order of time zones, at the local time of each device',
  local: 'at the local time of each device',
  intelligent: 'when each person usually opens the app',
} as const

function Details({ report }: { report: Report }) {
  const { schedule, dueInstants } = report
  return (
    <Card title="Details">
      <KeyValues
        items={[
          ['Number', String(report.id)],
          ['Message', report.message],
          ['Made', <Time key="made" at={report.createdAt} isExact />],
          ['Expires', <Time key="expires" at={report.expiresAt} isExact />],
          ['Goes to', <code key="filters">{JSON.stringify(report.filters)}</code>],
          ['Schedule', schedule === null ? 'sent at once' : `${schedule.sendAt}, ${GOES_OUT[schedule.strategy]}`],
          ['Due times', dueInstants.length === 0 ? undefined : counted(dueInstants.length, 'due time')],
          [
            'Limit',
            report.ratePerSecond === null ? 'as fast as the gateways take it' : `${report.ratePerSecond} a second`,
          ],
        ]}
      />
    </Card>
  )
}
