import { useSignal } from '@preact/signals'
import { ScrollText } from 'lucide'
import { useEffect } from 'preact/hooks'
import { useGet } from '../../api/load.ts'
import { SearchField, SelectField } from '../../parts/field.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'

const POLL_MS = 5000
const LEVELS = [
  { value: 'info', label: 'Everything' },
  { value: 'warn', label: 'Warnings and errors' },
  { value: 'error', label: 'Errors' },
] as const
const TONES: Record<string, 'bad' | 'warn' | 'quiet'> = { fatal: 'bad', error: 'bad', warn: 'warn' }

/** The newest lines of the log. It follows while the page is open. */
export function LogTail() {
  const level = useSignal<'info' | 'warn' | 'error'>('info')
  const text = useSignal('')
  const log = useGet('/admin/v1/log', { query: { level: level.value, text: text.value } })
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) log.reload()
    }, POLL_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <div class="stack">
      <div class="row filters">
        <SearchField label="Search the log" value={text.value} onChange={(value) => (text.value = value)} />
        <SelectField label="Show" value={level.value} onChange={(value) => (level.value = value)} options={LEVELS} />
      </div>
      <Card isFlush>
        <Reading of={log} lines={8}>
          {(now) => (
            <Table
              label="Log"
              rows={now.items}
              keyOf={(line) => `${line.at} ${line.message} ${JSON.stringify(line.fields)}`}
              empty={
                <Empty icon={ScrollText} title="No such lines">
                  The newest thousand lines of this process are here. Older ones are where the log goes.
                </Empty>
              }
              columns={[
                {
                  title: 'Time',
                  isTight: true,
                  cell: ({ at }) => (
                    <time class="mono" dateTime={at}>
                      {new Date(at).toLocaleTimeString()}
                    </time>
                  ),
                },
                {
                  title: 'Level',
                  isTight: true,
                  cell: (line) => <Badge tone={TONES[line.level] ?? 'quiet'}>{line.level}</Badge>,
                },
                { title: 'What happened', cell: ({ message }) => message },
                { title: 'About', cell: ({ fields }) => <span class="mono small-text quiet">{aboutOf(fields)}</span> },
              ]}
            />
          )}
        </Reading>
      </Card>
    </div>
  )
}

const aboutOf = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('  ')
