import { Download } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, addressOf, api } from '../../api/client.ts'
import { useLive } from '../../api/live.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { now } from '../../parts/now.ts'
import { formatNumber } from '../../parts/numbers.ts'
import { Badge, Card, Failed, Note, Skeleton } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { Progress } from '../../parts/values.tsx'
import { may } from '../../state/session.ts'
import type { Import } from './names.ts'

const STATES = {
  queued: ['waits', 'quiet'],
  running: ['in progress', 'accent'],
  done: ['through', 'good'],
  failed: ['failed', 'bad'],
} as const

export function StateBadge({ state }: Pick<Import, 'state'>) {
  const [text, tone] = STATES[state]
  return <Badge tone={tone}>{text}</Badge>
}

const isOver = ({ state }: Pick<Import, 'state'>): boolean => state === 'done' || state === 'failed'
const ONE = '/admin/v1/apps/{appId}/channels/{uuid}/imports/{id}'

interface ImportProps {
  appId: number
  uuid: string
  id: string
  onDone(): void
}

/** A file while it is applied, and what became of it. */
export function ImportProgress({ appId, uuid, id, onDone }: ImportProps) {
  const path = { appId, uuid, id }
  const live = useLive<Import>(
    {
      events: addressOf(`${ONE}/events`, { path }),
      event: 'progress',
      read: async (signal) => (await api.get(ONE, { path, signal })).import,
      isDone: isOver,
    },
    [appId, uuid, id],
  )
  const file = live.value.value
  const wasOver = useRef<boolean | undefined>(undefined)
  useEffect(() => {
    if (file === undefined) return
    // Only when it came to its end before our eyes.
    if (wasOver.current === false && isOver(file)) onDone()
    wasOver.current = isOver(file)
  }, [file])
  return (
    <Card title="The file">
      {live.error.value !== undefined && file === undefined ? (
        <Failed error={live.error.value} retry={live.reload} />
      ) : file === undefined ? (
        <Skeleton lines={2} />
      ) : (
        <div class="stack" aria-live="polite">
          {isOver(file) ? <Outcome file={file} /> : <UnderWay file={file} />}
          {file.unknown > 0 && isOver(file) && <Unknown {...path} count={file.unknown} />}
        </div>
      )}
    </Card>
  )
}

function UnderWay({ file }: { file: Import }) {
  const left = useTimeLeft(file)
  const { processed, lines } = file
  return (
    <Progress
      label={file.state === 'queued' ? 'Waits for its turn' : 'Subscribing'}
      value={processed}
      max={lines}
      text={`${formatNumber(processed)} of ${formatNumber(lines)} lines${left === undefined ? '' : `, ${left}`}`}
    />
  )
}

/** The time that remains, estimated by the lines that were done since this page began to look. */
function useTimeLeft({ processed, lines }: Import): string | undefined {
  const first = useRef<{ at: number; processed: number } | undefined>(undefined)
  first.current ??= { at: Date.now(), processed }
  const done = processed - first.current.processed
  const took = Math.max(now.value, Date.now()) - first.current.at
  if (done <= 0 || took < 1000) return undefined
  const seconds = Math.ceil(((lines - processed) * took) / done / 1000)
  if (seconds < 60) return `about ${seconds} ${seconds === 1 ? 'second' : 'seconds'} left`
  const minutes = Math.round(seconds / 60)
  return `about ${minutes} ${minutes === 1 ? 'minute' : 'minutes'} left`
}

function Outcome({ file: { state, applied, lines, error } }: { file: Import }) {
  if (state === 'failed') {
    return (
      <Note tone="bad" title={error ?? 'The file could not be applied.'}>
        <p>
          {formatNumber(applied)} of {formatNumber(lines)} lines are subscribed. Bring the file again to apply the rest:
          nobody is subscribed twice.
        </p>
      </Note>
    )
  }
  return (
    <Note
      tone={applied === lines ? 'good' : 'warn'}
      title={`${formatNumber(applied)} of ${formatNumber(lines)} lines are subscribed.`}
    />
  )
}

type Line = Answer<typeof ONE>['import']['unknownUsers'][number]

/** The lines whose user does not exist: the first of them here, all that are kept as a file. */
function Unknown({ appId, uuid, id, count }: { appId: number; uuid: string; id: string; count: number }) {
  const path = { appId, uuid, id }
  const loaded = useGet(ONE, { path })
  const lines: readonly Line[] | undefined = loaded.value.value?.import.unknownUsers
  if (loaded.error.value !== undefined) return <Failed error={loaded.error.value} retry={loaded.reload} />
  if (lines === undefined) return <Skeleton lines={3} />
  const isCut = lines.length < count
  return (
    <div class="stack tight">
      <div class="row spread">
        <h3>
          {formatNumber(count)} {count === 1 ? 'line names nobody' : 'lines name nobody'}
        </h3>
        {may('campaign', appId) && (
          <Button
            size="small"
            icon={Download}
            href={addressOf(`${ONE}/unknown-users`, { path })}
            download="unknown-users.csv"
          >
            Download {lines.length === 1 ? 'the line' : `${formatNumber(lines.length)} lines`}
          </Button>
        )}
      </div>
      <p class="quiet">
        A file creates no users. Bring the download again once the app or a server has named them.
        {isCut && ` Only the first ${formatNumber(lines.length)} are kept.`}
      </p>
      <Table
        label="Lines that name nobody"
        rows={lines}
        keyOf={({ line }) => line}
        columns={[
          { title: 'Line', cell: ({ line }) => formatNumber(line), isTight: true, isNumeric: true },
          { title: 'Identifier', cell: ({ userId }) => <span class="mono channel-who">{userId}</span> },
        ]}
      />
    </div>
  )
}
