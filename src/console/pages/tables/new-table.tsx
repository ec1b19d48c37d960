import { Plus, X } from 'lucide'
import { api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, PageHead } from '../../parts/surfaces.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { type ColumnDraft, ColumnFields, columnOf, NEW_COLUMN } from './column-fields.tsx'
import { columnWords } from './values.ts'

/** Makes a data table. */
export default function NewTable({ appId }: PageProps) {
  const others = useLoad(
    (signal) => api.get('/admin/v1/apps/{appId}/tables', { path: { appId }, query: { limit: 200 }, signal }),
    [appId],
  )
  const form = useForm(
    { name: '', columns: [{ ...NEW_COLUMN }] },
    {
      draft: `table-${appId}`,
      check: ({ name, columns }) => ({
        name: name.trim() === '' ? 'Give it a name.' : undefined,
        columns: faultOf(columns),
      }),
      submit: async ({ name, columns }) => {
        const made = await api.post('/admin/v1/apps/{appId}/tables', {
          path: { appId },
          body: { name: name.trim(), columns: columns.map(columnOf) },
        })
        toast('The table is there.')
        navigate(`/apps/${appId}/tables/${made.alias}`)
      },
    },
  )
  const { name, columns } = form.values.value
  const set = (next: ColumnDraft[]) => form.set({ columns: next })
  const made = faultOf(columns) === undefined ? columns.map(columnOf) : []
  const tables = [
    ...(others.value.value?.items.map((one) => one.name) ?? []),
    ...(name.trim() === '' ? [] : [name.trim()]),
  ]
  return (
    <div class="page narrow">
      <PageHead
        title="New table"
        about="Every record also gets a number (id) and the times when it was made and changed."
        crumbs={[{ label: 'Tables', href: href(`/apps/${appId}/tables`) }]}
      />
      <Card>
        <Form
          form={form}
          submitLabel="Create the table"
          also={
            <AsCommand
              command={command`tables create --app ${appId} ${name.trim() || 'NAME'} ${made.flatMap((column) => ['--column', columnWords(column)])}`}
              call={{
                method: 'POST',
                path: `/admin/v1/apps/${appId}/tables`,
                body: { name: name.trim(), columns: made },
              }}
            />
          }
        >
          <TextField
            {...form.field('name')}
            label="Table name"
            hint="Letters, digits and underscores, such as books."
            isMono
          />
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
        </Form>
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
