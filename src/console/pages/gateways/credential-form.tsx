import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api, type Body } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { AsCommand } from '../../parts/code.tsx'
import { PasswordField, SelectField, Switch, TextField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { Form, type FormState, useForm } from '../../parts/form.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import { blockOf, readFile, type Values } from './block.ts'
import { Facts, Warnings } from './facts.tsx'
import type { Field, Guide, Way } from './words.ts'

const RECOGNISE = '/admin/v1/apps/{appId}/gateways/recognise'
const SAVE = '/admin/v1/apps/{appId}/gateways'
const LOOK_MS = 400

type Recognised = Answer<typeof RECOGNISE, 'post'>['items'][number]

interface CredentialProps {
  appId: number
  guide: Guide
  way: Way
  onSaved(): void
}

/** The fields of one kind of credential; what they are is shown before they are saved. */
export function CredentialForm({ appId, guide, way, onSaved }: CredentialProps) {
  const { platform, facts, name } = guide.gateway
  const files = useSignal<Readonly<Record<string, string>>>({})
  const seen = useSignal<Recognised | undefined>(undefined)
  const { fields } = way
  const bodyOf = (values: Values) => ({ [platform]: blockOf(fields, values) }) as unknown as Body<typeof SAVE, 'put'>
  const form = useForm<Values>(firstValues(fields, guide), {
    names: Object.fromEntries(
      fields.flatMap((field) => [
        [`${platform}.${field.name}`, field.name],
        ...(field.kind === 'json-file' ? [[platform, field.name]] : []),
      ]),
    ),
    check: (values) =>
      Object.fromEntries(
        fields
          .filter(({ isOptional, kind }) => !isOptional && kind !== 'switch')
          .map((field) => [field.name, values[field.name] === '' ? emptyWords(field) : undefined]),
      ),
    submit: async (values) => {
      try {
        await api.put(SAVE, { path: { appId }, body: bodyOf(values) })
      } catch (error) {
        throw inFile(error, platform, fields)
      }
      toast(`The gateway ${name} is saved. Check it now, or send a test push.`)
      form.reset(firstValues(fields, guide))
      files.value = {}
      seen.value = undefined
      onSaved()
    },
  })
  const values = form.values.value
  const isWhole = fields.every(
    ({ name: one, isOptional, kind }) => isOptional || kind === 'switch' || values[one] !== '',
  )
  const hasFile = fields.some(({ kind, isOptional }) => kind.endsWith('-file') && !isOptional)
  const wrong = useSignal<string | undefined>(undefined)
  /** Apart from what the server finds wrong: emptying the field must not take the sentence away. */
  const unreadable = useSignal<string | undefined>(undefined)
  useEffect(() => {
    seen.value = undefined
    wrong.value = undefined
    if (!isWhole || !hasFile) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      api
        .post(RECOGNISE, { path: { appId }, body: bodyOf(values), signal: controller.signal })
        .then(({ items }) => (seen.value = items[0]))
        .catch((error: unknown) => {
          if (!controller.signal.aborted) wrong.value = sentenceOf(error, platform, fields)
        })
    }, LOOK_MS)
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [values])
  const problem = unreadable.value ?? wrong.value
  return (
    <Form
      form={form}
      submitLabel={facts.length === 0 ? `Save the gateway` : 'Replace the credential'}
      tone="primary"
      also={
        <AsCommand
          command={commandOf({ appId, platform, fields, values, files: files.value })}
          call={{
            method: 'PUT',
            path: `/admin/v1/apps/${appId}/gateways`,
            body: { [platform]: shownBlock(fields, values) },
          }}
        />
      }
    >
      {fields.map((field) => (
        <FieldOf
          key={field.name}
          field={field}
          form={form}
          file={files.value[field.name]}
          onFile={(text, file) => {
            unreadable.value = undefined
            files.value = { ...files.peek(), [field.name]: file.name }
            form.set({ [field.name]: text, ...fromFileName(fields, file.name) })
          }}
          onWrong={(text) => {
            files.value = { ...files.peek(), [field.name]: '' }
            form.set({ [field.name]: '' })
            unreadable.value = text
          }}
        />
      ))}
      <div role="status" class="stack tight">
        {problem !== undefined && <Note tone="bad" title={problem} />}
        {seen.value && (
          <>
            <Note
              tone={seen.value.sendable ? 'good' : 'bad'}
              title="This is what was recognised. Nothing is saved yet."
            >
              <Facts facts={seen.value.facts} ends={seen.value.ends} />
            </Note>
            <Warnings warnings={seen.value.warnings} />
          </>
        )}
      </div>
    </Form>
  )
}

interface FieldOfProps {
  field: Field
  form: FormState<Values>
  /** Name of the file that was dropped. */
  file: string | undefined
  onFile(text: string, file: File): void
  onWrong(text: string): void
}

function FieldOf({ field, form, file, onFile, onWrong }: FieldOfProps) {
  const { name, kind, label, hint, accept, options = [], isOptional = false } = field
  const bound = form.field(name)
  const words = { label, hint, isOptional }
  if (kind.endsWith('-file')) {
    return (
      <FileDrop
        label={file ? `${file} is read` : label}
        hint={file ? 'Drop another to replace it.' : hint}
        error={bound.error}
        {...(accept !== undefined && { accept })}
        onFiles={([one]) => {
          if (!one) return
          readFile(one, field).then(
            (text) => onFile(text, one),
            (error: unknown) => onWrong(error instanceof Error ? error.message : String(error)),
          )
        }}
      />
    )
  }
  const text = { ...bound, value: String(bound.value), ...words }
  if (kind === 'switch') return <Switch {...bound} value={bound.value === true} {...words} />
  if (kind === 'choice') return <SelectField {...text} options={options} />
  if (kind === 'secret') return <PasswordField {...text} autoComplete="new-password" />
  return <TextField {...text} {...(kind === 'integer' && { inputMode: 'numeric' })} />
}

/** What is stored already stands in the fields; secrets never do. */
function firstValues(fields: readonly Field[], { gateway: { facts } }: Guide): Values {
  return Object.fromEntries(
    fields.map(({ name, kind, fact, options }) => {
      const stored = facts.find((one) => one.name === fact)?.values[0]
      if (kind === 'switch') return [name, stored === 'true']
      return [name, stored ?? (kind === 'choice' ? (options?.[0]?.value ?? '') : '')]
    }),
  )
}

function fromFileName(fields: readonly Field[], file: string): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, fromFileName: pattern }) => {
      const found = pattern === undefined ? undefined : new RegExp(pattern).exec(file)?.[1]
      return found === undefined ? [] : [[name, found]]
    }),
  )
}

const emptyWords = ({ kind }: Field): string => (kind.endsWith('-file') ? 'Choose the file.' : 'Fill this in.')

/** Errors inside a file, `android.serviceAccount.privateKey`, are about the file. */
function inFile(error: unknown, platform: string, fields: readonly Field[]): unknown {
  if (!(error instanceof ApiError)) return error
  return new ApiError(422, sentenceOf(error, platform, fields), error.code)
}

/** Every complaint in a sentence that names its field as the page does. */
function sentenceOf(error: unknown, platform: string, fields: readonly Field[]): string {
  if (!(error instanceof ApiError)) return String(error)
  const all = Object.entries(error.fields)
  if (all.length === 0) return error.message
  return all
    .map(([path, text]) => {
      const inner = path.replace(new RegExp(`^${platform}\\.?`), '')
      const field = fields.find(({ name }) => inner === name || inner.startsWith(`${name}.`))
      const rest = field ? inner.slice(field.name.length + 1) : inner
      const subject = field?.kind.endsWith('-file')
        ? rest === ''
          ? 'The file'
          : `In the file, ${rest}`
        : (field?.label ?? inner)
      return `${subject} ${text}.`
    })
    .join(' ')
}

interface Written {
  appId: number
  platform: string
  fields: readonly Field[]
  values: Values
  /** Names of dropped files. */
  files: Readonly<Record<string, string>>
}

/** `gateways set` with a flag for each field: `keyId` is `--key-id`; secrets are read from files. */
function commandOf({ appId, platform, fields, values, files }: Written): string {
  const flags = fields.flatMap(({ name, kind, isOptional }): string[] => {
    const word = name.split('.')[0]!.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const value = values[name]
    if (isOptional && (value === '' || value === false)) return []
    if (kind === 'switch') return [`--${word}`]
    if (kind === 'secret') return [`--${word}-file`, 'FILE']
    if (kind.endsWith('-file')) return [`--${word}`, files[name] || 'FILE']
    return [`--${word}`, String(value) || 'TEXT']
  })
  return command`gateways set --app ${appId} ${platform} ${flags}`
}

/** The body of the call without secrets and long files. */
function shownBlock(fields: readonly Field[], values: Values): Record<string, unknown> {
  const shown = Object.fromEntries(
    fields.map(({ name, kind }) => [
      name,
      kind === 'json-file' ? '' : kind === 'secret' || kind.endsWith('-file') ? '…' : (values[name] ?? ''),
    ]),
  )
  const block = blockOf(fields, shown)
  return fields.some(({ kind }) => kind === 'json-file')
    ? { ...block, [fields.find(({ kind }) => kind === 'json-file')!.name]: '…' }
    : block
}
