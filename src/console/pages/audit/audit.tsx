import { useSignal } from '@preact/signals'
import { History } from 'lucide'
import { useGet, usePages } from '../../api/load.ts'
import { Filters } from '../../forms/filters.tsx'
import * as row from '../../forms/rows.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, JsonView } from '../../parts/code.tsx'
import { Dialog } from '../../parts/overlays.tsx'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { KeyValues, More, Time } from '../../parts/values.tsx'
import { query } from '../../state/router.ts'
import { apps } from '../../state/session.ts'
import { type Entry, inOneText, sentenceOf } from './sentence.ts'

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
        about="Who changed what, and from where. Rows are only added. A user is named by a digest."
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
            { title: 'What', isLead: true, cell: (entry) => <Says entry={entry} /> },
            { title: 'In', cell: ({ appId }) => appName(appId) },
            { title: 'From', cell: ({ address }) => <span class="mono small-text">{address || 'this machine'}</span> },
            {
              title: '',
              isTight: true,
              cell: (entry) => (
                <Button size="small" onClick={() => (open.value = entry)}>
                  Details
                </Button>
              ),
            },
          ]}
        />
      </Card>
      <AsCommand command="appsvc audit" call={{ method: 'GET', path: '/admin/v1/audit' }} />
      {open.value && (
        <Details entry={open.value} place={appName(open.value.appId)} onClose={() => (open.value = undefined)} />
      )}
    </div>
  )
}

/** "sent *Warm croissants* to everybody" */
function Says({ entry }: { entry: Entry }) {
  const { before, name, after } = sentenceOf(entry)
  return (
    <span class="user-name">
      {before} {name !== '' && <strong>{name}</strong>} {after}
    </span>
  )
}

/** An action with all that is kept of it: in words, and as it was noted. */
function Details({ entry, place, onClose }: { entry: Entry; place: string; onClose(): void }) {
  const { action, who, role, at, target, address, before, after } = entry
  return (
    <Dialog title={`${who} ${inOneText(sentenceOf(entry))}`} onClose={onClose} isWide>
      <div class="stack">
        <KeyValues
          items={[
            ['Who', role === null ? who : `${who} (${role})`],
            ['When', <Time key="at" at={at} isExact />],
            ['In', place],
            ['To', target ?? undefined],
            ['From', address || 'this machine'],
          ]}
        />
        <More label="Raw">
          <div class="stack">
            <p class="mono">{action}</p>
            {before !== null && (
              <>
                <h3>Before</h3>
                <JsonView value={before} />
              </>
            )}
            {after !== null && (
              <>
                <h3>After</h3>
                <JsonView value={after} />
              </>
            )}
          </div>
        </More>
      </div>
    </Dialog>
  )
}
