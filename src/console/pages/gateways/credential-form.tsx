import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, api, asked, type Body } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import * as row from '../../forms/rows.ts'
import { bodyOf, problemsOf, type Field as Row } from '../../forms/table.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import { readFile } from './block.ts'
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

const isFile = ({ kind }: Field) => kind.endsWith('-file')
/** Stands for what is not shown: secrets and long files. */
const HIDDEN = '…'

/** A field of a credential as a row; its name is its place in the block of the platform. */
function rowOf(platform: string, field: Field, { gateway: { facts } }: Guide, file: string | undefined): Row {
  const { name, kind, label, hint, options = [], isOptional = false } = field
  // Stored values stand in the fields again; secrets never do.
  const stored = facts.find((one) => one.name === field.fact)?.values[0]
  const flag = name.split('.')[0]!.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const path = `${platform}.${name}`
  if (kind === 'switch')
    return row.toggle(name, label, { path, hint, isOptional, empty: 'sent', first: stored === 'true', flag })
  const ways = { path, hint, isOptional, empty: 'absent', ...(!isOptional && { need: 'Fill this in.' }) } as const
  const hidden = { ...ways, isAsTyped: false, sample: HIDDEN, isSecret: true } as const
  if (kind === 'secret')
    return row.password(name, label, {
      ...hidden,
      autoComplete: 'new-password',
      flag: `${flag}-file`,
      say: () => 'FILE',
    })
  if (isFile(field))
    return row.own(name, '', {
      ...hidden,
      ...(!isOptional && { need: 'Choose the file.' }),
      ...(kind === 'json-file' && {
        also: [platform],
        to: (text) => (text === '' || text === HIDDEN ? text : (JSON.parse(text) as unknown)),
      }),
      flag,
      say: () => file || 'FILE',
    })
  const first = stored ?? (kind === 'choice' ? (options[0]?.value ?? '') : '')
  const shown = { ...ways, first, flag, ...(!isOptional && { sample: 'TEXT' }) }
  if (kind === 'choice') return row.select(name, label, { ...shown, options })
  if (kind !== 'integer') return row.text(name, label, shown)
  // The server says what is wrong with anything else.
  const to = (text: string) => (/^\d{1,15}$/.test(text.trim()) ? Number(text) : text.trim())
  return row.text(name, label, { ...shown, inputMode: 'numeric', to })
}

/** The fields of one kind of credential; what they are is shown before they are saved. */
export function CredentialForm({ appId, guide, way, onSaved }: CredentialProps) {
  const { platform, facts, name } = guide.gateway
  const files = useSignal<Readonly<Record<string, string>>>({})
  const { fields } = way
  const rows = fields.map((field) => rowOf(platform, field, guide, files.value[field.name]))
  const form = useTable(rows, {
    call: (body) => asked('put', SAVE, { path: { appId }, body }),
    submit: async (values) => {
      try {
        await api.put(SAVE, { path: { appId }, body: bodyOf<Body<typeof SAVE, 'put'>>(rows, values) })
      } catch (error) {
        throw inFile(error, platform, fields)
      }
      toast(`The gateway ${name} is saved. Check it now, or send a test push.`)
      form.reset()
      files.value = {}
      seen.value = undefined
      onSaved()
    },
  })
  const { seen, wrong } = useRecognised(appId, platform, fields, rows, form.values)
  /** Apart from what the server finds wrong: emptying the field must not take the sentence away. */
  const unreadable = useSignal<{ name: string; why: string } | undefined>(undefined)
  const problem = wrong.value
  const take = async (field: Field, file: File) => {
    try {
      const text = await readFile(file, field)
      unreadable.value = undefined
      files.value = { ...files.peek(), [field.name]: file.name }
      form.set({ [field.name]: text, ...fromFileName(fields, file.name) })
    } catch (error) {
      files.value = { ...files.peek(), [field.name]: '' }
      form.set({ [field.name]: '' })
      unreadable.value = { name: field.name, why: (error as Error).message }
    }
  }
  const drop = (field: Field) => () => {
    const file = files.value[field.name]
    return (
      <FileDrop
        label={file ? `${file} is read` : field.label}
        hint={file ? 'Drop another to replace it.' : field.hint}
        error={unreadable.value?.name === field.name ? unreadable.value.why : form.field(field.name).error}
        {...(field.accept !== undefined && { accept: field.accept })}
        onFiles={([one]) => one && void take(field, one)}
      />
    )
  }
  return (
    <TableForm
      form={form}
      submitLabel={facts.length === 0 ? `Save the gateway` : 'Replace the credential'}
      command={command`gateways set --app ${appId} ${platform} ${form.flags}`}
      extras={Object.fromEntries(fields.filter(isFile).map((field) => [field.name, drop(field)]))}
    >
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
    </TableForm>
  )
}

/** Asks what a credential is as soon as it is whole; one without a file is not looked at. */
function useRecognised(
  appId: number,
  platform: string,
  fields: readonly Field[],
  rows: readonly Row[],
  { value: values }: Signal<Readonly<Record<string, unknown>>>,
) {
  const seen = useSignal<Recognised | undefined>(undefined)
  const wrong = useSignal<string | undefined>(undefined)
  useEffect(() => {
    seen.value = undefined
    wrong.value = undefined
    const isWhole = Object.values(problemsOf(rows, values)).every((problem) => problem === undefined)
    if (!isWhole || !fields.some((field) => isFile(field) && !field.isOptional)) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      const body = bodyOf<Body<typeof RECOGNISE, 'post'>>(rows, values)
      api
        .post(RECOGNISE, { path: { appId }, body, signal: controller.signal })
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
  return { seen, wrong }
}

function fromFileName(fields: readonly Field[], file: string): Record<string, string> {
  return Object.fromEntries(
    fields.flatMap(({ name, fromFileName: pattern }) => {
      const found = pattern === undefined ? undefined : new RegExp(pattern).exec(file)?.[1]
      return found === undefined ? [] : [[name, found]]
    }),
  )
}

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
