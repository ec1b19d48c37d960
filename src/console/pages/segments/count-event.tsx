import { asked } from '../../api/client.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { eventInWords, isOwnType } from '../../parts/event-words.ts'
import { operatorWords } from '../../parts/operators.ts'
import { Dialog, toast } from '../../parts/overlays.tsx'
import type { SeenType } from './suggestions.ts'

const METRIC = '/admin/v1/apps/{appId}/metrics/{name}'

interface CountEventProps {
  appId: number
  event: SeenType
  /** Names that are taken. */
  names: readonly string[]
  onDone(name: string): void
  onClose(): void
}

/** Begins to count a type of events for each user, with those that are stored already. */
export function CountEvent({ appId, event, names, onDone, onClose }: CountEventProps) {
  const form = useTable(rowsFor(event, names), {
    call: ({ value, field, op, is }: Form, { name }) =>
      asked('put', METRIC, {
        path: { appId, name },
        body: {
          event: event.type,
          value,
          backfill: true,
          where: field === EVERY ? null : { field, op, value: is },
        },
      }),
    done({ name }) {
      toast(`${name} is counted.`)
      onDone(name)
      onClose()
    },
  })
  return (
    <Dialog title={`Count: ${shownType(event.type)}`} onClose={onClose}>
      <TableForm form={form} submitLabel="Count it" cancel={onClose} />
    </Dialog>
  )
}

/** Every one of the events is counted. */
const EVERY = 'all'

type Form = { field: string; op?: string; is?: unknown; value: string | null }

function rowsFor({ type, properties }: SeenType, names: readonly string[]) {
  const fields = properties.map(({ field }) => ({ value: field, label: field.replace(/^data\.?/, '') }))
  const isNumber = (field: unknown) => properties.find((one) => one.field === field)?.kinds.includes('number') ?? false
  const isChosen = ({ field }: { field?: unknown }) => field !== EVERY
  return [
    row.text('name', 'Name', {
      first: freeName(type, names),
      hint: 'Segments name it so.',
      need: 'Give it a name.',
      check: (name) => (names.includes(name) ? 'There is one of this name.' : undefined),
    }),
    row.select('value', 'What is counted', {
      first: EVERY,
      options: [
        { value: EVERY, label: 'How often it happens' },
        ...fields
          .filter(({ value }) => isNumber(value))
          .map(({ value, label }) => ({ value, label: `Sum of ${label}` })),
      ],
      to: (value) => (value === EVERY ? null : value),
    }),
    row.select('field', 'Only those where', {
      first: EVERY,
      options: [{ value: EVERY, label: 'All of them' }, ...fields],
    }),
    row.halves(
      row.select('op', 'Comparison', {
        first: 'equals',
        options: ['equals', 'atLeast', 'atMost', 'contains'].map((value) => ({
          value,
          label: operatorWords(value, false),
        })),
        when: isChosen,
      }),
      row.text('is', 'Value', {
        need: 'Write a value.',
        when: isChosen,
        to: (text, { field, op }) => (isNumber(field) && op !== 'contains' && text.trim() !== '' ? Number(text) : text),
      }),
    ),
  ] as const
}

/** The name that the app gave to a type of events; of the SDKs’ own types the words. */
export const shownType = (type: string): string => (isOwnType(type) ? type : eventInWords(type))

/** A name for the metric of a type of events. */
function freeName(type: string, names: readonly string[]): string {
  const name =
    shownType(type)
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[._-]+/, '')
      .slice(0, 60) || 'event'
  for (let i = 2; ; i++) {
    const next = names.includes(name) ? `${name}-${i}` : name
    if (!names.includes(next)) return next
  }
}
