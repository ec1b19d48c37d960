import { useSignal } from '@preact/signals'
import { Columns3, Download, FileUp, Pencil, Plus, SearchX, Table2, Trash2 } from 'lucide'
import { api } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { useGet, useList } from '../../api/load.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { type Column, ListTable } from '../../parts/table.tsx'
import { Time } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { Cell } from './cell.tsx'
import { askedFor, Filters } from './filters.tsx'
import { RecordDialog } from './record-dialog.tsx'
import { type DataTable, filterOf, type Row } from './values.ts'

const PAGE = 100

/** The records of a table. */
export default function TablePage({ appId, params }: PageProps) {
  const alias = params['tableAlias']!
  const table = useGet('/admin/v1/apps/{appId}/tables/{tableAlias}', { path: { appId, tableAlias: alias } })
  const crumbs = [{ label: 'Tables', href: href(`/apps/${appId}/tables`) }]
  const found = table.value.value
  const base = `/apps/${appId}/tables/${alias}`
  return (
    <div class="page wide">
      <PageHead
        title={found?.name ?? 'Table'}
        crumbs={crumbs}
        {...(found && {
          about: `${formatNumber(found.records)} ${found.records === 1 ? 'record' : 'records'}, ${found.columns.length} ${found.columns.length === 1 ? 'column' : 'columns'}`,
        })}
        actions={
          found && (
            <>
              {may('campaign', appId) && (
                <>
                  <Button
                    icon={Download}
                    href={`/admin/v1/apps/${appId}/tables/${alias}/export`}
                    download={`${found.name}.csv`}
                  >
                    Export CSV
                  </Button>
                  <Button icon={FileUp} href={href(`${base}/import`)}>
                    Import
                  </Button>
                </>
              )}
              <Button icon={Columns3} href={href(`${base}/columns`)}>
                Columns
              </Button>
            </>
          )
        }
      />
      <Reading of={table} lines={8}>
        {(found) => <Records key={found.alias} appId={appId} table={found} onCount={table.reload} />}
      </Reading>
    </div>
  )
}

/** Reads the records that the address asks for. A filter that cannot be read is left out: `Filters` says what is wrong. */
function useRecords(appId: number, table: DataTable) {
  const { alias } = table
  const { conditions, sortBy } = askedFor()
  const filter = (() => {
    try {
      return filterOf(conditions, table)
    } catch {
      return undefined
    }
  })()
  const list = useList(
    async (after, signal) => {
      const page = Number(after ?? 1)
      const query = { page, numberPerPage: PAGE, sortBy, filter }
      const path = { appId, tableAlias: alias }
      const rows = (await api.get('/admin/v1/apps/{appId}/data/{tableAlias}', {
        path,
        query,
        signal,
      })) as unknown as Row[]
      return { items: rows, next: rows.length < PAGE ? null : page + 1 }
    },
    [appId, alias, sortBy, filter],
  )
  return { list, isFiltered: conditions.length > 0 }
}

interface RecordsProps {
  appId: number
  table: DataTable
  onCount(): void
}

function Records({ appId, table, onCount }: RecordsProps) {
  const mayWrite = may('campaign', appId)
  const { list, isFiltered } = useRecords(appId, table)
  // What was saved since it was read, until the list is read again.
  const saved = useSignal<ReadonlyMap<number, Row>>(new Map())
  const open = useSignal<Row | 'new' | undefined>(undefined)
  const doomed = useSignal<Row | undefined>(undefined)
  const again = () => {
    saved.value = new Map()
    list.reload()
    onCount()
  }
  const latest = (row: Row): Row => saved.value.get(row.id) ?? row
  const keep = (row: Row) => (saved.value = new Map([...saved.peek(), [row.id, row]]))
  const add = mayWrite && (
    <Button icon={Plus} tone="primary" onClick={() => (open.value = 'new')}>
      New record
    </Button>
  )
  return (
    <>
      <TooLong appId={appId} alias={table.alias} error={list.error.value} />
      <Card isFlush title="Records" actions={add}>
        <Filters table={table} />
        <div class="grid-wrap">
          <ListTable
            label={`Records of ${table.name}`}
            list={list}
            small="scroll"
            keyOf={(row: Row) => row.id}
            empty={
              isFiltered
                ? NO_MATCH
                : { ...NO_RECORDS, about: mayWrite ? 'Create one, or import a CSV file.' : 'Nobody has stored one.' }
            }
            columns={[
              { title: 'id', cell: ({ id }: Row) => id, isNumeric: true, isTight: true },
              ...table.columns.map((column) => ({
                title: column.name,
                isNumeric: column.type === 'integer' || column.type === 'number',
                cell: (row: Row) => (
                  <Cell {...{ appId, column, mayWrite }} alias={table.alias} row={latest(row)} onSaved={keep} />
                ),
              })),
              { title: 'Changed', cell: (row: Row) => <Time at={String(latest(row)['updatedAt'])} />, isTight: true },
              ...(mayWrite
                ? [
                    buttonsColumn(
                      (row) => (open.value = latest(row)),
                      (row) => (doomed.value = row),
                    ),
                  ]
                : []),
            ]}
          />
        </div>
      </Card>
      {open.value !== undefined && (
        <RecordDialog
          appId={appId}
          table={table}
          row={open.value === 'new' ? undefined : open.value}
          onDone={(row) => {
            open.value = undefined
            if (row) keep(row)
            else again()
          }}
          onClose={() => (open.value = undefined)}
        />
      )}
      {doomed.value && (
        <DeleteRecord
          appId={appId}
          alias={table.alias}
          id={doomed.value.id}
          onDone={again}
          onClose={() => (doomed.value = undefined)}
        />
      )}
    </>
  )
}

const NO_MATCH = { icon: SearchX, title: 'No record matches', about: 'Change or clear the filter.' }
const NO_RECORDS = { icon: Table2, title: 'No records yet' }

const buttonsColumn = (edit: (row: Row) => void, remove: (row: Row) => void): Column<Row> => ({
  title: '',
  isTight: true,
  cell: (row) => (
    <span class="row" style={{ flexWrap: 'nowrap', gap: '0' }}>
      <IconButton icon={Pencil} size="small" label={`Edit record ${row.id}`} onClick={() => edit(row)} />
      <IconButton icon={Trash2} size="small" label={`Delete record ${row.id}`} onClick={() => remove(row)} />
    </span>
  ),
})

/** The remedy for a read that the server gave up because it would take too long. Nothing for other errors. */
function TooLong({ appId, alias, error }: { appId: number; alias: string; error: unknown }) {
  if (!(error instanceof ApiError) || error.status !== 503) return null
  return (
    <Note
      tone="warn"
      title="This would look at too many records"
      actions={
        may('own', appId) && (
          <Button size="small" href={href(`/apps/${appId}/tables/${alias}/columns`)}>
            Make a column quick
          </Button>
        )
      }
    >
      <p>{error.message} Filter or sort by a field that is marked as quick, or give the column an index.</p>
    </Note>
  )
}

interface DeleteProps {
  appId: number
  alias: string
  id: number
  onDone(): void
  onClose(): void
}

function DeleteRecord({ appId, alias, id, onDone, onClose }: DeleteProps) {
  return (
    <ConfirmDialog
      title={`Delete record ${id}?`}
      action="Delete the record"
      run={async () => {
        const path = { appId, tableAlias: alias, id }
        await api.delete('/admin/v1/apps/{appId}/data/{tableAlias}/{id}', { path })
        toast('The record is deleted.')
        onDone()
      }}
      onClose={onClose}
    >
      <p>Nothing brings it back.</p>
    </ConfirmDialog>
  )
}
