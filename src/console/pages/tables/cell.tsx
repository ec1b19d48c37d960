import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { href } from '../../state/router.ts'
import { type Column, type Row, textOf, valueOf } from './values.ts'

interface CellProps {
  appId: number
  alias: string
  column: Column
  row: Row
  mayWrite: boolean
  onSaved(row: Row): void
}

const LONG = 80

/** A value, and for those who may change it a field in its place: Enter saves, Escape leaves it as it was. */
export function Cell({ appId, alias, column, row, mayWrite, onSaved }: CellProps) {
  const isOpen = useSignal(false)
  const trigger = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  useEffect(() => {
    if (wasOpen.current && !isOpen.value) trigger.current?.focus()
    wasOpen.current = isOpen.value
  }, [isOpen.value])
  const value = row[column.name]
  const text = textOf(value)
  const shown = value === null || value === undefined ? '–' : column.type === 'boolean' ? (value ? 'Yes' : 'No') : text
  const cut = shown.length > LONG ? `${shown.slice(0, LONG)}…` : shown
  const look = value === null || value === undefined ? 'quiet' : column.type === 'json' ? 'mono' : ''
  if (isOpen.value) {
    return <EditCell {...{ appId, alias, column, row, onSaved }} text={text} onClose={() => (isOpen.value = false)} />
  }
  const link =
    column.references === null || value === null || value === undefined ? undefined : (
      <a
        href={href(
          `/apps/${appId}/tables/${appId}_${column.references}?filter=${encodeURIComponent(
            JSON.stringify([{ field: 'id', operator: 'equals', value: text }]),
          )}`,
        )}
        aria-label={`Record ${text} of ${column.references}`}
      >
        {column.references} {text}
      </a>
    )
  if (!mayWrite) return link ?? <span class={`grid-cell ${look}`}>{cut}</span>
  return (
    <span class={link ? 'row' : ''} style={link ? { flexWrap: 'nowrap' } : {}}>
      <button
        ref={trigger}
        type="button"
        class={`grid-cell ${look}`}
        title={shown.length > LONG ? text : undefined}
        aria-label={`${column.name} of record ${row.id}: ${value === null || value === undefined ? 'empty' : cut}`}
        onClick={() => (isOpen.value = true)}
      >
        {link ? text : cut}
      </button>
      {link}
    </span>
  )
}

interface EditProps extends Omit<CellProps, 'mayWrite'> {
  text: string
  onClose(): void
}

function EditCell({ appId, alias, column, row, text, onSaved, onClose }: EditProps) {
  const typed = useSignal(text)
  const error = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  // A field that goes loses the focus, too.
  const isLeft = useRef(false)
  /** The value that somebody else has written meanwhile, once the person was warned of it. */
  const warnedOf = useRef<string | undefined>(undefined)
  const field = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null)
  const id = useId()
  useEffect(() => {
    field.current?.focus()
    if (field.current && 'select' in field.current) field.current.select?.()
  }, [])
  const save = async () => {
    if (isBusy.peek() || isLeft.current) return
    if (typed.peek() === text) return onClose()
    isBusy.value = true
    try {
      const value = valueOf(column.type, typed.peek())
      const path = { appId, tableAlias: alias, id: row.id }
      if (warnedOf.current === undefined) {
        const now = (await api.get('/admin/v1/apps/{appId}/data/{tableAlias}/{id}', { path })) as unknown as Row
        if (textOf(now[column.name]) !== text) {
          warnedOf.current = textOf(now[column.name])
          const theirs = warnedOf.current === '' ? 'empty' : `“${warnedOf.current}”`
          throw new Error(`is ${theirs} by now, because somebody else changed it. Enter saves yours over it.`)
        }
      }
      const saved = await api.put('/admin/v1/apps/{appId}/data/{tableAlias}/{id}', {
        path,
        body: { [column.name]: value },
      })
      isLeft.current = true
      onSaved(saved)
      onClose()
    } catch (thrown) {
      error.value =
        thrown instanceof ApiError ? (thrown.fields[column.name] ?? messageOf(thrown)) : (thrown as Error).message
    } finally {
      isBusy.value = false
    }
  }
  const common = {
    ref: field,
    class: 'input',
    'aria-label': `${column.name} of record ${row.id}`,
    'aria-invalid': error.value === undefined ? undefined : ('true' as const),
    'aria-describedby': error.value === undefined ? undefined : `${id}-error`,
    onBlur: () => void save(),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        isLeft.current = true
        onClose()
      } else if (event.key !== 'Enter' || event.shiftKey) return
      else void save()
      event.preventDefault()
      event.stopPropagation()
    },
  }
  const type = column.type
  return (
    <span class="grid-edit">
      {type === 'boolean' ? (
        <select {...common} value={typed.value} onChange={(event) => (typed.value = event.currentTarget.value)}>
          {!column.required && <option value="">–</option>}
          <option value="true">Yes</option>
          <option value="false">No</option>
        </select>
      ) : type === 'text' || type === 'json' ? (
        <textarea
          {...common}
          rows={3}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      ) : (
        <input
          {...common}
          inputMode={type === 'integer' || type === 'reference' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      )}
      {error.value !== undefined && (
        <span class="field-error" id={`${id}-error`} role="alert">
          {column.name} {error.value}
        </span>
      )}
    </span>
  )
}
