import { Send, Server } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { toast } from '../../parts/overlays.tsx'
import { Badge, Card, Empty, Note } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/use-work.ts'
import { Copyable, formatBytes, KeyValues, More, Num, Stat, Time } from '../../parts/values.tsx'

type Health = Answer<'/admin/v1/health'>
type Finding = Health['findings'][number]

const TONES = { error: 'bad', warning: 'warn', info: 'info', ok: 'good' } as const
const WORDS = { error: 'Does not work', warning: 'Look at it soon', info: 'Worth knowing', ok: 'Well' } as const
const RANK = { error: 0, warning: 1, info: 2, ok: 3 } as const

/** Findings with their remedies, nodes, lanes and backups. */
export function Overview({ health, reload }: { health: Health; reload(): void }) {
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
          more={health.backup.last ? formatBytes(health.backup.last.bytes) : 'none yet'}
        />
      </div>
      <Backups backup={health.backup} isSqlite={health.database === 'sqlite'} reload={reload} />
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
            { title: 'Gateway', cell: ({ platform }) => platform },
            {
              title: 'State',
              cell: ({ heldUntil }) =>
                heldUntil === null ? <Badge tone="good">Open</Badge> : <Badge tone="warn">Held</Badge>,
            },
            { title: 'Until', cell: ({ heldUntil }) => <Time at={heldUntil} isDue /> },
            { title: 'Why', cell: ({ reason }) => reason ?? <span class="quiet">–</span> },
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

function FindingNote({ level, sentence, remedy }: Finding) {
  return (
    <Note tone={TONES[level]} title={sentenceCase(sentence)}>
      {remedy !== null && (
        <p>
          What to do: <Copyable text={remedy} />
        </p>
      )}
    </Note>
  )
}

const sentenceCase = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function Backups({ backup, isSqlite, reload }: { backup: Health['backup']; isSqlite: boolean; reload(): void }) {
  const { isBusy, run } = useWork(toast)
  const ask = () =>
    run(async () => {
      await api.post('/admin/v1/backups', { body: {} })
      toast('The backup begins within ten seconds.')
      reload()
    })
  const makes = isSqlite && backup.to !== ''
  return (
    <Card
      title="Backups"
      about={
        !isSqlite
          ? 'PostgreSQL is backed up with its own tools.'
          : makes
            ? `One every ${backup.every}, to ${backup.to}.`
            : 'This server makes none by itself.'
      }
      actions={
        makes && (
          <Button onClick={() => ask()} isBusy={isBusy.value} isOff={backup.wanted !== null}>
            {backup.wanted === null ? 'Back up now' : 'A backup begins'}
          </Button>
        )
      }
    >
      {!makes ? (
        <p class="quiet">
          {isSqlite
            ? 'Set backup.to to a directory or an S3 address, and start the server again. Until then: '
            : 'See the guide for operators: '}
          {isSqlite && <Copyable text="appsvc backup /var/backups/appsvc" />}
          {!isSqlite && 'docs/operating.md.'}
        </p>
      ) : (
        <KeyValues
          items={[
            ['Newest', backup.last ? <Copyable key="at" text={backup.last.address} /> : 'None yet'],
            ['Created', backup.last ? <Time key="created" at={backup.last.at} /> : undefined],
            ['Took', backup.last ? `${backup.last.seconds} s, ${formatBytes(backup.last.bytes)}` : undefined],
            [
              'Last failure',
              backup.failure ? (
                <span key="failure">
                  <Time at={backup.failure.at} />: {backup.failure.error}
                </span>
              ) : undefined,
            ],
          ]}
        />
      )}
    </Card>
  )
}
