import { useSignal } from '@preact/signals'
import { Pencil, Plus, Trash2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo, type Values } from '../../forms/table.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/use-work.ts'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type ColumnDraft, ColumnFields, columnOf, indexOf, NEW_COLUMN, RULES } from './column-fields.tsx'
import { type Change, Consequences } from './consequences.tsx'
import { type Column, columnWords, type DataTable, TYPES, textOf } from './values.ts'

/** The columns of a table, and what changing them would do. */
export default function ColumnsPage({ appId, params }: PageProps) {
  const alias = params['tableAlias']!
  const table = useGet('/admin/v1/apps/{appId}/tables/{tableAlias}', { path: { appId, tableAlias: alias } })
  const found = table.value.value
  return (
    <div class="page">
      <PageHead
        title={found ? `Columns of ${found.name}` : 'Columns'}
        crumbs={[
          { label: 'Tables', href: href(`/apps/${appId}/tables`) },
          { label: found?.name ?? alias, href: href(`/apps/${appId}/tables/${alias}`) },
        ]}
      />
      <Reading of={table}>{(found) => <Columns appId={appId} table={found} onChanged={table.set} />}</Reading>
    </div>
  )
}

type Open = { do: 'add' } | { do: 'drop' | 'edit'; column: Column } | undefined

interface ColumnsProps {
  appId: number
  table: DataTable
  onChanged(table: DataTable): void
}

function Columns({ appId, table, onChanged }: ColumnsProps) {
  const isOwner = may('own', appId)
  const open = useSignal<Open>(undefined)
  const isDropping = useSignal(false)
  const close = () => (open.value = undefined)
  const now = open.value
  const dialog = { appId, table, onChanged, onClose: close }
  return (
    <>
      <Card
        title="Columns"
        isFlush
        about={
          isOwner ? 'You see what a change does before it is made.' : 'Somebody with the role owner can change them.'
        }
        actions={
          isOwner && (
            <Button icon={Plus} tone="primary" onClick={() => (open.value = { do: 'add' })}>
              Add a column
            </Button>
          )
        }
      >
        <Table
          label="The columns"
          rows={table.columns}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Name', cell: ({ name }) => <span class="mono">{name}</span> },
            {
              title: 'Type',
              cell: ({ type, references }) => (references === null ? TYPES[type].label : `Record of ${references}`),
            },
            {
              title: 'Rules',
              cell: ({ required, unique, indexed }) =>
                required || unique || indexed ? (
                  <span class="row" style={{ gap: '4px' }}>
                    {required && <Badge isPlain>Required</Badge>}
                    {unique && <Badge isPlain>Unique</Badge>}
                    {indexed && <Badge isPlain>Quick</Badge>}
                  </span>
                ) : null,
            },
            {
              title: 'When none is given',
              cell: ({ default: value }) => (value === null ? null : textOf(value)),
            },
            ...(isOwner
              ? [
                  {
                    title: '',
                    isTight: true,
                    cell: (column: Column) => (
                      <span class="row" style={{ flexWrap: 'nowrap', gap: '0' }}>
                        <IconButton
                          icon={Pencil}
                          size="small"
                          label={`Change ${column.name}`}
                          onClick={() => (open.value = { do: 'edit', column })}
                        />
                        <IconButton
                          icon={Trash2}
                          size="small"
                          label={`Drop ${column.name}`}
                          onClick={() => (open.value = { do: 'drop', column })}
                        />
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Card>
      {isOwner && (
        <Card title="Delete the table" about="Deletes all of its records, too. Nothing brings them back.">
          <Button tone="danger" icon={Trash2} onClick={() => (isDropping.value = true)}>
            Delete {table.name}
          </Button>
        </Card>
      )}
      {now?.do === 'add' && <AddDialog {...dialog} />}
      {now?.do === 'edit' && <EditDialog {...dialog} column={now.column} />}
      {now?.do === 'drop' && (
        <ChangeDialog
          {...dialog}
          title={`Drop ${now.column.name}?`}
          action="Drop the column"
          tone="danger"
          changes={[{ do: 'drop', name: now.column.name }]}
          flags={['--drop', now.column.name, '--yes']}
        />
      )}
      {isDropping.value && (
        <ConfirmDialog
          title={`Delete ${table.name}?`}
          action="Delete the table"
          typed={table.name}
          run={async () => {
            const path = { appId, tableAlias: table.alias }
            await api.delete('/admin/v1/apps/{appId}/tables/{tableAlias}', { path })
            toast('The table is deleted.')
            navigate(`/apps/${appId}/tables`)
          }}
          onClose={() => (isDropping.value = false)}
        >
          <p>
            {table.records.toLocaleString()} records are deleted with it, and apps that read it get an error. Nothing
            brings it back.
          </p>
        </ConfirmDialog>
      )}
    </>
  )
}

interface DialogProps extends ColumnsProps {
  onClose(): void
}

function AddDialog(props: DialogProps) {
  const draft = useSignal<ColumnDraft>({ ...NEW_COLUMN })
  const tables = useGet('/admin/v1/apps/{appId}/tables', { path: { appId: props.appId }, query: { limit: 200 } })
  const [column, problem] = (() => {
    try {
      return draft.value.name.trim() === '' ? [undefined, undefined] : [columnOf(draft.value), undefined]
    } catch (error) {
      return [undefined, (error as Error).message]
    }
  })()
  return (
    <ChangeDialog
      {...props}
      title="Add a column"
      action="Add the column"
      changes={column ? [{ do: 'add', column }] : []}
      flags={column ? ['--add', columnWords(column)] : []}
    >
      <ColumnFields
        suffix=""
        value={draft.value}
        tables={tables.value.value?.items.map(({ name }) => name) ?? []}
        error={problem}
        onChange={(next) => (draft.value = next)}
      />
    </ChangeDialog>
  )
}

const EDIT = row.table<Values>()(row.text('name', 'Name', { isMono: true, isAsTyped: true, empty: 'sent' }), ...RULES)
const KEYS = ['required', 'unique', 'indexed'] as const

function EditDialog(props: DialogProps & { column: Column }) {
  const { column } = props
  const draft = useSignal<Column>(column)
  const changed = KEYS.filter((key) => draft.value[key] !== column[key])
  const to = draft.value.name.trim()
  const isRenamed = to !== '' && to !== column.name
  const set = Object.fromEntries(changed.map((key) => [key, draft.value[key]]))
  const changes: Change[] = [
    ...(changed.length > 0 ? [{ do: 'set' as const, name: column.name, ...set }] : []),
    ...(isRenamed ? [{ do: 'rename' as const, name: column.name, to }] : []),
  ]
  const flags = [
    ...(isRenamed ? ['--rename', `${column.name}=${to}`] : []),
    ...changed.flatMap((key) => [set[key] ? '--set' : '--unset', `${isRenamed ? to : column.name}:${key}`]),
  ]
  return (
    <ChangeDialog {...props} title={`Change ${column.name}`} action="Change the column" changes={changes} flags={flags}>
      <Fields
        form={boundTo(EDIT, draft.value, (next) => (draft.value = next))}
        rows={EDIT}
        extras={{ indexed: column.type === 'reference' ? null : indexOf(draft.value) }}
      />
    </ChangeDialog>
  )
}

interface ChangeProps extends DialogProps {
  title: string
  action: string
  tone?: 'danger'
  changes: readonly Change[]
  /** Flags of `appsvc tables alter` that make the same changes. */
  flags: readonly string[]
  children?: ComponentChildren
}

/** Tells what the changes would do, and makes them. */
function ChangeDialog(props: ChangeProps) {
  const { appId, table, changes, flags, title, action, tone, onChanged, onClose } = props
  const { isBusy, problem, run } = useWork()
  const hasObstacle = useSignal(false)
  const change = asked('post', '/admin/v1/apps/{appId}/tables/{tableAlias}/changes', {
    path: { appId, tableAlias: table.alias },
    body: { changes: changes as never },
  })
  const apply = async () => {
    if (changes.length === 0) return
    await run(async () => {
      onChanged(await change.send())
      toast('The table is changed.')
      onClose()
    })
  }
  return (
    <Dialog title={title} onClose={onClose} isWide>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void apply()
        }}
      >
        {props.children}
        <Consequences
          appId={appId}
          alias={table.alias}
          changes={changes}
          onKnown={(isBlocked) => (hasObstacle.value = isBlocked)}
        />
        <AsCommand command={command`tables alter --app ${appId} ${table.name} ${flags}`} call={change} />
        <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
        <div class="dialog-foot">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            tone={tone ?? 'primary'}
            isBusy={isBusy.value}
            isOff={changes.length === 0 || hasObstacle.value}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
