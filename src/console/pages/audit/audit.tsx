import { useSignal } from '@preact/signals'
import { History } from 'lucide'
import { type Answer } from '../../api/client.ts'
import { useGet, usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import * as row from '../../forms/rows.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { KeyValues, Time } from '../../parts/values.tsx'
import { query } from '../../state/router.ts'
import { apps } from '../../state/session.ts'

type Entry = Answer<'/admin/v1/audit'>['items'][number]

const SHOWN = [row.select('by', 'Show')]

/** The audit log: actions of people. Rows are added and never changed. */
export default function Audit() {
  const by = query.value.get('by') ?? ''
  const [kind, id] = by.split('-')
  const open = useSignal<Entry | undefined>(undefined)
  const people = useGet('/admin/v1/admins')
  const list = usePages(
    '/admin/v1/audit',
    { query: { ...(kind === 'app' && { appId: id }), ...(kind === 'person' && { adminId: id }) } },
    'items',
  )
  const whom = [
    { value: '', label: 'Everything' },
    ...(apps.value ?? []).map((app) => ({ value: `app-${app.id}`, label: `In ${app.name}` })),
    ...(people.value.value?.items ?? []).map((one) => ({ value: `person-${one.id}`, label: `By ${one.name}` })),
  ]
  const appName = (appId: number | null) =>
    appId === null ? 'Server' : (apps.value?.find((one) => one.id === appId)?.name ?? `App ${appId}`)
  return (
    <div class="page wide">
      <PageHead
        title="Audit log"
        about="Who changed what, and from where. Rows are only added. People who are looked after are named by a digest."
      />
      <Filters rows={SHOWN} extras={{ by: { options: whom } }} />
      <Card isFlush>
        <ListTable
          label="Audit log"
          list={list}
          keyOf={(entry) => entry.id}
          empty={{ icon: History, title: 'Nothing yet', about: 'What people change appears here.' }}
          columns={[
            { title: 'When', isTight: true, cell: ({ at }) => <Time at={at} /> },
            { title: 'Who', cell: ({ who, role }) => (role === null ? who : `${who} (${role})`) },
            { title: 'What', cell: ({ action }) => <span class="mono">{action}</span> },
            { title: 'In', cell: ({ appId }) => appName(appId) },
            { title: 'To', cell: ({ target }) => target ?? <span class="quiet">–</span> },
            { title: 'From', cell: ({ address }) => <span class="mono small-text">{address || 'this machine'}</span> },
            {
              title: '',
              isTight: true,
              cell: (entry) =>
                entry.before === null && entry.after === null ? null : (
                  <Button size="small" onClick={() => (open.value = entry)}>
                    Details
                  </Button>
                ),
            },
          ]}
        />
      </Card>
      <AsCommand command="appsvc audit" call={{ method: 'GET', path: '/admin/v1/audit' }} />
      {open.value && <Details entry={open.value} onClose={() => (open.value = undefined)} />}
    </div>
  )
}

function Details({ entry, onClose }: { entry: Entry; onClose(): void }) {
  return (
    <Dialog title={entry.action} onClose={onClose} isWide>
      <div class="stack">
        <KeyValues
          items={[
            ['Who', entry.who],
            ['When', <Time key="at" at={entry.at} isExact />],
            ['To', entry.target ?? undefined],
          ]}
        />
        {entry.before !== null && (
          <>
            <h3>Before</h3>
            <JsonView value={entry.before} />
          </>
        )}
        {entry.after !== null && (
          <>
            <h3>After</h3>
            <JsonView value={entry.after} />
          </>
        )}
      </div>
    </Dialog>
  )
}
