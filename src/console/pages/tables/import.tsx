import { useSignal } from '@preact/signals'
import { Download } from 'lucide'
import { type Answer, call } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { newIntent } from '../../api/intent.ts'
import { useGet } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { readCsv } from '../../parts/csv.ts'
import { SelectField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Reading } from '../../parts/reading.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { formatBytes } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href } from '../../state/router.ts'
import type { DataTable } from './values.ts'

type Report = Answer<'/admin/v1/apps/{appId}/tables/{tableAlias}/imports', 'post'>

const MAX_BYTES = 16 * 1024 * 1024
const SAMPLE_BYTES = 64 * 1024
const SAMPLES = 3

interface Chosen {
  file: File
  /** The cells of the first line, and of some behind it. */
  head: string[]
  samples: string[][]
}

/** Brings records from a CSV file. */
export default function ImportPage({ appId, params }: PageProps) {
  const alias = params['tableAlias']!
  const table = useGet('/admin/v1/apps/{appId}/tables/{tableAlias}', { path: { appId, tableAlias: alias } })
  const found = table.value.value
  return (
    <div class="page narrow">
      <PageHead
        title={found ? `Import into ${found.name}` : 'Import'}
        about="Each line of the file becomes a record. Lines that do not fit are left out and told, so that you can mend them."
        crumbs={[
          { label: 'Tables', href: href(`/apps/${appId}/tables`) },
          { label: found?.name ?? alias, href: href(`/apps/${appId}/tables/${alias}`) },
        ]}
      />
      <Reading of={table}>{(found) => <Import appId={appId} table={found} />}</Reading>
    </div>
  )
}

function Import({ appId, table }: { appId: number; table: DataTable }) {
  const chosen = useSignal<Chosen | undefined>(undefined)
  const mapping = useSignal<string[]>([])
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const report = useSignal<Report | undefined>(undefined)
  const names = table.columns.map(({ name }) => name)

  const choose = async (file: File | undefined) => {
    if (!file) return
    problem.value = undefined
    report.value = undefined
    if (file.size > MAX_BYTES) {
      problem.value = `The file has ${formatBytes(file.size)}; at most 16 MiB go through the browser. Use the command below, or import it in parts.`
      return
    }
    const [head, ...samples] = readCsv(await file.slice(0, SAMPLE_BYTES).text(), SAMPLES + 1).map(({ cells }) => cells)
    if (!head) {
      problem.value = 'The file is empty: its first line names the fields.'
      return
    }
    chosen.value = { file, head, samples }
    mapping.value = head.map((cell) => names.find((name) => name.toLowerCase() === cell.trim().toLowerCase()) ?? '')
  }

  const run = async () => {
    if (isBusy.peek()) return
    const { file } = chosen.peek()!
    const twice = mapping.peek().find((name, i, all) => name !== '' && all.indexOf(name) !== i)
    problem.value = undefined
    if (twice !== undefined) problem.value = `Two cells go to ${twice}: choose one.`
    else if (mapping.peek().every((name) => name === '')) problem.value = 'Choose a column for at least one cell.'
    if (problem.peek() !== undefined) return
    isBusy.value = true
    try {
      const boundary = `----appsvc${newIntent()}`
      const name = file.name.replace(/["\r\n]/g, '_')
      const body = new Blob([
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: text/csv\r\n\r\n`,
        file,
        `\r\n--${boundary}--\r\n`,
      ])
      report.value = (await call('post', '/admin/v1/apps/{appId}/tables/{tableAlias}/imports', {
        path: { appId, tableAlias: table.alias },
        query: { columns: JSON.stringify(mapping.peek().map((one) => (one === '' ? null : one))) },
        body,
        type: `multipart/form-data; boundary=${boundary}`,
      })) as Report
    } catch (error) {
      problem.value = messageOf(error)
    } finally {
      isBusy.value = false
    }
  }

  const now = chosen.value
  const columns = JSON.stringify(mapping.value.map((one) => (one === '' ? null : one)))
  const path = `/admin/v1/apps/${appId}/tables/${table.alias}/imports?columns=${encodeURIComponent(columns)}`
  const missing = table.columns.filter(
    ({ name, required, default: value }) => required && value === null && !mapping.value.includes(name),
  )
  return (
    <div class="stack loose">
      {report.value && <Result appId={appId} table={table} report={report.value} />}
      <Card title={now ? now.file.name : 'The file'} {...(now && { about: formatBytes(now.file.size) })}>
        <div class="stack">
          <FileDrop
            label={now ? 'Drop another CSV file here' : 'Drop a CSV file here'}
            hint="UTF-8, with the names of the fields in its first line."
            accept=".csv,text/csv"
            onFiles={([file]) => void choose(file)}
          />
          {now && (
            <>
              <div class="stack tight">
                <h3>Which cell goes where</h3>
                <p class="quiet small-text">Cells that go nowhere are left out.</p>
              </div>
              {now.head.map((cell, i) => (
                <SelectField
                  key={i}
                  label={cell.trim() === '' ? `Cell ${i + 1}` : cell}
                  hint={`For example: ${
                    now.samples
                      .map((line) => line[i] ?? '')
                      .filter((one) => one !== '')
                      .join(', ') || 'nothing'
                  }`}
                  value={mapping.value[i] ?? ''}
                  options={[{ value: '', label: 'Leave out' }, ...names.map((name) => ({ value: name, label: name }))]}
                  onChange={(value) => (mapping.value = mapping.value.with(i, value))}
                />
              ))}
              {missing.length > 0 && (
                <Note
                  tone="warn"
                  title={`Every line will be refused: ${missing.map(({ name }) => name).join(', ')} must have a value.`}
                />
              )}
            </>
          )}
          <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
          <AsCommand
            command={command`tables import --app ${appId} ${table.name} ${now?.file.name ?? 'FILE.csv'} --refused refused.jsonl`}
            about="For files of any size. The first line must name the columns of the table."
            call={{ method: 'POST', path, file: `${now?.file.name ?? 'FILE.csv'};type=text/csv` }}
          />
          {now && (
            <div class="form-foot">
              <Button tone="primary" isBusy={isBusy.value} onClick={() => run()}>
                Import the file
              </Button>
            </div>
          )}
        </div>
      </Card>
    </div>
  )
}

function Result({ appId, table, report }: { appId: number; table: DataTable; report: Report }) {
  const { imported, refused, lines } = report
  const file = `data:application/x-ndjson;charset=utf-8,${encodeURIComponent(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))}`
  const reasons = (errors: Record<string, string[]>) =>
    Object.entries(errors)
      .map(([name, says]) => `${name} ${says.join(', ')}`)
      .join('; ')
  return (
    <div role="status">
      <Card
        title={`${formatNumber(imported)} ${imported === 1 ? 'record was' : 'records were'} stored, ${formatNumber(refused)} ${refused === 1 ? 'line was' : 'lines were'} refused`}
        actions={<Button href={href(`/apps/${appId}/tables/${table.alias}`)}>See the records</Button>}
        isFlush
        foot={
          refused > 0 && (
            <Button size="small" icon={Download} href={file} download={`${table.name}-refused.jsonl`}>
              {refused > lines.length ? `Save the first ${lines.length} refused lines` : 'Save the refused lines'}
            </Button>
          )
        }
      >
        {lines.length > 0 && (
          <Table
            label="Refused lines"
            rows={lines}
            keyOf={({ line }) => line}
            columns={[
              { title: 'Line', cell: ({ line }) => line, isNumeric: true, isTight: true },
              { title: 'What is wrong', cell: ({ errors }) => reasons(errors) },
            ]}
          />
        )}
      </Card>
    </div>
  )
}
