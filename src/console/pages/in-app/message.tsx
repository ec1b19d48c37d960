import { useSignal } from '@preact/signals'
import { Pencil, Send } from 'lucide'
import { api } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { now } from '../../parts/now.ts'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { TargetWords } from '../../parts/target.tsx'
import { TestBadge } from '../../parts/test-badge.tsx'
import { KeyValues, Meter, More, Num, Stat, Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Fixed, isFixed } from '../delivery/fixed.tsx'
import { MissingValues } from '../delivery/report.tsx'
import { SendNow } from '../delivery/send-now.tsx'
import { whenInWords } from '../delivery/when-words.ts'
import { nameOfLanguage } from '../push/personal/languages.ts'
import { readable } from '../push/personal/template.ts'
import { SeriesLink } from '../series/link.tsx'
import { textOf } from '../templates/document.ts'
import { MessageFrame } from '../templates/frame.tsx'
import { SHOWN_WHEN } from './draft.ts'
import { readableDocument } from './readable-document.ts'
import { type Report, SCHEDULED, SKIPS, STATUS, stayInWords, titleOf } from './words.ts'

const WITHDRAWN = 4
const FAILED = 5

/** An in-app message: its outcome, and a button to take it back. */
export default function MessagePage({ appId, params }: PageProps) {
  const id = params['messageId']!
  const path = { appId, id }
  const report = useGet('/admin/v1/apps/{appId}/in-app-messages/{id}', { path })
  const isAsking = useSignal(false)
  const isSending = useSignal(false)
  const found = report.value.value
  const isScheduled = found?.status === SCHEDULED
  const mayWithdraw = found && found.status !== WITHDRAWN && found.status !== FAILED && may('campaign', appId)
  return (
    <div class="page">
      <PageHead
        title={found ? titleOf(found) : `Message ${id}`}
        about={
          found && (
            <>
              <Badge tone={STATUS[found.status].tone}>{STATUS[found.status].label}</Badge>
              {found.isTest && <TestBadge />}
            </>
          )
        }
        crumbs={[{ label: 'In-app messages', href: href(`/apps/${appId}/in-app`) }]}
        actions={
          found && (
            <>
              <Button onClick={report.reload}>Refresh</Button>
              {mayWithdraw && isScheduled && !isFixed(found) && (
                <>
                  <Button icon={Pencil} href={href(`/apps/${appId}/in-app/${id}/edit`)}>
                    Edit
                  </Button>
                  <Button icon={Send} onClick={() => (isSending.value = true)}>
                    Send now
                  </Button>
                </>
              )}
              {mayWithdraw && (
                <Button tone="danger" onClick={() => (isAsking.value = true)}>
                  {isScheduled ? 'Cancel it' : 'Withdraw'}
                </Button>
              )}
            </>
          )
        }
      />
      {!found && <Reading of={report} lines={6} />}
      {mayWithdraw && isScheduled && <Fixed appId={appId} report={found} />}
      {found && <Content report={found} appId={appId} />}
      {mayWithdraw && (
        <AsCommand
          command={command`in-app withdraw --app ${appId} ${id}`}
          call={{ method: 'DELETE', path: `/admin/v1/apps/${appId}/in-app-messages/${id}` }}
        />
      )}
      {isSending.value && found && (
        <SendNow
          appId={appId}
          of="in-app-messages"
          id={id}
          title={titleOf(found)}
          onSent={report.reload}
          onClose={() => (isSending.value = false)}
        />
      )}
      {isAsking.value && found && (
        <ConfirmDialog
          title={isScheduled ? 'Cancel this message?' : 'Withdraw this message'}
          action={isScheduled ? 'Cancel the message' : 'Withdraw the message'}
          typed={found.template}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/in-app-messages/{id}', { path })
            toast(isScheduled ? 'It is cancelled: nobody gets it.' : 'The message is withdrawn.')
            report.reload()
          }}
          onClose={() => (isAsking.value = false)}
        >
          {isScheduled ? (
            <p>Nobody gets it, nor a push that announces it.</p>
          ) : (
            <p>
              Nobody gets it any more, and devices that have it remove it the next time the app asks.{' '}
              {formatNumber(found.counts.shown)} {found.counts.shown === 1 ? 'person has' : 'people have'} seen it
              already.
            </p>
          )}
        </ConfirmDialog>
      )}
    </div>
  )
}

/** "51% of those who saw it"; undefined of nobody. */
const partOf = (part: number, whole: number, ofWhom: string): string | undefined =>
  whole === 0 ? undefined : `${formatShare(part, whole)} ${ofWhom}`

function Content({ report, appId }: { report: Report; appId: number }) {
  const { counts } = report
  const isWaiting = report.status === SCHEDULED
  return (
    <>
      {report.statusReason !== null && (
        <Note tone={report.status === FAILED ? 'bad' : 'info'} title={report.statusReason} />
      )}
      {!isWaiting && (
        <div class="grid stats">
          <Stat label="Recipients" value={<Num value={counts.recipients} />} more="people" />
          <Stat
            label="Shown to"
            value={<Num value={counts.shown} />}
            more={partOf(counts.shown, counts.recipients, 'of the recipients')}
          />
          <Stat
            label="Closed by"
            value={<Num value={counts.dismissed} />}
            more={partOf(counts.dismissed, counts.shown, 'of those who saw it')}
          />
          <Stat label="Read in the inbox by" value={<Num value={counts.read} />} more="people" />
        </div>
      )}
      <div class="message-report">
        <Card title="What people see">
          <div class="message-stage">
            <MessageFrame label="How the message looks" content={readableDocument(report.document)} width={220} />
          </div>
        </Card>
        <div class="stack loose">
          {!isWaiting && <Outcome report={report} />}
          <About report={report} appId={appId} />
        </div>
      </div>
      <ByLanguage report={report} />
      <MissingValues report={report} />
      <Values report={report} />
    </>
  )
}

function Outcome({ report: { counts, inbox } }: { report: Report }) {
  const of = (value: number, label: string) => (
    <Meter label={label} value={value} max={counts.recipients} warnAt={2} badAt={2} />
  )
  return (
    <Card title="What became of it" about="Counted in people, by what their devices report.">
      <div class="stack">
        {of(counts.delivered, 'Arrived on a device')}
        {of(counts.shown, 'Shown')}
        {of(counts.dismissed, 'Closed')}
        {inbox !== null && of(counts.read, 'Read in the inbox')}
        {inbox !== null && of(counts.inboxDeleted, 'Removed from the inbox')}
      </div>
    </Card>
  )
}

/** The due time of a message that has one for everybody. */
const dueOf = ({ schedule, nextAt }: Report) =>
  nextAt !== null && (schedule?.strategy === 'utc' || schedule?.strategy === 'timezone') ? [{ at: nextAt }] : []

function About({ report, appId }: { report: Report; appId: number }) {
  const { counts, push } = report
  return (
    <Card title="About it">
      <KeyValues
        items={[
          ['When', report.status === SCHEDULED && whenInWords(report.schedule, dueOf(report), now.value)],
          ['To', <TargetWords key="to" appId={appId} target={report.filters} />],
          [
            'Template',
            <a key="template" href={href(`/apps/${appId}/templates/${encodeURIComponent(report.template)}`)}>
              {report.template}, version {report.templateVersion}
            </a>,
          ],
          ['Shown', SHOWN_WHEN[report.presentedWhen]],
          [
            'Stays for',
            report.ttlSeconds === null ? 'As long as the app keeps it' : stayInWords(report.ttlSeconds / 3600),
          ],
          ['Labels', report.labels?.join(', ')],
          ['Time of', report.seriesId && <SeriesLink key="series" appId={appId} id={report.seriesId} />],
          ['Created', <Time key="created" at={report.createdAt} isExact />],
          [
            'Next people get it',
            report.nextAt === null || report.status === SCHEDULED ? undefined : (
              <Time key="next" at={report.nextAt} isExact />
            ),
          ],
          ['Edited', report.editedAt && <Time key="edited" at={report.editedAt} isExact />],
          ['Withdrawn', report.withdrawnAt === null ? undefined : <Time key="back" at={report.withdrawnAt} isExact />],
          ...(counts.skips ?? []).map(
            ({ reason, count }) => ['Left out', `${formatNumber(count)} who ${SKIPS[reason] ?? reason}`] as const,
          ),
          [
            'Push with it',
            push === null ? undefined : (
              <a key="push" href={href(`/apps/${appId}/delivery/${push.notificationId}`)}>
                Number {push.notificationId}, opened by {formatNumber(push.counts.opened)}
              </a>
            ),
          ],
        ]}
      />
    </Card>
  )
}

/** People by the language that they got, the most frequent one first. */
function ByLanguage({ report: { languages = [] } }: { report: Report }) {
  if (languages.length === 0) return null
  return (
    <Card title="By language" isFlush>
      <Table
        label="By language"
        rows={languages}
        keyOf={({ language }) => language}
        columns={[
          { title: 'Language', cell: ({ language }) => nameOfLanguage(language) },
          { title: 'Recipients', cell: ({ recipients }) => <Num value={recipients} />, isNumeric: true },
          { title: 'Shown to', cell: ({ shown }) => <Num value={shown} />, isNumeric: true },
          { title: 'Read by', cell: ({ read }) => <Num value={read} />, isNumeric: true },
        ]}
      />
    </Card>
  )
}

/** The values of the tags in words; as data behind a button. */
function Values({ report: { content } }: { report: Report }) {
  const values = Object.entries(content)
  if (values.length === 0) return null
  return (
    <Card title="Texts">
      <div class="stack">
        <KeyValues
          items={values.map(([title, value]) => [
            title,
            <span key={title} dir="auto">
              {readable(textOf(value))}
            </span>,
          ])}
        />
        <More label="As data">
          <JsonView value={content} />
        </More>
      </div>
    </Card>
  )
}
