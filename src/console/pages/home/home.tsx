import { Send } from 'lucide'
import { useRef } from 'preact/hooks'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { SelectField } from '../../parts/field.tsx'
import { PERIODS, periodOf } from '../../parts/periods.ts'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead, Steps } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { appZone } from '../../parts/zones.ts'
import type { PageProps } from '../../state/page.ts'
import { href, query, setQuery } from '../../state/router.ts'
import { currentApp } from '../../state/session.ts'
import { type Overview, sentence } from '../delivery/words.ts'
import { isTyped } from '../health/remedy.ts'
import { FirstInstall } from '../keys/first-install.tsx'
import { Snippets } from '../keys/snippets.tsx'
import { Audience } from './audience.tsx'
import { leadOf, pageOf, STEP_PAGES } from './leads.ts'
import { Pushes } from './pushes.tsx'
import { Recent, UnderWay } from './under-way.tsx'

/** The home of an app: what is wrong, what is still to do, what is under way, whom it reaches, and the pushes of a period. */
export default function Home({ appId }: PageProps) {
  const days = periodOf(query.value.get('days'))
  const overview = useGet('/admin/v1/apps/{appId}/overview', {
    path: { appId },
    query: { zone: appZone(), days: Number(days) },
  })
  // While another period is read, what was read stays, and so does the focus.
  const kept = useRef<{ appId: number; value: Overview } | undefined>(undefined)
  const read = overview.value.value
  if (read !== undefined) kept.current = { appId, value: read }
  const isKept = kept.current?.appId === appId && overview.error.value === undefined
  const now = read ?? (isKept ? kept.current?.value : undefined)
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
          <Alarms appId={appId} alarms={now.alarms} />
          {isNew && <FirstSteps appId={appId} steps={now.steps} />}
          {isOpen('install') && <Snippets appId={appId} />}
          {isOpen('push') && <FirstInstall appId={appId} />}
          {(now.running.length > 0 || now.scheduled.length > 0) && <UnderWay appId={appId} overview={now} />}
          <Audience
            overview={now}
            period={
              <SelectField
                name="days"
                label="Of the last"
                value={days}
                options={PERIODS}
                onChange={(value) => setQuery({ days: value })}
              />
            }
          />
          <Pushes overview={now} />
          {now.ended.length > 0 && <Recent appId={appId} ended={now.ended} />}
        </>
      )}
    </div>
  )
}

/** The alarms that a page shows one by one: more would hide whom it is about. */
const MOST_ALARMS = 3

function Alarms({ appId, alarms }: { appId: number; alarms: Overview['alarms'] }) {
  const notes = alarms.map((alarm) => <AlarmNote key={alarm.check + alarm.sentence} appId={appId} alarm={alarm} />)
  // The last place is for the rest, unless that is a single one.
  const shown = notes.length > MOST_ALARMS + 1 ? MOST_ALARMS : notes.length
  return (
    <>
      {notes.slice(0, shown)}
      {notes.length > shown && (
        <More label={`${notes.length - shown} more`}>
          <div class="stack">{notes.slice(shown)}</div>
        </More>
      )}
    </>
  )
}

function AlarmNote({ appId, alarm }: { appId: number; alarm: Overview['alarms'][number] }) {
  const lead = leadOf(appId, alarm.check)
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
      {isTyped(alarm.remedy) ? <Code text={alarm.remedy} label="Copy the command" wraps /> : `Remedy: ${alarm.remedy}`}
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
