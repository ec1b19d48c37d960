import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand, Code } from '../../parts/code.tsx'
import { csvText } from '../../parts/csv.ts'
import { Checkbox, SelectField, TextField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { saveFile } from '../../parts/save-file.ts'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { useWork } from '../../parts/use-work.ts'
import { formatBytes, Progress } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import { ShortAttributes } from './columns.tsx'
import {
  type Becomes,
  cut,
  exporterOf,
  type NamedUser,
  propose,
  type Refused,
  readFile,
  slicesOf,
  type UserFile,
  userOf,
} from './rows.ts'

const MAX_BYTES = 64 * 1024 * 1024
const SAMPLES = 5
const SHOWN_REFUSED = 100
const SHOWN_ATTRIBUTES = 20
const SUPPRESS = 'suppress'

const BECOMES: readonly { value: Becomes; label: string }[] = [
  { value: '', label: 'Leave out' },
  { value: 'id', label: 'User id' },
  { value: 'text', label: 'Attribute: text' },
  { value: 'number', label: 'Attribute: number' },
  { value: 'boolean', label: 'Attribute: true or false' },
  { value: 'json', label: 'Attribute: JSON' },
  { value: 'same', label: 'Attribute: as it is in the file' },
  { value: 'spread', label: 'Attributes: the members of the object' },
]

/** Uses that a column may have: the values of a typed file have a kind. */
const usesOf = ({ isTyped = false }: UserFile, now: Becomes) =>
  BECOMES.filter(
    ({ value }) => value === now || value === '' || value === 'id' || (value === 'same') === isTyped,
  ).filter(({ value }) => value === now || value !== 'spread')

/** Purpose of the file. */
interface Aim {
  into: 'attributes' | typeof SUPPRESS
  replaces: boolean
  knownOnly: boolean
  reason: string
}

/** Results so far. `place` is the slice with which an interrupted run goes on. */
interface Run {
  isTrial: boolean
  place: number
  created: number
  changed: number
  unchanged: number
  refused: Refused[]
}

/** Stores the users of a file, or puts them on the suppression list. */
export default function ImportPage({ appId }: PageProps) {
  const chosen = useSignal<{ name: string; size: number; file: UserFile } | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const choose = async (given: File) => {
    chosen.value = undefined
    problem.value = undefined
    if (given.size > MAX_BYTES) {
      problem.value = `The file has ${formatBytes(given.size)}; at most 64 MiB go through the browser. Use the command below.`
      return
    }
    try {
      const file = readFile(new TextDecoder('utf-8', { fatal: true }).decode(await given.arrayBuffer()))
      if (file.rows.length > 0) chosen.value = { name: given.name, size: given.size, file }
      else problem.value = 'No line of the file can be read: it must be CSV with commas, or JSON lines.'
    } catch (error) {
      const why = error instanceof TypeError ? 'The file is not UTF-8.' : (error as Error).message
      problem.value = `${why} Save it as CSV with commas, in UTF-8.`
    }
  }
  const now = chosen.value
  const exporter = now && exporterOf(now.file)
  return (
    <div class="page narrow">
      <PageHead
        title="Import users"
        about="You see what becomes of each line before anything is stored."
        crumbs={[{ label: 'Users', href: href(`/apps/${appId}/users`) }]}
      />
      <Card title={now?.name ?? 'The file'} {...(now && { about: formatBytes(now.size) })}>
        <FileDrop
          label={now ? 'Drop another file here' : 'Drop a CSV file or JSON lines here'}
          hint="UTF-8. The first line of CSV names the columns; a list of user ids needs no name."
          accept=".csv,.jsonl,.ndjson,text/csv"
          error={problem.value}
          onFiles={([file]) => void choose(file!)}
        />
      </Card>
      {exporter && (
        <Note tone="warn" title={`This is an export of ${exporter.name}, with push tokens.`}>
          <p>
            This page stores users and their attributes only: their phones get no push until they open the app again.
            The command takes tokens, consent and tags along. Try it first:
          </p>
          <Code
            text={command`import ${exporter.command} ${appId} ${now.name} --dry-run`}
            label="Copy the command"
            wraps
          />
        </Note>
      )}
      {now && <Import key={now.file} appId={appId} name={now.name} file={now.file} />}
      <AsCommand
        command={command`users import --app ${appId} ${now?.name ?? 'FILE.csv'} --refused refused.jsonl`}
        call={{
          method: 'POST',
          path: `/admin/v1/apps/${appId}/users/import`,
          body: { users: [{ userId: 'anna', attributes: { plan: 'gold' } }] },
        }}
      />
    </div>
  )
}

/** The use of the columns, and the users that follow; the work on them, slice by slice. */
function useImport(appId: number, file: UserFile) {
  const columns = useSignal(propose(file))
  const aim = useSignal<Aim>({ into: 'attributes', replaces: false, knownOnly: false, reason: '' })
  const run = useSignal<Run | undefined>(undefined)
  const isGone = useRef(false)
  useEffect(() => () => void (isGone.current = true), [])
  const work = useWork()
  const { users, refused, slices } = useMemo(() => {
    const read = file.rows.map((row) => userOf(row, file.head, columns.value))
    const users = read.filter((one) => 'attributes' in one)
    const refused = [...file.refused, ...read.filter((one) => 'reason' in one)]
    return { users, refused, slices: slicesOf(users) }
  }, [file, columns.value])
  const go = (isTrial: boolean) =>
    work.run(async () => {
      const begun = run.peek()
      const isBegun = begun?.isTrial === isTrial && begun.place < slices.length
      let now: Run = isBegun ? begun : { isTrial, place: 0, created: 0, changed: 0, unchanged: 0, refused }
      run.value = now
      while (now.place < slices.length && !isGone.current) {
        now = await step(appId, slices[now.place]!, aim.peek(), now)
        run.value = now
      }
    })
  return {
    columns,
    aim,
    run,
    work,
    users,
    refused,
    slices,
    go,
    change(more: Partial<Aim>) {
      aim.value = { ...aim.peek(), ...more }
      run.value = undefined
    },
    /** One column alone is the user id. */
    use(at: number, becomes: Becomes) {
      columns.value = columns.value.map((one, i) => (i === at ? becomes : one === 'id' && becomes === 'id' ? '' : one))
      run.value = undefined
    },
  }
}

type Importing = ReturnType<typeof useImport>

function Import({ appId, name, file }: { appId: number; name: string; file: UserFile }) {
  const importing = useImport(appId, file)
  const { run, work, refused, slices, aim } = importing
  const isSuppressing = aim.value.into === SUPPRESS
  return (
    <>
      <Choices importing={importing} file={file} />
      <First importing={importing} />
      <div role="alert">{work.problem.value !== undefined && <Note tone="bad" title={work.problem.value} />}</div>
      <Results run={run.value} slices={slices.length} before={refused} isSuppressing={isSuppressing} name={name} />
    </>
  )
}

function Choices({ importing, file }: { importing: Importing; file: UserFile }) {
  const { columns, aim, work, change, use } = importing
  const { into, reason, replaces, knownOnly } = aim.value
  return (
    <Card title="What becomes of it">
      <fieldset class="stack" disabled={work.isBusy.value}>
        <SelectField
          label="Use the file to"
          value={into}
          options={[
            { value: 'attributes', label: 'Store users and their attributes' },
            { value: SUPPRESS, label: 'Put users on the suppression list' },
          ]}
          onChange={(value) => change({ into: value })}
        />
        {file.head.map((head, i) => (
          <SelectField
            key={i}
            label={head || `Column ${i + 1}`}
            hint={`For example: ${examplesOf(file, i)}`}
            value={columns.value[i]!}
            options={usesOf(file, columns.value[i]!)}
            onChange={(value) => use(i, value)}
          />
        ))}
        {into === SUPPRESS ? (
          <TextField label="Reason" isOptional value={reason} onChange={(text) => change({ reason: text })} />
        ) : (
          <>
            <Checkbox
              label="Replace all attributes of these users"
              hint="Otherwise other attributes stay. An empty cell changes nothing."
              value={replaces}
              onChange={(on) => change({ replaces: on })}
            />
            <Checkbox
              label="Only users who are there already"
              value={knownOnly}
              onChange={(on) => change({ knownOnly: on })}
            />
          </>
        )}
      </fieldset>
    </Card>
  )
}

/** The first users as they will be stored, and the buttons. */
function First({ importing: { aim, run, work, users, slices, go } }: { importing: Importing }) {
  const isSuppressing = aim.value.into === SUPPRESS
  const { isTrial = true, place = -1 } = run.value ?? {}
  const isEnded = place === slices.length
  const isChecked = isSuppressing || !isTrial || isEnded
  const isBusy = work.isBusy.value
  return (
    <Card
      title={`The first of ${formatNumber(users.length)} ${users.length === 1 ? 'user' : 'users'}`}
      isFlush
      foot={
        <div class="row">
          {!isSuppressing && (
            <Button isBusy={isBusy} isOff={users.length === 0} onClick={() => void go(true)}>
              Check all lines
            </Button>
          )}
          <Button
            tone="primary"
            isBusy={isBusy}
            isOff={!isChecked || users.length === 0 || (!isTrial && isEnded)}
            onClick={() => void go(false)}
          >
            {!isTrial && !isEnded ? 'Go on' : isSuppressing ? 'Put them on the list' : 'Import'}
          </Button>
          {!isChecked && <span class="quiet small-text">Check them, then import.</span>}
        </div>
      }
    >
      <Table
        label="First users"
        rows={users.slice(0, SAMPLES)}
        keyOf={({ line }) => line}
        empty="No line names a user."
        columns={[
          { title: 'Line', cell: ({ line }) => line, isTight: true, isNumeric: true },
          { title: 'User', cell: ({ userId }) => <span class="user-name">{userId}</span>, isLead: true },
          {
            title: 'Attributes',
            cell: ({ attributes }) => <ShortAttributes of={attributes} most={SHOWN_ATTRIBUTES} />,
          },
        ]}
      />
    </Card>
  )
}

const examplesOf = ({ rows }: UserFile, i: number): string =>
  [...new Set(rows.slice(0, 50).map(({ cells }) => cells[i]))]
    .filter((cell) => cell !== undefined && cell !== '')
    .slice(0, 3)
    .map((cell) => cut(typeof cell === 'string' ? cell : JSON.stringify(cell)))
    .join(', ') || 'nothing'

/** Sends a slice. Returns the results with those of the slice. */
async function step(appId: number, slice: readonly NamedUser[], aim: Aim, now: Run): Promise<Run> {
  const path = { appId }
  if (aim.into === SUPPRESS) {
    const body = { userIds: slice.map(({ userId }) => userId), reason: aim.reason || null }
    const { added, known } = await api.post('/admin/v1/apps/{appId}/suppressions', { path, body })
    return { ...now, place: now.place + 1, created: now.created + added, unchanged: now.unchanged + known }
  }
  const { replaces, knownOnly } = aim
  const body = {
    users: slice.map(({ userId, attributes }) => ({ userId, attributes })),
    mode: replaces ? ('replace' as const) : ('merge' as const),
    knownOnly,
  }
  const done = now.isTrial
    ? await api.post('/admin/v1/apps/{appId}/users/import/preview', { path, body })
    : await api.post('/admin/v1/apps/{appId}/users/import', { path, body })
  return {
    isTrial: now.isTrial,
    place: now.place + 1,
    created: now.created + done.created,
    changed: now.changed + done.changed,
    unchanged: now.unchanged + done.unchanged,
    refused: [
      ...now.refused,
      ...done.refused.map(({ index, userId, reason }) => ({ line: slice[index]!.line, userId, reason })),
    ],
  }
}

interface ResultsProps {
  run: Run | undefined
  slices: number
  /** Lines that the browser refused. */
  before: readonly Refused[]
  isSuppressing: boolean
  name: string
}

/** The progress, then the counts, and the lines that are refused. */
function Results({ run, slices, before, isSuppressing, name }: ResultsProps) {
  const refused = (run?.refused ?? before).toSorted((a, b) => a.line - b.line)
  const isOver = run !== undefined && run.place === slices
  if (run === undefined && refused.length === 0) return null
  const counts = run && [
    `${formatNumber(run.created)} ${isSuppressing ? 'put on the list' : run.isTrial ? 'will be created' : 'created'}`,
    ...(isSuppressing ? [] : [`${formatNumber(run.changed)} ${run.isTrial ? 'will be changed' : 'changed'}`]),
    `${formatNumber(run.unchanged)} ${isSuppressing ? 'on it already' : 'the same'}`,
    `${formatNumber(refused.length)} refused`,
  ]
  const save = () => {
    const lines = refused.map(({ line, userId, reason }) => [line, userId, reason])
    saveFile(
      `refused-${name.replace(/\.\w+$/, '')}.csv`,
      csvText([['line', 'user_id', 'reason'], ...lines]),
      'text/csv',
    )
  }
  return (
    <div role="status">
      <Card
        title={
          isOver
            ? run.isTrial
              ? 'All lines are checked'
              : 'The file is applied'
            : run
              ? 'In progress'
              : 'Lines that will be refused'
        }
        about={counts?.join(', ')}
        isFlush
        actions={refused.length > 0 && <Button onClick={save}>Save the refused lines</Button>}
      >
        {run && !isOver && <Progress label="Lines" value={run.place} max={slices} />}
        {refused.length > 0 && (
          <Table
            label="Refused lines"
            rows={refused.slice(0, SHOWN_REFUSED)}
            keyOf={(one) => `${one.line} ${one.reason}`}
            columns={[
              { title: 'Line', cell: ({ line }) => line, isTight: true, isNumeric: true },
              { title: 'User', cell: ({ userId }) => userId && <span class="user-name">{userId}</span> },
              { title: 'What is wrong', cell: ({ reason }) => <span class="user-name">{reason}</span>, isLead: true },
            ]}
          />
        )}
      </Card>
    </div>
  )
}
