import { CircleCheckBig, Download, Printer } from 'lucide'
import { Button } from '../../parts/button.tsx'
import { Chart } from '../../parts/chart.tsx'
import { now } from '../../parts/now.ts'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { platformName, vendorOf, vendorsOf } from '../../parts/platforms.ts'
import { saveFile } from '../../parts/save-file.ts'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { Copyable, Num } from '../../parts/values.tsx'
import { appZone, instantFrom } from '../../parts/zones.ts'
import { href } from '../../state/router.ts'
import { nameOfLanguage } from '../push/personal/languages.ts'
import { inWords } from '../push/personal/template.ts'
import { csvOf } from './csv.ts'
import { usualInWords } from './usual.ts'
import { counted, type Report, sentence } from './words.ts'

/** The share of a whole, as a percentage. */
const shareOf =
  (whole: number) =>
  (part: number): string =>
    formatShare(part, whole)

/** Recipients, accepted, confirmed, opened. */
export function Funnel({ report }: { report: Report }) {
  const { id, counts, platforms } = report
  const usual = usualInWords(report, now.value)
  const vendors = vendorsOf(platforms.filter(({ accepted }) => accepted > 0).map(({ platform }) => platform))
  const steps = [
    ['Recipients', counts.audience, 'devices it was meant for', undefined],
    [`Accepted by ${vendors}`, counts.accepted, 'taken over, to be shown by the device', shareOf(counts.audience)],
    ['Confirmed by the device', counts.delivered, 'the app reported that it arrived', shareOf(counts.accepted)],
    ['Opened', counts.opened, 'somebody tapped it', shareOf(counts.accepted)],
  ] as const
  return (
    <Card
      title="From recipients to opening"
      about="Confirmed and opened are shares of the accepted. A device confirms only where the app reports it, so fewer are confirmed than arrive."
      actions={
        <>
          <Button
            size="small"
            icon={Download}
            onClick={() => saveFile(`notification-${id}.csv`, csvOf(report), 'text/csv')}
          >
            Export CSV
          </Button>
          <Button size="small" icon={Printer} onClick={() => print()}>
            Print
          </Button>
        </>
      }
    >
      {usual !== undefined && <p class="funnel-usual">{usual}</p>}
      <ol class="funnel" aria-label="From recipients to opening">
        {steps.map(([label, value, about, share]) => (
          <li key={label} class="funnel-step">
            <span>
              {label}
              <br />
              <span class="quiet small-text">{about}</span>
            </span>
            <span class="funnel-bar" aria-hidden="true">
              <i style={{ inlineSize: `${counts.audience === 0 ? 0 : Math.min(1, value / counts.audience) * 100}%` }} />
            </span>
            <span class="funnel-number number">
              {formatNumber(value)} <span class="quiet">{share?.(value)}</span>
            </span>
          </li>
        ))}
      </ol>
    </Card>
  )
}

/** The same by platform. */
export function ByPlatform({ report: { platforms } }: { report: Report }) {
  if (platforms.length === 0) return null
  return (
    <Card title="By platform" isFlush>
      <Table
        label="By platform"
        rows={platforms}
        keyOf={({ platform }) => platform ?? 'none'}
        columns={[
          { title: 'Platform', cell: ({ platform }) => platformName(platform) },
          { title: 'Accepted by', cell: ({ platform }) => sentence(vendorOf(platform)) },
          { title: 'Recipients', cell: ({ audience }) => <Num value={audience} />, isNumeric: true },
          { title: 'Accepted', cell: ({ accepted }) => <Num value={accepted} />, isNumeric: true },
          { title: 'Confirmed', cell: ({ delivered }) => <Num value={delivered} />, isNumeric: true },
          { title: 'Opened', cell: ({ opened }) => <Num value={opened} />, isNumeric: true },
          { title: 'Not reached', cell: ({ failed }) => <Num value={failed} />, isNumeric: true },
        ]}
      />
    </Card>
  )
}

/** Accepted and opened by language, the most frequent one first. */
export function ByLanguage({ report: { languages = [] } }: { report: Report }) {
  if (languages.length === 0) return null
  return (
    <Card title="By language" isFlush>
      <Table
        label="By language"
        rows={languages}
        keyOf={({ language }) => language}
        columns={[
          { title: 'Language', cell: ({ language }) => nameOfLanguage(language) },
          { title: 'Accepted', cell: ({ accepted }) => <Num value={accepted} />, isNumeric: true },
          { title: 'Opened', cell: ({ opened }) => <Num value={opened} />, isNumeric: true },
          {
            title: 'Opened of accepted',
            cell: ({ accepted, opened }) => <span class="number">{formatShare(opened, accepted)}</span>,
            isNumeric: true,
          },
        ]}
      />
    </Card>
  )
}

/** Values that were missing, with the number of recipients who got nothing for it. */
export function MissingValues({ report: { personalization } }: { report: Pick<Report, 'personalization'> }) {
  if (personalization === undefined || personalization.missing.length === 0) return null
  return (
    <Card title="Values that were missing" about="Whoever lacked one got nothing." isFlush>
      <Table
        label="Values that were missing"
        rows={personalization.missing}
        keyOf={({ expression }) => expression}
        columns={[
          {
            title: 'Value',
            cell: ({ expression }) => (
              <div class="delivery-name">
                <span>{sentence(inWords(expression))}</span>
                <span class="quiet small-text mono">{expression}</span>
              </div>
            ),
          },
          { title: 'Recipients', cell: ({ count }) => <Num value={count} />, isNumeric: true },
        ]}
      />
    </Card>
  )
}

const OUTCOMES = {
  failed: { label: 'Not reached', tone: 'bad' },
  skipped: { label: 'Left out', tone: 'info' },
  expired: { label: 'Expired', tone: 'warn' },
  cancelled: { label: 'Cancelled', tone: 'warn' },
  unknown: { label: 'No answer', tone: 'warn' },
} as const

/** Reasons why recipients did not get the notification, each with its remedy. */
export function ReasonsList({ appId, report: { reasons, counts } }: { appId: number; report: Report }) {
  if (reasons.length === 0) {
    return (
      <Card title="Why some did not get it">
        <Empty icon={CircleCheckBig} title={counts.pending > 0 ? 'Nobody was missed so far' : 'Nobody was missed'}>
          Recipients who cannot be reached, or are left out, stand here with the reason.
        </Empty>
      </Card>
    )
  }
  return (
    <Card title="Why some did not get it" isFlush>
      <Table
        label="Why some did not get it"
        rows={reasons}
        keyOf={({ outcome, kind, reason }) => `${outcome} ${kind} ${reason}`}
        columns={[
          {
            title: 'Reason',
            cell: (one) => (
              <div class="delivery-name">
                <span>{sentence(one.sentence ?? one.reason)}.</span>
                {one.reason !== one.kind && (
                  <span class="quiet small-text">
                    The vendor said: <span class="mono">{one.reason}</span>
                  </span>
                )}
              </div>
            ),
          },
          {
            title: 'Counted as',
            cell: ({ outcome }) => <Badge tone={OUTCOMES[outcome].tone}>{OUTCOMES[outcome].label}</Badge>,
            isTight: true,
          },
          {
            title: 'What to do',
            cell: ({ remedy }) => (
              <div class="delivery-name">
                {remedy === null ? (
                  <span class="quiet">Nothing needs to be done.</span>
                ) : (
                  <Remedy appId={appId} text={remedy} />
                )}
              </div>
            ),
          },
          { title: 'Recipients', cell: ({ count }) => <Num value={count} />, isNumeric: true },
        ]}
      />
    </Card>
  )
}

/** Remedies end with the command that helps, where there is one. */
const COMMAND = /:? (appsvc(?: [a-z-]+)+)$/

/** A remedy: a command in it can be copied, and for gateways there is a link to their page. */
function Remedy({ appId, text }: { appId: number; text: string }) {
  const command = COMMAND.exec(text)
  if (command === null) return <>{sentence(text)}.</>
  const isOfGateways = command[1]!.startsWith('appsvc gateways ')
  return (
    <>
      <span>
        {sentence(text.slice(0, command.index))}:
        {isOfGateways && (
          <>
            {' '}
            <a href={href(`/apps/${appId}/gateways`)}>see the gateways</a>, or run
          </>
        )}
      </span>
      <Copyable text={command[1]!} />
    </>
  )
}

const HOUR_MS = 3_600_000
const SHOWN = 48

/** Opens hour by hour, in the zone of the app. */
export function OpensByHour({ report: { hours } }: { report: Report }) {
  const first = hours[0]
  const opens = hours.reduce((sum, { opened }) => sum + opened, 0)
  if (!first || opens === 0) return null
  const start = instantFrom(first.at).getTime()
  const byHour = new Map(hours.map((hour) => [Math.round((instantFrom(hour.at).getTime() - start) / HOUR_MS), hour]))
  const last = Math.min(SHOWN, Math.max(...byHour.keys()) + 1)
  const zone = appZone()
  const all = Array.from({ length: last }, (_, i) => byHour.get(i))
  const shown = all.reduce((sum, hour) => sum + (hour?.opened ?? 0), 0)
  return (
    <Card
      title="Opens by hour"
      about={
        (shown < opens
          ? `The first ${last} hours; ${counted(opens - shown, 'open')} came later.`
          : 'Since the first recipients were sent to.') + ` Time in ${zone.replaceAll('_', ' ')}`
      }
    >
      <Chart
        title="Opens by hour"
        kind="bar"
        labels={all.map((_, i) =>
          new Date(start + i * HOUR_MS).toLocaleString(undefined, {
            weekday: 'short',
            hour: 'numeric',
            timeZone: zone,
          }),
        )}
        series={[{ label: 'Opened', values: all.map((hour) => hour?.opened ?? 0) }]}
      />
    </Card>
  )
}
