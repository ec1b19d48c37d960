import { type Signal, useSignal } from '@preact/signals'
import { Pause, Pencil, Play } from 'lucide'
import { api } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { type Loaded, useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { TargetWords } from '../../parts/target.tsx'
import { KeyValues, Num, Stat, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { sentence } from '../delivery/words.ts'
import { NextTimes } from './next-times.tsx'
import { EACH_PHONE, type Rule, ruleInWords, ruleOf, wallInWords, zoneInWords } from './rule.ts'
import { fateOf, type Report, reportOf, STATES, titleOf } from './words.ts'

const SERIES = '/admin/v1/apps/{appId}/series/{id}'
const STEPS = { pause: 'The series is paused.', resume: 'The series goes on.' } as const

/** A send that repeats: its next times, what became of its last ones, and the buttons that pause, change and end it. */
export default function OneSeries({ appId, params }: PageProps) {
  const id = params['seriesId']!
  const report = useGet(SERIES, { path: { appId, id } })
  const isEnding = useSignal(false)
  const found = report.value.value
  return (
    <div class="page">
      <PageHead
        title={found ? titleOf(found) : `Series ${id}`}
        about={found && <Badge tone={STATES[found.state].tone}>{STATES[found.state].label}</Badge>}
        crumbs={[{ label: 'Series', href: href(`/apps/${appId}/series`) }]}
        actions={
          found && may('campaign', appId) && <Actions appId={appId} found={found} report={report} isEnding={isEnding} />
        }
      />
      <Reading of={report} lines={8}>
        {(now) => <Whole appId={appId} found={now} />}
      </Reading>
      {isEnding.value && found && (
        <ConfirmDialog
          title="End this series?"
          action="End the series"
          run={async () => {
            report.set(await api.post('/admin/v1/apps/{appId}/series/{id}/end', { path: { appId, id } }))
            toast('The series is ended.')
          }}
          onClose={() => (isEnding.value = false)}
        >
          <p>
            It is not sent again, and this cannot be undone. What has not begun is cancelled; the reports of its times
            stay.
          </p>
        </ConfirmDialog>
      )}
    </div>
  )
}

interface ActionsProps {
  appId: number
  found: Report
  report: Loaded<Report>
  isEnding: Signal<boolean>
}

function Actions({ appId, found: { id, state }, report, isEnding }: ActionsProps) {
  const path = { appId, id }
  const step = async (which: keyof typeof STEPS) => {
    try {
      report.set(await api.post(`/admin/v1/apps/{appId}/series/{id}/${which}`, { path }))
      toast(STEPS[which])
    } catch (error) {
      toast(messageOf(error))
    }
  }
  return (
    <>
      <Button onClick={report.reload}>Refresh</Button>
      {state !== 'ended' && (
        <Button icon={Pencil} href={href(`/apps/${appId}/series/${id}/change`)}>
          Edit
        </Button>
      )}
      {state === 'active' && (
        <Button icon={Pause} onClick={() => step('pause')}>
          Pause
        </Button>
      )}
      {(state === 'paused' || state === 'broken') && (
        <Button tone="primary" icon={Play} onClick={() => step('resume')}>
          Resume
        </Button>
      )}
      {state !== 'ended' && (
        <Button tone="danger" onClick={() => (isEnding.value = true)}>
          End
        </Button>
      )}
    </>
  )
}

function Whole({ appId, found }: { appId: number; found: Report }) {
  const { id, state, next, sent, missed, unreached } = found
  const rule = ruleOf(found.schedule)
  return (
    <div class="stack loose">
      <State found={found} />
      <div class="grid stats">
        <Stat label="Times planned" value={<Num value={sent} />} more="with the next one, each with its report" />
        <Stat label="Times missed" value={<Num value={missed} />} more="the server was down" />
        <Stat label="Times nobody was reached" value={<Num value={unreached} />} more="of those who are named" />
      </div>
      <div class="grid halves">
        {rule && state === 'active' && (
          <Card title="Ahead">
            <NextTimes times={next} timezone={rule.timezone} />
          </Card>
        )}
        <About appId={appId} found={found} rule={rule} />
      </div>
      <Times appId={appId} found={found} />
      {state !== 'ended' && may('campaign', appId) && (
        <AsCommand
          command={command`series ${state === 'active' ? 'pause' : 'resume'} --app ${appId} ${id}`}
          call={{
            method: 'POST',
            path: `/admin/v1/apps/${appId}/series/${id}/${state === 'active' ? 'pause' : 'resume'}`,
          }}
        />
      )}
    </div>
  )
}

/** Note of the reason why a series does not go on, and of the remedy. */
function State({ found: { state, why } }: { found: Report }) {
  if (state === 'paused') return <Note tone="warn" title="Times that pass while it is paused are left out." />
  if (state === 'ended' && why !== null) return <Note title={`${sentence(why)}.`} />
  if (state !== 'broken') return null
  return (
    <Note tone="bad" title={why === null ? 'It is not sent any more.' : `It is not sent any more: ${why}.`}>
      Mend that, or change the series so that it does without. Then resume it.
    </Note>
  )
}

function About({ appId, found, rule }: { appId: number; found: Report; rule: Rule | undefined }) {
  const { kind, request, createdAt, endedAt } = found
  const target = request['target'] as Record<string, unknown> | undefined
  return (
    <Card title="About it">
      <KeyValues
        items={[
          ['Repeats', rule && ruleInWords(rule)],
          ['Sends', kind === 'push' ? 'A push' : 'An in-app message'],
          // Viewers cannot tell from what they are given.
          ['To', may('campaign', appId) && target ? <TargetWords key="to" appId={appId} target={target} /> : undefined],
          ['Created', <Time key="created" at={createdAt} isExact />],
          ['Ended', endedAt === null ? undefined : <Time key="ended" at={endedAt} isExact />],
        ]}
      />
    </Card>
  )
}

function Times({ appId, found: { kind, occurrences, schedule } }: { appId: number; found: Report }) {
  const zone = ruleOf(schedule)?.timezone ?? EACH_PHONE
  return (
    <Card
      title="Its last times"
      about={`${zone === EACH_PHONE ? 'On each phone’s clock' : `In ${zoneInWords(zone)}`}, the newest first.`}
      isFlush
    >
      <Table
        label="Its last times"
        rows={occurrences}
        keyOf={({ local }) => local}
        empty={<p class="quiet flush-part">There was none yet.</p>}
        columns={[
          {
            title: 'Time',
            cell: (one) => {
              const report = reportOf(appId, one)
              const words = wallInWords(one.local)
              return report === undefined ? (
                words
              ) : (
                <a class="cell-link" href={href(report)}>
                  {words}
                </a>
              )
            },
          },
          {
            title: 'Outcome',
            cell: (one) => {
              const { label, tone } = fateOf(kind, one)
              return <Badge tone={tone}>{label}</Badge>
            },
            isTight: true,
          },
          {
            title: 'Report',
            cell: (one) => {
              const number = one.notificationId ?? one.messageId
              return number && `Number ${formatNumber(number)}`
            },
            isTight: true,
          },
        ]}
      />
    </Card>
  )
}
