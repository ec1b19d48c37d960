import { Send } from 'lucide'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { Code } from '../../parts/code.tsx'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead, Steps } from '../../parts/surfaces.tsx'
import { Stat } from '../../parts/values.tsx'
import { viewerZone } from '../../parts/zones.ts'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { currentApp } from '../../state/session.ts'
import { type Overview, sentence } from '../delivery/words.ts'
import { FirstInstall } from '../keys/first-install.tsx'
import { Snippets } from '../keys/snippets.tsx'
import { leadOf, pageOf, STEP_PAGES } from './leads.ts'
import { Recent, UnderWay } from './under-way.tsx'

/** The home of an app: what is still to do, what is wrong, two weeks of pushes, what is under way. */
export default function Home({ appId }: PageProps) {
  const overview = useGet('/admin/v1/apps/{appId}/overview', { path: { appId }, query: { zone: viewerZone() } })
  const now = overview.value.value
  const compose = pageOf(appId, '/apps/:appId/push/new')
  const isOpen = (which: Overview['steps'][number]['step']) =>
    now?.steps.some(({ step, done }) => step === which && !done) ?? false
  const isNew = now?.steps.some(({ done }) => !done) ?? false
  return (
    <div class="page">
      <PageHead
        title={currentApp.value?.name ?? 'Home'}
        windowTitle="Home"
        actions={
          compose !== undefined && (
            <Button tone={isNew ? 'plain' : 'primary'} icon={Send} href={href(compose)}>
              Compose a push
            </Button>
          )
        }
      />
      {now === undefined ? (
        <Card>
          <Reading of={overview} lines={6} />
        </Card>
      ) : (
        <>
          {now.alarms.map((alarm) => (
            <AlarmNote key={alarm.check + alarm.sentence} appId={appId} alarm={alarm} />
          ))}
          {isNew && <FirstSteps appId={appId} steps={now.steps} />}
          {isOpen('install') && <Snippets appId={appId} />}
          {isOpen('push') && <FirstInstall appId={appId} />}
          {(now.running.length > 0 || now.scheduled.length > 0) && <UnderWay appId={appId} overview={now} />}
          <TwoWeeks overview={now} />
          {now.ended.length > 0 && <Recent appId={appId} ended={now.ended} />}
        </>
      )}
    </div>
  )
}

function AlarmNote({ appId, alarm }: { appId: number; alarm: Overview['alarms'][number] }) {
  const lead = leadOf(appId, alarm.check)
  const isCommand = alarm.remedy.startsWith('appsvc ')
  return (
    <Note
      tone={alarm.level === 'error' ? 'bad' : 'warn'}
      title={`${sentence(alarm.sentence)}.`}
      actions={
        lead && (
          <Button size="small" href={href(lead.path)}>
            {lead.label}
          </Button>
        )
      }
    >
      {isCommand ? <Code text={alarm.remedy} label="Copy the command" wraps /> : `Remedy: ${alarm.remedy}`}
    </Note>
  )
}

const TITLES: Readonly<Record<Overview['steps'][number]['step'], string>> = {
  gateway: 'Connect a gateway',
  install: 'Start the app on a device',
  push: 'Send the first push',
  open: 'Open it on the device',
}

function FirstSteps({ appId, steps }: { appId: number; steps: Overview['steps'] }) {
  const next = steps.findIndex(({ done }) => !done)
  return (
    <Card title="First steps" about={`${steps.filter(({ done }) => done).length} of ${steps.length} done`}>
      <Steps
        items={steps.map(({ step, done, sentence: what }, i) => {
          const { label, pages } = STEP_PAGES[step]!
          const path = pageOf(appId, ...pages)
          return {
            title: TITLES[step],
            about: `${sentence(what)}.`,
            isDone: done,
            action:
              i === next && path !== undefined ? (
                <Button tone="primary" href={href(path)}>
                  {label}
                </Button>
              ) : undefined,
          }
        })}
      />
    </Card>
  )
}

function TwoWeeks({ overview: { days, total } }: { overview: Overview }) {
  const sends = total.accepted + total.failed + total.unknown
  const labels = days.map(({ day }) =>
    new Date(`${day}T12:00:00`).toLocaleDateString(undefined, { day: 'numeric', month: 'short' }),
  )
  return (
    <Card title="Sends and opens" about={`The last ${days.length} days, in the zone ${viewerZone()}`}>
      {sends + total.opened === 0 ? (
        <p class="quiet">Nothing was sent in these days. What you send will show here, day by day.</p>
      ) : (
        <div class="stack loose">
          <div class="grid stats">
            <Stat label="Accepted by gateways" value={formatNumber(total.accepted, true)} more="pushes" />
            <Stat
              label="Confirmed by the device"
              value={formatNumber(total.delivered, true)}
              more={`${formatShare(total.delivered, total.accepted)} of the accepted`}
            />
            <Stat
              label="Opened"
              value={formatNumber(total.opened, true)}
              more={`${formatShare(total.opened, total.accepted)} of the accepted`}
            />
            <Stat
              label="Not reached"
              value={formatNumber(total.failed, true)}
              more={`${formatShare(total.failed, sends)} of the sent`}
            />
          </div>
          <Chart
            title={`Pushes accepted and opened, last ${days.length} days`}
            kind="bar"
            labels={labels}
            series={[
              { label: 'Accepted by gateways', values: days.map(({ accepted }) => accepted) },
              { label: 'Opened', values: days.map(({ opened }) => opened) },
            ]}
          />
        </div>
      )}
    </Card>
  )
}
