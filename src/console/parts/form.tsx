import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CHANGED, editedText, refuseChanged } from '../api/changed.ts'
import { baseOfDraft, dropDraft, keepDraft, readDraft } from '../api/drafts.ts'
import { ApiError, isCancelled, messageOf } from '../api/errors.ts'
import { Button, type Tone } from './button.tsx'
import type { FieldProps } from './field.tsx'
import { Note } from './surfaces.tsx'

/** Returned by `submit` when nothing was sent yet, such as before a last look: the draft stays. */
export const KEEP_DRAFT = 'keep the draft'

/** Maximum number of frames that a dialog may take to close. */
const MOST_FRAMES = 30

export interface FormOptions<V extends object> {
  /** Sends the values. An error that it throws is shown: errors of the interface beside the fields that they name. */
  submit(values: V): Promise<unknown>
  /** Problems that are found before anything is sent: name of the field -> remedy. */
  check?(values: V): Partial<Record<string, string | undefined>>
  /** Keeps what was typed in this browser, under this name, until it was sent. Not for secrets. */
  draft?: string
  /**
   * The edited thing as it was read, and a way to read it again. When somebody else has changed it meanwhile, nothing is sent,
   * and the person chooses.
   */
  edits?: { before: object; read(): Promise<object> } | undefined
  /** Names of fields in the interface that differ from ours: `{ 'content.title': 'title' }`; of these values, where it depends. */
  names?: Record<string, string> | ((values: V) => Record<string, string>)
}

export interface FormState<V extends object> {
  values: Signal<V>
  /** Properties for a field: `<TextField {...form.field('name')} label="Name" />`. */
  field<K extends keyof V & string>(name: K): Pick<FieldProps<V[K]>, 'name' | 'value' | 'onChange' | 'error'>
  set(changes: Partial<V>): void
  reset(values?: V): void
  /** Error of the form as a whole, which belongs to no field. */
  problem: Signal<string | undefined>
  isBusy: Signal<boolean>
  /** `isForced`: also over what somebody else has changed meanwhile. */
  submit(isForced?: boolean): Promise<void>
  /** True when nothing was sent because somebody else has changed the edited thing. */
  isChanged: Signal<boolean>
  /** The draft that was found was begun before somebody else changed what is edited. */
  isStale: boolean
  /**
   * Shows what the interface says of the values: beside the fields that it names, the rest above the button. Returns the names of
   * those fields. `isQuiet`: while people type, the cursor stays and nothing but the fields is marked.
   */
  fail(error: unknown, how?: { isQuiet?: boolean }): string[]
  /** Takes back what `fail` said of these fields. */
  forgive(names: readonly string[]): void
  /** A draft was found when the form appeared. */
  hasDraft: Signal<boolean>
}

/** The values of a form, its errors and its draft. Name the type of values that can be more than their first one: `useForm<Values>(…)`. */
export function useForm<V extends object>(initial: V, options: FormOptions<V>): FormState<V> {
  const first = useRef(initial).current
  const draft = useRef(
    options.draft === undefined ? undefined : (readDraft(options.draft) as Partial<V> | undefined),
  ).current
  const values = useSignal<V>({ ...first, ...draft })
  const errors = useSignal<Record<string, string | undefined>>({})
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const hasDraft = useSignal(draft !== undefined)
  const isChanged = useSignal(false)
  const base = options.edits && editedText(options.edits.before)
  const isStale = useRef(
    draft !== undefined && base !== undefined && ![undefined, base].includes(baseOfDraft(options.draft!)),
  ).current

  const set = (changes: Partial<V>) => {
    values.value = { ...values.peek(), ...changes }
    const cleared = Object.fromEntries(Object.keys(changes).map((name) => [name, undefined]))
    errors.value = { ...errors.peek(), ...cleared }
    if (options.draft !== undefined) keepDraft(options.draft, values.peek(), base)
  }
  const show = (wrong: Record<string, string | undefined>) => {
    errors.value = wrong
    if (Object.keys(wrong).length > 0) requestAnimationFrame(() => goToFirst(wrong))
  }
  /** Puts the cursor into the first field that is wrong, once errors are drawn, and opens the folds around it. */
  const goToFirst = (wrong: Record<string, string | undefined>, frames = MOST_FRAMES) => {
    const modal = [...document.querySelectorAll('dialog:modal')].at(-1)
    const field = (modal ?? document).querySelector<HTMLElement>('[aria-invalid="true"]')
    // A dialog that is about to close gives the focus back to where it was.
    if (modal && !field && frames > 0) return void requestAnimationFrame(() => goToFirst(wrong, frames - 1))
    for (let fold = field?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true
    field?.focus()
    // None of them is drawn now: what is wrong is said all the same.
    if (!field)
      problem.value ??= Object.entries(wrong)
        .flatMap(([name, text]) => (text ? `${name}: ${text}` : []))
        .join(' ')
  }
  const fail = (error: unknown, { isQuiet = false } = {}): string[] => {
    const { names = {} } = options
    const now = values.peek()
    const { beside, rest } = sortErrors(error, now, typeof names === 'function' ? names(now) : names)
    if (isQuiet) errors.value = { ...errors.peek(), ...beside }
    else {
      problem.value = rest
      show(beside)
    }
    return Object.keys(beside)
  }

  return {
    values,
    problem,
    isBusy,
    hasDraft,
    isChanged,
    isStale,
    set,
    fail,
    forgive(names) {
      errors.value = { ...errors.peek(), ...Object.fromEntries(names.map((name) => [name, undefined])) }
    },
    field: (name) => ({
      name,
      value: values.value[name],
      error: errors.value[name],
      onChange: (value) => set({ [name]: value } as unknown as Partial<V>),
    }),
    reset(next = first) {
      values.value = next
      errors.value = {}
      problem.value = undefined
      isChanged.value = false
      hasDraft.value = false
      if (options.draft !== undefined) dropDraft(options.draft)
    },
    async submit(isForced = false) {
      if (isBusy.peek()) return
      problem.value = undefined
      isChanged.value = false
      const wrong = Object.entries(options.check?.(values.peek()) ?? {}).filter(([, text]) => text)
      if (wrong.length > 0) return show(Object.fromEntries(wrong))
      isBusy.value = true
      try {
        if (options.edits && !isForced) await refuseChanged(options.edits.before, options.edits.read)
        const done = await options.submit(values.peek())
        errors.value = {}
        if (options.draft !== undefined && done !== KEEP_DRAFT) dropDraft(options.draft)
      } catch (error) {
        if (isCancelled(error)) return
        isChanged.value = error instanceof ApiError && error.code === CHANGED
        fail(error)
      } finally {
        isBusy.value = false
      }
    },
  }
}

/** Errors that name a field of the form go beside it; the rest is said above the buttons. */
function sortErrors(error: unknown, values: object, names: Record<string, string>) {
  const beside: Record<string, string> = {}
  const rest: string[] = []
  const fields = error instanceof ApiError ? Object.entries(error.fields) : []
  for (const [path, text] of fields) {
    const known = names[path] ?? parents(path).find((name) => name in values)
    if (known === undefined) rest.push(text.includes(path) ? text : `${path}: ${text}`)
    else beside[known] ??= text
  }
  if (fields.length === 0) rest.push(messageOf(error))
  return { beside, rest: rest.length === 0 ? undefined : rest.join(' ') }
}

/** `target.userIds[0]` -> itself, `target.userIds`, `target` */
function parents(path: string): string[] {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  return parts.map((_, i) => parts.slice(0, parts.length - i).join('.'))
}

interface FormProps<V extends object> {
  form: FormState<V>
  children: ComponentChildren
  /** Text of the button, a verb and its object: "Create the app". */
  submitLabel: string
  tone?: Tone
  /** A way back, before the button: the button that acts is the last one everywhere. */
  more?: ComponentChildren
  /** Content below the button: `<AsCommand …/>`. */
  also?: ComponentChildren
  isOff?: boolean
  isBlock?: boolean
}

/** Fields, what is wrong with the whole, and the button. */
export function Form<V extends object>(props: FormProps<V>) {
  const { form, children, submitLabel, tone = 'primary', more, also } = props
  const trouble = useRef<HTMLDivElement>(null)
  useEffect(
    () =>
      form.problem.subscribe((text) => {
        if (text !== undefined) trouble.current?.scrollIntoView({ block: 'nearest' })
      }),
    [],
  )
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!props.isOff) void form.submit()
      }}
    >
      {form.hasDraft.value && (
        <Note
          tone={form.isStale ? 'warn' : 'info'}
          title={
            form.isStale
              ? 'This is what you wrote last time. Somebody else has changed it since: saving takes that back.'
              : 'This is what you wrote last time.'
          }
          actions={
            <Button size="small" onClick={() => form.reset()}>
              Start afresh
            </Button>
          }
        />
      )}
      {children}
      <div ref={trouble} role="alert">
        {form.problem.value !== undefined && (
          <Note
            tone={form.isChanged.value ? 'warn' : 'bad'}
            title={form.problem.value}
            actions={
              form.isChanged.value && (
                <>
                  <Button size="small" onClick={() => void form.submit(true)}>
                    Save mine over it
                  </Button>
                  <Button
                    size="small"
                    onClick={() => {
                      form.reset()
                      location.reload()
                    }}
                  >
                    Drop mine and load theirs
                  </Button>
                </>
              )
            }
          />
        )}
      </div>
      <div class="form-foot">
        {more}
        <Button
          type="submit"
          tone={tone}
          isBusy={form.isBusy.value}
          isOff={props.isOff ?? false}
          isBlock={props.isBlock ?? false}
        >
          {submitLabel}
        </Button>
      </div>
      {also}
    </form>
  )
}
