import { useSignal } from '@preact/signals'
import { SlidersHorizontal } from 'lucide'
import { useGet } from '../../api/load.ts'
import { SearchField, Switch } from '../../parts/field.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'

const SOURCES: Record<string, string> = {
  flag: 'Command line',
  environment: 'Environment',
  file: 'Settings file',
  default: 'Default',
}

/** The settings of the server. They are changed where it is started. */
export function Settings() {
  const text = useSignal('')
  const isChanged = useSignal(false)
  const settings = useGet('/admin/v1/settings')
  const now = settings.value.value
  const wanted = text.value.toLowerCase()
  const rows = (now?.items ?? []).filter(
    ({ name, why, isDefault }) => (!isChanged.value || !isDefault) && `${name} ${why}`.toLowerCase().includes(wanted),
  )
  return (
    <div class="stack">
      <p class="quiet">
        Settings are changed in the settings file, in the environment or on the command line, and count from the next
        start.
      </p>
      <div class="row">
        <SearchField label="Search settings" value={text.value} onChange={(value) => (text.value = value)} />
        <Switch
          label="Only those that differ from the default"
          value={isChanged.value}
          onChange={(on) => (isChanged.value = on)}
        />
      </div>
      <Card isFlush>
        <Reading of={settings} lines={8}>
          {() => (
            <Table
              label="Settings"
              rows={rows}
              keyOf={({ name }) => name}
              empty={<Empty icon={SlidersHorizontal} title="No such settings" />}
              columns={[
                { title: 'Setting', cell: ({ name }) => <span class="mono">{name}</span> },
                { title: 'Value', cell: ({ value }) => <span class="mono">{value === '' ? '–' : String(value)}</span> },
                {
                  title: 'From',
                  isTight: true,
                  cell: ({ source, isDefault }) =>
                    isDefault ? (
                      <span class="quiet">Default</span>
                    ) : (
                      <Badge tone="accent">{SOURCES[source ?? ''] ?? 'Set'}</Badge>
                    ),
                },
                { title: 'What it is for', cell: ({ why }) => <span class="small-text quiet">{why}</span> },
              ]}
            />
          )}
        </Reading>
      </Card>
    </div>
  )
}
