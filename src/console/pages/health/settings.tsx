import { useSignal } from '@preact/signals'
import { SlidersHorizontal } from 'lucide'
import { type Answer } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { SearchField } from '../../parts/field.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Badge, Card, Empty } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { More } from '../../parts/values.tsx'

type Setting = Answer<'/admin/v1/settings'>['items'][number]

const SOURCES: Record<string, string> = {
  flag: 'Command line',
  environment: 'Environment',
  file: 'Settings file',
  default: 'Default',
}

/** Settings without a dot in their name, and those of which there are few of a kind. */
const GENERAL = 'general'
const FEW = 2
/** `limits.body` -> `limits` */
const groupOf = ({ name }: Setting): string => (name.includes('.') ? name.slice(0, name.indexOf('.')) : GENERAL)

/** The settings of the server: first those that differ from the default, then all, by group. They are changed where it is started. */
export function Settings() {
  const text = useSignal('')
  const settings = useGet('/admin/v1/settings')
  const wanted = text.value.trim().toLowerCase()
  return (
    <div class="stack loose">
      <p class="quiet">
        Settings are changed in the settings file, in the environment or on the command line, and count from the next
        start.
      </p>
      <SearchField label="Search settings" value={text.value} onChange={(value) => (text.value = value)} />
      <Reading of={settings} lines={8}>
        {({ items }) =>
          wanted === '' ? (
            <All items={items} />
          ) : (
            <Card title="Found" isFlush>
              <List
                label="Found settings"
                items={items.filter(({ name, why }) => `${name} ${why}`.toLowerCase().includes(wanted))}
                empty="No such settings"
              />
            </Card>
          )
        }
      </Reading>
    </div>
  )
}

function All({ items }: { items: readonly Setting[] }) {
  const kinds = Map.groupBy(items, groupOf)
  const groups = Map.groupBy(items, (one) => (kinds.get(groupOf(one))!.length > FEW ? groupOf(one) : GENERAL))
  return (
    <>
      <Card title="Set on this server" about="What differs from the default." isFlush>
        <List
          label="Settings that differ from the default"
          items={items.filter(({ isDefault }) => !isDefault)}
          empty="Everything is as it comes"
        />
      </Card>
      <Card title="All settings">
        <div class="stack tight">
          {[...groups].map(([group, all]) => (
            <More key={group} label={`${group} (${all.length})`}>
              <List label={`Settings of ${group}`} items={all} empty="None" />
            </More>
          ))}
        </div>
      </Card>
    </>
  )
}

function List({ label, items, empty }: { label: string; items: readonly Setting[]; empty: string }) {
  return (
    <Table
      label={label}
      rows={items}
      keyOf={({ name }) => name}
      empty={<Empty icon={SlidersHorizontal} title={empty} />}
      columns={[
        {
          title: 'Setting',
          cell: ({ name, why }) => (
            <div class="setting">
              <div class="mono">{name}</div>
              <div class="small-text quiet">{why}</div>
            </div>
          ),
        },
        {
          title: 'Value',
          cell: ({ value }) => <span class="mono setting">{value === '' ? '–' : String(value)}</span>,
        },
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
      ]}
    />
  )
}
