import { useSignal } from '@preact/signals'
import { Send, Trash2 } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { More } from '../../parts/values.tsx'
import { href, navigate } from '../../state/router.ts'
import { Builder } from './builder.tsx'
import { useCount } from './count.ts'
import { CountCard } from './count-card.tsx'
import { DeleteSegment } from './delete.tsx'
import { type Filter, filterOf, type Group, isComplete, newGroup, problemsByRow, rowsOf } from './filter.ts'
import { isReading, useSuggestions } from './suggestions.ts'
import { Uses } from './uses.tsx'

const ONE = '/admin/v1/apps/{appId}/segments/{id}'
type Segment = Answer<typeof ONE>

const SEGMENT = row.table<Body<'/admin/v1/apps/{appId}/segments', 'post'>>()(
  row.text('name', 'Name', { hint: 'Your team chooses it by this name.', need: 'Give it a name.' }),
  row.own('filter', filterOf(newGroup()), {
    check: (filter) => (isReadyFilter(filter) ? undefined : 'Finish the conditions first.'),
  }),
)

interface EditorProps {
  appId: number
  /** Segment that is edited; undefined for a new one. */
  segment?: Segment
  onSaved?(segment: Segment): void
}

/** Name and filter of a segment: rows and JSON side by side, with the count of the moment. */
export function SegmentEditor({ appId, segment, onSaved }: EditorProps) {
  const isDeleting = useSignal(false)
  const path = segment && { appId, id: segment.id }
  const form = useTable(SEGMENT, {
    of: segment,
    read: path && (() => api.get(ONE, { path })),
    draft: `segment-${appId}-${segment?.id ?? 'new'}`,
    call: (body) =>
      path
        ? asked('put', ONE, { path, body })
        : asked('post', '/admin/v1/apps/{appId}/segments', { path: { appId }, body }),
    done(saved) {
      toast(segment ? 'The segment is saved.' : 'The segment is there.')
      if (!segment) return navigate(`/apps/${appId}/segments/${saved.id}`)
      form.hasDraft.value = false
      onSaved?.(saved)
    },
  })
  const { name, filter } = form.values.value
  const suggestions = useSuggestions(appId)
  const { rows, setRows } = useRows(filter, (next) => form.set({ filter: next }))
  const isReady = isReadyFilter(filter)
  // Once a metric has read everything, what was counted is old.
  const counting = useCount(appId, isReady ? filter : null, suggestions.metrics.filter(isReading).length)
  const error = counting.error.value
  const problems = problemsByRow(rows ?? newGroup(), isReady && error instanceof ApiError ? error.fields : {})
  const named = name.trim() || 'My segment'
  const into = segment
    ? command`segments update ${segment.id} --app ${appId} --name ${named} --filter -`
    : command`segments create --app ${appId} --name ${named} --filter -`
  return (
    <div class="page wide">
      <PageHead
        title={segment?.name ?? 'New segment'}
        crumbs={[{ label: 'Segments', href: href(`/apps/${appId}/segments`) }]}
        actions={
          segment && (
            <>
              <Button icon={Send} href={href(`/apps/${appId}/push/new?segment=${segment.uuid}`)}>
                Send to this segment
              </Button>
              <Button tone="danger" icon={Trash2} onClick={() => (isDeleting.value = true)}>
                Delete
              </Button>
            </>
          )
        }
      />
      <div class="segment-layout">
        <div class="stack">
          <Card>
            <TableForm
              form={form}
              submitLabel={segment ? 'Save the segment' : 'Create the segment'}
              command={piped(filter, into)}
            >
              <div class="field">
                <h2 class="field-label">Who is meant</h2>
                {rows === undefined ? (
                  <Note tone="warn" title="The JSON is no filter, so there are no rows to show. Correct it there." />
                ) : (
                  <Builder
                    appId={appId}
                    group={rows}
                    onChange={setRows}
                    suggestions={suggestions}
                    problems={problems}
                  />
                )}
                {form.field('filter').error !== undefined && <Note tone="bad" title={form.field('filter').error} />}
              </div>
            </TableForm>
          </Card>
        </div>
        <div class="segment-aside">
          <CountCard counting={counting} isReady={isReady} />
          {segment && <Uses appId={appId} id={segment.id} />}
          <Card>
            <More label="The filter as JSON" isOpen={rows === undefined}>
              <JsonField
                label="Filter"
                hint="It follows the rows, and the rows follow it."
                rows={10}
                value={Object.keys(filter).length === 0 ? undefined : filter}
                onChange={(next) => form.set({ filter: (next ?? {}) as Filter })}
              />
            </More>
          </Card>
        </div>
      </div>
      {segment && isDeleting.value && (
        <DeleteSegment appId={appId} segment={segment} onClose={() => (isDeleting.value = false)} />
      )}
    </div>
  )
}

function isReadyFilter(filter: Filter): boolean {
  const rows = rowsOf(filter)
  return rows !== undefined && isComplete(rows)
}

/** The rows of a filter. They keep their ids while people work on them, and are made anew when the JSON was changed. */
function useRows(filter: Filter, onChange: (filter: Filter) => void) {
  const kept = useRef<{ filter: Filter; rows: Group | undefined } | undefined>(undefined)
  if (kept.current?.filter !== filter) kept.current = { filter, rows: rowsOf(filter) }
  const latest = useRef(onChange)
  useEffect(() => {
    latest.current = onChange
  })
  return {
    rows: kept.current.rows,
    setRows(rows: Group) {
      const next = filterOf(rows)
      kept.current = { filter: next, rows }
      latest.current(next)
    },
  }
}
