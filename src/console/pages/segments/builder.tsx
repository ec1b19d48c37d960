import { useSignal } from '@preact/signals'
import { FolderPlus, Plus, Trash2 } from 'lucide'
import { useEffect, useRef } from 'preact/hooks'
import { Button, IconButton } from '../../parts/button.tsx'
import { FieldError } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { operatorOf, operatorWords } from '../../parts/operators.ts'
import { Time } from '../../parts/values.tsx'
import { instantFrom } from '../../parts/zones.ts'
import { may } from '../../state/session.ts'
import { Choose } from './choose.tsx'
import { CountEvent, shownType } from './count-event.tsx'
import { FIELDS, fieldOf, isAttribute, isMetric, labelOf, valueKind } from './fields.ts'
import { type Condition, changed, type Group, isGroup, MAX_DEPTH, newCondition, newGroup, type Row } from './filter.ts'
import { isReading, type Metric, type SeenType, type Suggestions } from './suggestions.ts'
import { Value } from './value.tsx'

interface BuilderProps {
  appId: number
  group: Group
  onChange(group: Group): void
  suggestions: Suggestions & { reload(): void }
  /** Errors, by row. */
  problems: ReadonlyMap<number, string>
}

interface Shared extends Pick<BuilderProps, 'appId' | 'suggestions' | 'problems'> {
  change(id: number, change: (row: Row) => Row | undefined): void
}

/** Rows of conditions; a group of rows may stand in place of a row. */
export function Builder({ appId, group, onChange, suggestions, problems }: BuilderProps) {
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(group)
  latest.current = group
  const shared: Shared = {
    appId,
    suggestions,
    problems,
    change(id, change) {
      const now = latest.current
      const next = now.id === id ? (change(now) as Group) : changed(now, id, change)
      latest.current = next
      onChange(next)
    },
  }
  return (
    <div ref={place} class="segment-builder" role="group" aria-label="Conditions">
      <GroupBox {...shared} group={group} depth={1} name="" />
    </div>
  )
}

interface GroupProps extends Shared {
  group: Group
  depth: number
  /** `2` or `2.1`: where it stands, for screen readers; empty for the outermost. */
  name: string
}

function GroupBox({ group, depth, name, ...shared }: GroupProps) {
  const { change, problems } = shared
  const box = useRef<HTMLFieldSetElement>(null)
  const isNew = useSignal(false)
  // The cursor goes to a row that was added.
  useEffect(() => {
    if (!isNew.peek()) return
    isNew.value = false
    box.current?.querySelector<HTMLElement>(':scope > .segment-rows > :last-child select')?.focus()
  }, [group.rows.length])
  const add = (row: Row) => {
    isNew.value = true
    change(group.id, (now) => ({ ...(now as Group), rows: [...(now as Group).rows, row] }))
  }
  const remove = () => change(group.id, () => undefined)
  return (
    <fieldset ref={box} class={`segment-group ${depth > 1 ? 'inner' : ''}`}>
      <legend class="hidden">{name === '' ? 'Who is meant' : `Group ${name}`}</legend>
      <div class="segment-group-head">
        {depth > 1 && <NotChoice row={group} change={change} label={`group ${name}`} />}
        <Choose
          label={name === '' ? 'How the conditions are joined' : `How group ${name} is joined`}
          value={group.kind}
          options={[
            { value: 'and', label: 'All of these' },
            { value: 'or', label: 'Any of these' },
          ]}
          onChange={(kind) => change(group.id, (now) => ({ ...(now as Group), kind: kind as Group['kind'] }))}
        />
        {depth > 1 && <IconButton icon={Trash2} label={`Remove group ${name}`} onClick={remove} />}
      </div>
      <div class="segment-rows">
        {group.rows.map((row, i) => {
          const at = name === '' ? String(i + 1) : `${name}.${i + 1}`
          return (
            <div key={row.id} class="segment-row-place">
              {i > 0 && <span class="segment-joint">{group.kind}</span>}
              {isGroup(row) ? (
                <GroupBox {...shared} group={row} depth={depth + 1} name={at} />
              ) : (
                <ConditionRow {...shared} condition={row} name={at} />
              )}
            </div>
          )
        })}
      </div>
      <FieldError id={`row-${group.id}`} error={problems.get(group.id)} />
      <div class="row">
        <Button size="small" icon={Plus} onClick={() => add(newCondition())}>
          {name === '' ? 'Add a condition' : `Add to group ${name}`}
        </Button>
        {depth < MAX_DEPTH - 1 && (
          <Button
            size="small"
            tone="bare"
            icon={FolderPlus}
            onClick={() => add(newGroup(group.kind === 'and' ? 'or' : 'and'))}
          >
            {name === '' ? 'Add a group' : `Add a group to ${name}`}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface NotProps extends Pick<Shared, 'change'> {
  row: Row
  label: string
  /** True of something that people did. */
  isDone?: boolean
}

function NotChoice({ row, change, label, isDone = false }: NotProps) {
  return (
    <Choose
      label={`Negation of ${label}`}
      value={row.isNot ? 'not' : ''}
      options={[
        { value: '', label: isDone ? 'did' : 'if' },
        { value: 'not', label: isDone ? 'did not' : 'not if' },
      ]}
      onChange={(value) => change(row.id, (now) => ({ ...now, isNot: value === 'not' }))}
    />
  )
}

const OTHER = 'attributes.'
/** In place of a field: a type of events that is to be counted. */
const EVENT = 'event.'

function ConditionRow({ condition, name, ...shared }: Shared & { condition: Condition; name: string }) {
  const { appId, change, suggestions, problems } = shared
  const counting = useSignal<SeenType | undefined>(undefined)
  const { id, field, value } = condition
  const known = fieldOf(field)
  const set = (next: Partial<Condition>) => change(id, (now) => ({ ...(now as Condition), ...next }))
  const isOther = isAttribute(field) && !suggestions.attributes.some((one) => one.field === field)
  const problem = problems.get(id)
  const metric = isMetric(field) ? suggestions.metrics.find((one) => field === `metrics.${one.name}`) : undefined
  return (
    <div class="segment-condition" role="group" aria-label={`Condition ${name}`} aria-invalid={problem !== undefined}>
      <div class="segment-controls">
        <NotChoice row={condition} change={change} label={`condition ${name}`} isDone={isCount(metric)} />
        <Choose
          label={`Field of condition ${name}`}
          value={isOther ? OTHER : field}
          options={
            field === '' ? [{ value: '', label: 'Choose a field' }] : known ? [] : [{ value: field, label: field }]
          }
          groups={groupsOf(suggestions, field, may('operate', appId))}
          onChange={(next) => {
            counting.value = suggestions.events.find(({ type }) => next === EVENT + type)
            if (!counting.value) set(moved(condition, next))
          }}
        />
        {isOther && (
          <input
            class="input mono"
            aria-label={`Attribute of condition ${name}`}
            placeholder="plan"
            autocomplete="off"
            spellcheck={false}
            value={field.replace(/^attributes\.?/, '')}
            onInput={({ currentTarget: { value: text } }) =>
              set({ field: text.startsWith('[') ? `attributes${text}` : OTHER + text })
            }
          />
        )}
        {field !== '' && <Comparison {...{ condition, name, suggestions, metric, set }} />}
        <IconButton icon={Trash2} label={`Remove condition ${name}`} onClick={() => change(id, () => undefined)} />
      </div>
      {metric && <Since metric={metric} days={condition.withinDays} />}
      {counting.value && (
        <CountEvent
          appId={appId}
          event={counting.value}
          names={suggestions.metrics.map((one) => one.name)}
          onDone={(made) => {
            suggestions.reload()
            set({ ...moved(condition, `metrics.${made}`), ...OFTEN })
          }}
          onClose={() => (counting.value = undefined)}
        />
      )}
      <FieldError id={`row-${id}`} error={problem} />
      {value === undefined && field !== '' && problem === undefined && (
        <span class="hidden">Condition {name} has no value yet.</span>
      )}
    </div>
  )
}

/** Tells whether a metric counts how often people did something. */
const isCount = (metric: Metric | undefined): boolean => metric?.value === null

interface ComparisonProps extends Pick<Shared, 'suggestions'> {
  condition: Condition
  name: string
  metric: Metric | undefined
  set(next: Partial<Condition>): void
}

/** The operator of a condition, its value, and the span of a metric. */
function Comparison({ condition, name, suggestions, metric, set }: ComparisonProps) {
  const { field, op, value } = condition
  const known = fieldOf(field)
  const words = (one: string) => operatorWords(one, known?.kind === 'date').replace(isCount(metric) ? /^is / : '', '')
  return (
    <>
      <Choose
        label={`Operator of condition ${name}`}
        value={operatorOf(op)}
        options={[
          ...(known?.ops.includes(operatorOf(op)) ? [] : [{ value: operatorOf(op), label: words(op) }]),
          ...(known?.ops ?? []).map((one) => ({ value: one, label: words(one) })),
        ]}
        onChange={(next) => set({ op: next, value: keptValue(condition, next) })}
      />
      <Value
        condition={condition}
        suggestions={suggestions}
        label={`Value of condition ${name}`}
        onChange={(next) => set({ value: next })}
      />
      {isCount(metric) && <span class="quiet">{value === 1 ? 'time' : 'times'}</span>}
      {isMetric(field) && (
        <Choose
          label={`Span of condition ${name}`}
          value={String(condition.withinDays ?? '')}
          options={spansWith(condition.withinDays)}
          onChange={(days) => set({ withinDays: days === '' ? undefined : Number(days) })}
        />
      )}
    </>
  )
}

/** Says since when a metric counts, when that is later than what is asked for, and how much it still has to read. */
function Since({ metric, days }: { metric: Metric; days: number | undefined }) {
  const { since, backfilled } = metric
  const reads = isReading(metric)
  if (!reads && days !== undefined && instantFrom(since).getTime() <= Date.now() - days * 86_400_000) return null
  return (
    <p class="field-hint" role="status">
      {reads ? 'Counting' : 'Counted'} since <Time at={since} isExact />
      {reads && `, ${Math.floor(backfilled! * 100)} % read: the numbers are too small until all of it is`}.
    </p>
  )
}

function spansWith(days: number | undefined) {
  const usual = [1, 7, 30, 90, 365]
  const all = days === undefined || usual.includes(days) ? usual : [...usual, days].sort((a, b) => a - b)
  return [
    { value: '', label: 'in all' },
    ...all.map((one) => ({ value: String(one), label: one === 1 ? 'in the last day' : `in the last ${one} days` })),
  ]
}

function groupsOf(suggestions: Suggestions, field: string, mayCount: boolean) {
  const of = (group: string) =>
    FIELDS.filter((one) => one.group === group).map((one) => ({ value: one.field, label: one.label }))
  const metrics = suggestions.metrics.map(({ name, value }) => ({
    value: `metrics.${name}`,
    label: value === null ? name : `${name} (sum)`,
  }))
  if (isMetric(field) && !metrics.some(({ value }) => value === field))
    metrics.push({ value: field, label: labelOf(field) })
  return [
    {
      label: 'Attributes',
      options: [
        ...suggestions.attributes.map((one) => ({ value: one.field, label: labelOf(one.field) })),
        { value: OTHER, label: 'Another attribute' },
      ],
    },
    { label: 'The person', options: of('person') },
    { label: 'What they did', options: metrics },
    {
      label: 'Count an event',
      options: (mayCount ? suggestions.events : []).map(({ type, events }) => ({
        value: EVENT + type,
        label: `${shownType(type)} (${formatNumber(events)})`,
      })),
    },
    { label: 'The device', options: of('device') },
    { label: 'Channels and places', options: of('place') },
  ]
}

/** The condition about another field: the operator stays where that field has it, the value where it is of the same kind. */
function moved(condition: Condition, field: string): Partial<Condition> {
  const ops = fieldOf(field)?.ops ?? []
  const op =
    ops.includes(operatorOf(condition.op)) && condition.value !== undefined ? condition.op : (ops[0] ?? 'equals')
  const isSame =
    valueKind(field, op) === valueKind(condition.field, condition.op) &&
    op === condition.op &&
    valueKind(field, op) === 'any'
  return {
    field,
    op,
    value: isSame ? condition.value : undefined,
    ...(isMetric(field) && !isMetric(condition.field) ? OFTEN : { withinDays: undefined }),
  }
}

/** The operator, value and span with which a condition about a metric begins. */
const OFTEN = { op: 'atLeast', value: 1, withinDays: 30 }

/** The value that stays when the operator changes: a list becomes its first value, and the other way round. */
function keptValue({ field, op, value }: Condition, next: string): unknown {
  if (operatorOf(next) === 'in') return Array.isArray(value) || value === undefined ? value : [value]
  if (['exists', 'known'].includes(operatorOf(next))) return true
  const one = Array.isArray(value) ? (value[0] as unknown) : value
  const isAlike = valueKind(field, next) === valueKind(field, operatorOf(op) === 'in' ? 'equals' : op)
  return isAlike || (typeof one === 'string' && ['text', 'any'].includes(valueKind(field, next))) ? one : undefined
}
