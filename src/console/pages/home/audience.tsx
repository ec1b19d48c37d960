import type { ComponentChildren } from 'preact'
import { formatNumber, formatShare } from '../../parts/numbers.ts'
import { platformName } from '../../parts/platforms.ts'
import { Card } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { Num, Stat } from '../../parts/values.tsx'
import { counted, type Overview } from '../delivery/words.ts'
import { changeInWords } from './change.ts'

const short = (value: number) => formatNumber(value, true)
const dayWords = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeZone: 'UTC' })

/** The people and devices of an app now, and how many came and went in the period. */
export function Audience({ overview, period }: { overview: Overview; period: ComponentChildren }) {
  const { people, installs, days } = overview
  return (
    <Card
      title="Audience"
      about={`Whom pushes reach now, and who came and went in the last ${days.length} days`}
      actions={period}
    >
      {installs.total === 0 && people === 0 ? (
        <p class="quiet">Nobody has started the app yet. Devices and people show here as soon as they report.</p>
      ) : (
        <div class="stack loose">
          <Figures overview={overview} />
          <p class="quiet">{comparedWith(overview)}</p>
          <Platforms installs={installs} />
        </div>
      )}
    </Card>
  )
}

function Figures({ overview: { people, installs, period } }: { overview: Overview }) {
  const { changes, before } = period
  const changed = (label: string, name: keyof typeof changes) => (
    <Stat label={label} value={short(changes[name])} more={changeInWords(changes[name], before?.[name])} />
  )
  return (
    <div class="grid stats">
      <Stat
        label="Reachable devices"
        value={short(installs.reachable)}
        more={`${formatShare(installs.reachable, installs.total)} of ${short(installs.total)}`}
      />
      <Stat label="People" value={short(people)} more="users of the app" />
      {changed('New devices', 'added')}
      {changed('Lost devices', 'lost')}
      {changed('Opt-outs', 'optedOut')}
    </div>
  )
}

/** A sentence about the comparison: with which days, or why there is none. */
function comparedWith({ days, period: { before, countedSince } }: Overview): string {
  const meaning = 'Lost: the app was removed, or its token ended. An opt-out turned notifications off. Days are in UTC'
  if (before !== null) return `Compared with the ${days.length} days before. ${meaning}.`
  if (countedSince === null) return `Nothing has changed since counting began. ${meaning}.`
  return `Counted since ${dayWords.format(new Date(countedSince))}: too short to compare with the ${days.length} days before. ${meaning}.`
}

function Platforms({ installs: { platforms } }: { installs: Overview['installs'] }) {
  const known = platforms.filter(({ platform }) => platform !== null)
  const without = platforms.find(({ platform }) => platform === null)?.total ?? 0
  return (
    <>
      {known.length > 0 && (
        <Table
          label="Devices by platform"
          small="scroll"
          rows={known}
          keyOf={({ platform }) => platform ?? ''}
          columns={[
            { title: 'Platform', cell: ({ platform }) => platformName(platform) },
            { title: 'Reachable', cell: ({ reachable }) => <Num value={reachable} />, isNumeric: true },
            { title: 'Turned off', cell: ({ off }) => <Num value={off} />, isNumeric: true },
          ]}
        />
      )}
      {without > 0 && (
        <p class="quiet">{counted(without, 'device')} without a push token: none was registered, or it ended.</p>
      )}
    </>
  )
}
