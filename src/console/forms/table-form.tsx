import type { ComponentChildren } from 'preact'
import type { Asked } from '../api/client.ts'
import { Button, type Tone } from '../parts/button.tsx'
import { AsCommand } from '../parts/code.tsx'
import { Form, type FormOptions, type FormState, useForm } from '../parts/form.tsx'
import type { HttpCall } from '../parts/shell-words.ts'
import { href } from '../state/router.ts'
import { type Extra, Fields } from './fields.tsx'
import {
  type BodyOf,
  bodyOf,
  bodyOfChange,
  flagsOf,
  namesOf,
  problemsOf,
  type Rows,
  type ValuesOf,
  valuesOf,
  withSamples,
} from './table.ts'

/** The form of a table of fields. */
export interface TableState<R extends Rows> extends FormState<ValuesOf<R>> {
  rows: R
  /** Values for the shown command: the form’s, with samples in place of empty ones. */
  shown: ValuesOf<R>
  /** The call that it would make of that. */
  call: HttpCall | undefined
  /** Flags of the shown command. */
  flags: string[]
}

interface TableOptions<R extends Rows, A>
  extends Pick<FormOptions<ValuesOf<R>>, 'draft' | 'names' | 'check' | 'edits'> {
  /** The thing that is changed, as the interface gave it; undefined for something new. */
  of?: object | undefined
  /** Reads again what is changed: when somebody else has changed it meanwhile, nothing is sent, and the person chooses. */
  read?: (() => Promise<object>) | undefined
  /** First values of a new form, in place of those of its rows. */
  first?: Partial<ValuesOf<R>>
  /** The call that the button makes, and that is shown below it. */
  call?(body: BodyOf<R>, values: ValuesOf<R>): Asked<A>
  /** Called after the call has succeeded. */
  done?(answer: A, values: ValuesOf<R>): unknown
  /** Sends the values, in place of `call`. */
  submit?(values: ValuesOf<R>): Promise<unknown>
}

/** The form of the rows: its first values, body and flags, the places of errors and what is missing follow from them. */
export function useTable<const R extends Rows, A = unknown>(rows: R, options: TableOptions<R, A>): TableState<R> {
  const { of, read, first, names, check, call, done, draft } = options
  const bodyFor = (values: ValuesOf<R>) => (of ? bodyOfChange(rows, values, of) : bodyOf(rows, values))
  const asked = (values: ValuesOf<R>) => call?.(bodyFor(values) as BodyOf<R>, values)
  const form = useForm<ValuesOf<R>>(
    { ...valuesOf(rows, of), ...first },
    {
      ...(draft !== undefined && { draft }),
      edits: options.edits ?? (of && read && { before: of, read }),
      names: (values) => ({ ...namesOf(rows, values), ...(typeof names === 'function' ? names(values) : names) }),
      check: (values) => ({ ...problemsOf(rows, values), ...check?.(values) }),
      submit: options.submit ?? (async (values) => done?.(await asked(values)!.send(), values)),
    },
  )
  const shown = withSamples(rows, form.values.value)
  return { ...form, rows, shown, call: asked(shown), flags: flagsOf(rows, shown, of !== undefined) }
}

interface TableFormProps<R extends Rows> {
  form: TableState<R>
  /** Keyed by the name of the field. */
  extras?: Readonly<Record<string, Extra>>
  /** Label of the button, a verb and its object: "Create the app". */
  submitLabel: string
  tone?: Tone
  isOff?: boolean
  isBlock?: boolean
  /** Address of the console, or what closes the dialog. */
  cancel?: string | (() => void)
  /** The command that does the same. */
  command?: string | undefined
  /** Content between the fields and the button; `lead` stands above the fields. */
  children?: ComponentChildren
  lead?: ComponentChildren
  /** Content between the button and the shown command. */
  also?: ComponentChildren
}

/** The fields of a table, the button, and the same as a command. */
export function TableForm<const R extends Rows>(props: TableFormProps<R>) {
  const { form, extras = {}, cancel, command, children, lead, also, ...rest } = props
  return (
    <Form
      {...rest}
      form={form}
      more={
        cancel !== undefined && (
          <Button {...(typeof cancel === 'string' ? { href: href(cancel) } : { onClick: cancel })}>Cancel</Button>
        )
      }
      also={
        <>
          {also}
          {form.call && <AsCommand command={command} call={form.call} />}
        </>
      }
    >
      {lead}
      <Fields form={form} rows={form.rows} extras={extras} />
      {children}
    </Form>
  )
}
