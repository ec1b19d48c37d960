import { useSignal } from '@preact/signals'
import { Archive } from 'lucide'
import { useEffect } from 'preact/hooks'
import { type Answer, api } from '../../api/client.ts'
import { type Loaded, useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { Code } from '../../parts/code.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Empty, Note } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/use-work.ts'
import { Copyable, formatBytes, Num, Time } from '../../parts/values.tsx'

type Health = Answer<'/admin/v1/health'>
type Stored = Answer<'/admin/v1/backups'>['items'][number]

/** The time (ms) after which a backup or a verification that was asked for is looked for again. */
const AGAIN_MS = 5000

/** Backups: the list, the next one, verification, and how to restore. */
export function Backups({ health }: { health: Loaded<Health> }) {
  const now = health.value.value
  if (now === undefined) return null
  const isSqlite = now.database === 'sqlite'
  return isSqlite && now.backup.to !== '' ? (
    <Kept backup={now.backup} reloadHealth={health.reload} />
  ) : (
    <None isSqlite={isSqlite} />
  )
}

/** The remedy where the server makes no backups. */
function None({ isSqlite }: { isSqlite: boolean }) {
  return (
    <Card
      title="Backups"
      about={isSqlite ? 'This server makes none by itself.' : 'PostgreSQL is backed up with its own tools.'}
    >
      <div class="stack">
        <p class="quiet">
          {isSqlite
            ? 'Set backup.to to a directory or an S3 address, and start the server again: backups are made, listed and verified here. Until then, on the machine of the server:'
            : 'Set up pg_dump or pgBackRest on the machine of the database; the guide is docs/operating.md. Keep the master key of appsvc apart from the backups. The simplest backup:'}
        </p>
        <Code
          text={isSqlite ? 'appsvc backup /var/backups/appsvc/' : 'pg_dump --format=custom --file=appsvc.dump appsvc'}
          label="Copy the command"
          wraps
        />
        {isSqlite && (
          <>
            <p class="quiet">
              To restore it into a new data directory, with the master.key that you keep apart; its server sends nothing
              before appsvc release:
            </p>
            <Code
              text="appsvc restore /var/backups/appsvc/ --data-dir ./restored --key-file master.key"
              label="Copy the command"
              wraps
            />
          </>
        )}
      </div>
    </Card>
  )
}

function Kept({ backup, reloadHealth }: { backup: Health['backup']; reloadHealth(): void }) {
  const list = useGet('/admin/v1/backups')
  const restoring = useSignal<Stored | undefined>(undefined)
  const { isBusy, run } = useWork(toast)
  const items = list.value.value?.items ?? []
  const waits = backup.wanted !== null || items.some(({ isBeingVerified }) => isBeingVerified)
  useEffect(() => {
    if (!waits) return
    const timer = setTimeout(() => {
      list.reload()
      reloadHealth()
    }, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [waits, backup, list.value.value])
  const ask = () =>
    run(async () => {
      await api.post('/admin/v1/backups', { body: {} })
      toast('The backup begins within ten seconds.')
      reloadHealth()
    })
  const verify = (name: string) =>
    run(async () => {
      await api.post('/admin/v1/backups/{backup}/verify', { path: { backup: name }, body: {} })
      toast('The verification begins within ten seconds.')
      list.reload()
    })
  return (
    <Card
      title="Backups"
      about={`One every ${backup.every}, to ${backup.to}.`}
      actions={
        <Button tone="primary" onClick={() => ask()} isBusy={isBusy.value} isOff={backup.wanted !== null}>
          {backup.wanted === null ? 'Back up now' : 'A backup begins'}
        </Button>
      }
      isFlush
    >
      {backup.failure && (
        <div class="flush-part">
          <Note tone="bad" title="The last backup failed">
            <p>
              <Time at={backup.failure.at} />: {backup.failure.error}
            </p>
          </Note>
        </div>
      )}
      <Reading of={list} lines={4}>
        {({ items: found }) => (
          <Table
            label="Backups"
            rows={found}
            keyOf={({ name }) => name}
            empty={
              <Empty icon={Archive} title="No backups yet">
                The server makes the first one by itself, within ten seconds of its start.
              </Empty>
            }
            columns={[
              { title: 'Created', cell: ({ taken }) => <Time at={taken} isExact />, isTight: true },
              { title: 'Size', cell: ({ bytes }) => formatBytes(bytes), isNumeric: true, isTight: true },
              { title: 'Rows', cell: ({ rows }) => <Num value={rows} />, isNumeric: true },
              { title: 'Version', cell: ({ program }) => program },
              { title: 'Verified', cell: (one) => <Verified {...one} /> },
              {
                title: '',
                isTight: true,
                cell: (one) => (
                  <div class="row">
                    <Button size="small" onClick={() => verify(one.name)} isOff={one.isBeingVerified}>
                      Verify<span class="hidden"> {one.name}</span>
                    </Button>
                    <Button size="small" onClick={() => void (restoring.value = one)}>
                      Restore<span class="hidden"> {one.name}</span>
                    </Button>
                  </div>
                ),
              },
            ]}
          />
        )}
      </Reading>
      {restoring.value && <HowToRestore backup={restoring.value} onClose={() => (restoring.value = undefined)} />}
    </Card>
  )
}

function Verified({ isBeingVerified, verification, isOfThisKey }: Stored) {
  if (isBeingVerified) return <Badge tone="info">Being verified</Badge>
  return (
    <span class="row">
      {verification === null ? (
        <span class="quiet">When it was made</span>
      ) : verification.error === null ? (
        <span>
          <Badge tone="good">Can be restored</Badge> <Time at={verification.at} />
        </span>
      ) : (
        <span>
          <Badge tone="bad">Cannot be restored</Badge> {verification.error}
        </span>
      )}
      {!isOfThisKey && <Badge tone="warn">Needs another master key</Badge>}
    </span>
  )
}

/** Restoring is done on a machine: a database that is in use cannot be replaced from a page. */
function HowToRestore({ backup, onClose }: { backup: Stored; onClose(): void }) {
  return (
    <Dialog title="Restore this backup" onClose={onClose} isWide>
      <div class="stack">
        <p>
          Nothing is restored from here: a backup becomes a new data directory, on this machine or another one. You need
          the backup and the master key: <span class="mono">master.key</span> in the data directory of this server, of
          which you keep a copy apart.
        </p>
        <ol class="plain-list stack">
          <li class="stack tight">
            <span>1. Make the directory. The backup is checked first.</span>
            <Code
              text={command`restore ${backup.address} --data-dir ./restored --key-file master.key`}
              label="Copy the command"
              wraps
            />
          </li>
          <li class="stack tight">
            <span>
              2. Start a server on it, beside a running one with another --port. It answers, and sends nothing: what was
              sent after the backup was made would be sent again.
            </span>
            <Code text="appsvc serve --data-dir ./restored" label="Copy the command" wraps />
          </li>
          <li class="stack tight">
            <span>3. See what waits, cancel what must not be sent, then let it send.</span>
            <Code text="appsvc status --data-dir ./restored" label="Copy the command" wraps />
            <Code text="appsvc release --data-dir ./restored" label="Copy the command" wraps />
          </li>
        </ol>
        <p class="quiet">
          It holds what was stored until <Time at={backup.taken} isExact />. <Copyable text={backup.name} />
        </p>
      </div>
      <div class="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  )
}
