import { Plus, X } from 'lucide'
import { asked, type Body } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { type ColumnDraft, ColumnFields, columnOf, NEW_COLUMN } from './column-fields.tsx'
import { columnWords } from './values.ts'

type NewTable = Body<'/admin/v1/apps/{appId}/tables', 'post'>

const TABLE = row.table<NewTable>()(
  row.text('name', 'Table name', {
    hint: 'Letters, digits and underscores, such as books.',
    isMono: true,
    sample: 'NAME',
    need: 'Give it a name.',
  }),
  row.own('columns', [NEW_COLUMN] as readonly ColumnDraft[], {
    to: (columns) => (faultOf(columns) === undefined ? columns.map(columnOf) : []),
    check: faultOf,
  }),
)

/** Makes a data table. */
export default function NewTable({ appId }: PageProps) {
  const others = useGet('/admin/v1/apps/{appId}/tables', { path: { appId }, query: { limit: 200 } })
  const form = useTable(TABLE, {
    draft: `table-${appId}`,
    call: (body) => asked('post', '/admin/v1/apps/{appId}/tables', { path: { appId }, body }),
    done({ alias }) {
      toast('The table is there.')
      navigate(`/apps/${appId}/tables/${alias}`)
    },
  })
  const { name, columns } = form.values.value
  const made = faultOf(columns) === undefined ? columns.map(columnOf) : []
  const set = (next: ColumnDraft[]) => form.set({ columns: next })
  const tables = [
    ...(others.value.value?.items.map((one) => one.name) ?? []),
    ...(name.trim() === '' ? [] : [name.trim()]),
  ]
  return (
    <div class="page narrow">
      <PageHead
        title="New table"
        about="Every record also gets a number (id) and the times when it was created and changed."
        crumbs={[{ label: 'Tables', href: href(`/apps/${appId}/tables`) }]}
      />
      <Card>
        <TableForm
          form={form}
          submitLabel="Create the table"
          command={command`tables create --app ${appId} ${form.shown.name.trim()} ${made.map((column) => ['--column', columnWords(column)])}`}
        >
          {columns.map((column, i) => (
            <fieldset key={i} class="table-column">
              <legend class="row spread">
                <span>Column {i + 1}</span>
                {columns.length > 1 && (
                  <Button size="small" tone="bare" icon={X} onClick={() => set(columns.toSpliced(i, 1))}>
                    Remove column {i + 1}
                  </Button>
                )}
              </legend>
              <ColumnFields
                suffix={` of column ${i + 1}`}
                value={column}
                tables={tables}
                onChange={(next) => set(columns.with(i, next))}
              />
            </fieldset>
          ))}
          {form.field('columns').error !== undefined && (
            <p class="field-error" role="alert">
              {form.field('columns').error}
            </p>
          )}
          <div>
            <Button size="small" icon={Plus} onClick={() => set([...columns, { ...NEW_COLUMN }])}>
              Add a column
            </Button>
          </div>
        </TableForm>
      </Card>
    </div>
  )
}

function faultOf(columns: readonly ColumnDraft[]): string | undefined {
  for (const [i, column] of columns.entries()) {
    if (column.name.trim() === '') return `Column ${i + 1} needs a name.`
    try {
      columnOf(column)
    } catch (error) {
      return `The value of column ${i + 1} when none is given: ${error instanceof Error ? error.message : String(error)}`
    }
  }
  return undefined
}
