import { Send, Server } from 'lucide'
import type { Answer } from '../../api/client.ts'
import { platformName } from '../../parts/platforms.ts'
import { Badge, Card, Empty, Note } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { formatBytes, KeyValues, More, Num, Stat, Time } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import { FindingNote, TONES } from './finding.tsx'

type Health = Answer<'/admin/v1/health'>

const WORDS = { error: 'Does not work', warning: 'Look at it soon', info: 'Worth knowing', ok: 'Well' } as const
const RANK = { error: 0, warning: 1, info: 2, ok: 3 } as const

/** Findings with their remedies, nodes and lanes. */
export function Overview({ health }: { health: Health }) {
  const sorted = health.findings.toSorted((a, b) => RANK[a.level] - RANK[b.level])
  const wanting = sorted.filter(({ level }) => level === 'error' || level === 'warning')
  const others = sorted.filter(({ level }) => level === 'info' || level === 'ok')
  const alive = health.nodes.filter(({ state }) => state === 'alive').length
  return (
    <div class="stack loose">
      {health.disagreements.map((sentence) => (
        <Note key={sentence} tone="warn" title={sentence} />
      ))}
      {wanting.map((finding) => (
        <FindingNote key={`${finding.check} ${finding.sentence}`} {...finding} />
      ))}
      <div class="grid stats">
        <Stat
          label="Database"
          value={health.database === 'sqlite' ? 'SQLite' : 'PostgreSQL'}
          more={health.disk && `${formatBytes(health.disk.freeBytes)} free`}
        />
        <Stat label="Nodes" value={<Num value={alive} />} more="alive" />
        <Stat label="Sends in progress" value={<Num value={health.unfinishedNotifications} />} />
        <Stat
          label="Last backup"
          value={health.backup.last ? <Time at={health.backup.last.at} /> : '–'}
          more={
            <a href={href('/operating')}>{health.backup.last ? formatBytes(health.backup.last.bytes) : 'none yet'}</a>
          }
        />
      </div>
      <Card
        title="Lanes"
        about="The way of each app's pushes to a gateway. A held lane waits, and loses nothing."
        isFlush
      >
        <Table
          label="Lanes"
          rows={health.lanes}
          keyOf={({ appId, platform }) => `${appId} ${platform}`}
          empty={
            <Empty icon={Send} title="No lanes yet">
              An app gets a lane with each gateway.
            </Empty>
          }
          columns={[
            { title: 'App', cell: ({ appName }) => appName },
            { title: 'Gateway', cell: ({ platform }) => platformName(platform), isLead: true },
            {
              title: 'State',
              cell: ({ heldUntil }) =>
                heldUntil === null ? <Badge tone="good">Open</Badge> : <Badge tone="warn">Held</Badge>,
            },
            { title: 'Until', cell: ({ heldUntil }) => <Time at={heldUntil} isDue /> },
            { title: 'Why', cell: ({ reason }) => reason },
          ]}
        />
      </Card>
      <Card title="Nodes" about="The processes that serve this database." isFlush>
        <Table
          label="Nodes"
          rows={health.nodes}
          keyOf={({ id }) => id}
          empty={<Empty icon={Server} title="No nodes" />}
          columns={[
            { title: 'Machine', cell: ({ host, process }) => `${host} (${process})` },
            {
              title: 'State',
              cell: ({ state }) => (
                <Badge tone={state === 'alive' ? 'good' : state === 'gone' ? 'bad' : 'quiet'}>{state}</Badge>
              ),
            },
            { title: 'Roles', cell: ({ roles }) => roles.join(', ') },
            { title: 'Version', cell: ({ version }) => version },
            { title: 'Schema', cell: ({ schema }) => <span class="mono">{schema}</span> },
            { title: 'Key', cell: ({ key }) => <span class="mono">{key}</span> },
            { title: 'Started', cell: ({ started }) => <Time at={started} />, isTight: true },
          ]}
        />
      </Card>
      <More label={`What is well, and worth knowing (${others.length})`}>
        <KeyValues
          items={others.map(({ check, sentence, level }) => [
            check,
            <span key={sentence}>
              {sentence} <Badge tone={TONES[level]}>{WORDS[level]}</Badge>
            </span>,
          ])}
        />
      </More>
      {health.leftOut.length > 0 && (
        <More label={`What was not checked (${health.leftOut.length})`}>
          <KeyValues items={health.leftOut.map(({ check, why }) => [check, why])} />
        </More>
      )}
      {health.loops.length > 0 && (
        <More label="Workers of this process">
          <KeyValues items={health.loops.map(({ name, secondsAgo }) => [name, `last turn ${secondsAgo} s ago`])} />
        </More>
      )}
    </div>
  )
}
