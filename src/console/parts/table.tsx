import { useSignal } from '@preact/signals'
import { ArrowDown, ArrowUp, ChevronsUpDown, type IconNode, Inbox } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { LoadedList } from '../api/load.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { Empty, Failed, Skeleton } from './surfaces.tsx'
import { Nothing } from './values.tsx'

export interface Column<T> {
  /** The head; also before the value on a phone. Empty for a column of buttons. */
  title: string
  /** Null or undefined where there is nothing: a dash, which is left out on a phone. */
  cell(row: T): ComponentChildren
  /** Right-aligned, with digits of one width. */
  isNumeric?: boolean
  /** Makes the column as narrow as its content. */
  isTight?: boolean
  /** Names the row on a phone, where that is not the first column. */
  isLead?: boolean
  /** Left out on a phone. */
  isMinor?: boolean
  /** Lets people sort by it. Only for lists that are whole: a page of a longer list cannot be sorted here. */
  sortBy?(row: T): string | number | null
}

interface TableProps<T> {
  /** Name of the rows, for screen readers: "Users". */
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf(row: T): string | number
  /** Rows have two lines on a phone (the default), or the table scrolls sideways. */
  small?: 'cards' | 'scroll'
  /** Instead of rows when there are none. */
  empty?: ComponentChildren
  foot?: ComponentChildren
}

/** Number of rows from which only those in sight are drawn. */
const MANY_ROWS = 200
const OVERSCAN = 10
const ROW_PX = 41

/** Rows with a head that stays in sight. The first column names the row. */
export function Table<T>(props: TableProps<T>) {
  const { label, columns, rows, keyOf, small = 'cards', empty, foot } = props
  const sort = useSignal<{ column: number; isDown: boolean } | undefined>(undefined)
  const frame = useRef<HTMLDivElement>(null)
  const sorted = sortRows(rows, columns, sort.value)
  const isVirtual = sorted.length > MANY_ROWS
  const lead = Math.max(
    0,
    columns.findIndex(({ isLead }) => isLead),
  )
  const range = useVisibleRows(frame, sorted.length, isVirtual)
  const drawn = isVirtual ? sorted.slice(range.from, range.to) : sorted
  if (rows.length === 0 && empty !== undefined) return <>{empty}</>
  return (
    <>
      <div
        ref={frame}
        class={`table-wrap ${isVirtual ? 'tall' : ''}`}
        role="group"
        aria-label={label}
        tabIndex={isVirtual || small === 'scroll' ? 0 : undefined}
      >
        <table
          // Said in full, because browsers forget it where rows are drawn as cards.
          role="table"
          class={`table ${small === 'cards' && !isVirtual ? 'cards' : ''}`}
          aria-rowcount={isVirtual ? sorted.length + 1 : undefined}
        >
          <caption class="hidden">{label}</caption>
          <thead role="rowgroup">
            <tr role="row">
              {columns.map((column, i) => (
                <Head
                  key={column.title + i}
                  column={column}
                  direction={sort.value?.column === i ? (sort.value.isDown ? 'descending' : 'ascending') : undefined}
                  onSort={() => (sort.value = { column: i, isDown: sort.value?.column === i && !sort.value.isDown })}
                />
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {isVirtual && <Spacer rows={range.from} columns={columns.length} />}
            {drawn.map((row, i) => (
              <tr key={keyOf(row)} role="row" class="linked" aria-rowindex={isVirtual ? range.from + i + 2 : undefined}>
                {columns.map((column, at) => (
                  <td
                    key={at}
                    role="cell"
                    data-label={column.title}
                    class={`${classOf(column)} ${at === lead ? 'lead' : ''}`}
                  >
                    {contentOf(column, row)}
                  </td>
                ))}
              </tr>
            ))}
            {isVirtual && <Spacer rows={sorted.length - range.to} columns={columns.length} />}
          </tbody>
        </table>
      </div>
      {foot !== undefined && <div class="table-foot">{foot}</div>}
    </>
  )
}

/** A cell, or the dash in place of what is not there; a column of buttons has none. */
function contentOf<T>({ cell, title }: Column<T>, row: T): ComponentChildren {
  const content = cell(row) ?? '–'
  if (content !== '–') return content
  return title !== '' && <Nothing />
}

const classOf = ({ isNumeric, isTight, isMinor }: Omit<Column<never>, 'title' | 'cell'>): string =>
  `${isNumeric ? 'numeric' : ''} ${isTight ? 'tight' : ''} ${isMinor ? 'minor' : ''}`

interface HeadProps<T> {
  column: Column<T>
  direction: 'ascending' | 'descending' | undefined
  onSort(): void
}

function Head<T>({ column, direction, onSort }: HeadProps<T>) {
  const { title, sortBy } = column
  return (
    <th scope="col" role="columnheader" class={classOf(column)} aria-sort={direction}>
      {title === '' ? (
        <span class="hidden">Actions</span>
      ) : sortBy === undefined ? (
        title
      ) : (
        <button type="button" class="sort" onClick={onSort}>
          {title}
          <Icon of={direction === undefined ? ChevronsUpDown : direction === 'descending' ? ArrowDown : ArrowUp} />
        </button>
      )}
    </th>
  )
}

function Spacer({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return null
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ blockSize: `${rows * ROW_PX}px`, padding: 0, border: 0 }} />
    </tr>
  )
}

function sortRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  sort: { column: number; isDown: boolean } | undefined,
): readonly T[] {
  const by = sort && columns[sort.column]?.sortBy
  if (!by) return rows
  const way = sort.isDown ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [by(a), by(b)]
    // What is missing comes last either way.
    if (x === null || y === null) return x === y ? 0 : x === null ? 1 : -1
    return way * (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y)))
  })
}

/** The rows in sight of a frame that scrolls. */
function useVisibleRows(frame: { current: HTMLDivElement | null }, count: number, isOn: boolean) {
  const range = useSignal({ from: 0, to: MANY_ROWS })
  useEffect(() => {
    const at = frame.current
    if (!isOn || !at) return
    const look = () => {
      const from = Math.max(0, Math.floor(at.scrollTop / ROW_PX) - OVERSCAN)
      const to = Math.min(count, Math.ceil((at.scrollTop + at.clientHeight) / ROW_PX) + OVERSCAN)
      const { from: oldFrom, to: oldTo } = range.peek()
      if (from !== oldFrom || to !== oldTo) range.value = { from, to }
    }
    look()
    at.addEventListener('scroll', look, { passive: true })
    return () => at.removeEventListener('scroll', look)
  }, [isOn, count])
  return range.value
}

interface ListTableProps<T> extends Omit<TableProps<T>, 'rows' | 'empty' | 'foot'> {
  list: LoadedList<T>
  /** Text and button in place of an empty list. */
  empty?: { icon?: IconNode; title: string; about?: string; action?: ComponentChildren }
}

/** A table of a list that comes in pages: while it is read, when it failed, when it is empty, and the button for more. */
export function ListTable<T>({ list, empty, ...table }: ListTableProps<T>) {
  const rows = list.value.value
  if (rows === undefined) {
    return (
      <div style={{ padding: '12px 24px 24px' }}>
        {list.error.value === undefined ? (
          <Skeleton lines={5} />
        ) : (
          <Failed error={list.error.value} retry={list.reload} />
        )}
      </div>
    )
  }
  const { icon = Inbox, title = 'Nothing here yet', about, action } = empty ?? {}
  return (
    <Table
      {...table}
      rows={rows}
      empty={
        <Empty icon={icon} title={title} action={action}>
          {about}
        </Empty>
      }
      foot={
        list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.more} />
        ) : list.hasMore.value ? (
          <>
            <span>{rows.length} shown</span>
            <Button size="small" isBusy={list.isLoading.value} onClick={list.more}>
              Show more
            </Button>
          </>
        ) : undefined
      }
    />
  )
}
