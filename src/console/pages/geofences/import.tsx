import { useSignal } from '@preact/signals'
import { type Answer, api } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Checkbox, NumberField } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Badge, Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Table } from '../../parts/table.tsx'
import { formatBytes } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'

const PREVIEW = '/admin/v1/apps/{appId}/geofences/import/preview'
type Preview = Answer<typeof PREVIEW, 'post'>
type Row = Preview['features'][number]

/** The first value of `limits.dataBody`. */
const MAX_BYTES = 8 * 1024 * 1024

interface Chosen {
  name: string
  /** The file as JSON, unchecked: the server judges it. */
  content: Record<string, unknown>
}

/** Brings geofences from a GeoJSON file, after a look at what each feature becomes. */
export default function ImportPage({ appId }: PageProps) {
  return (
    <div class="page narrow">
      <PageHead
        title="Import geofences"
        about="Points with a radius become circles, polygons become areas. Nothing is stored before you have seen what each becomes."
        crumbs={[{ label: 'Geofences', href: href(`/apps/${appId}/geofences`) }]}
      />
      <Import appId={appId} />
    </div>
  )
}

/** Reads a file. Throws an Error that says what is wrong with it. */
async function readFile(file: File): Promise<Chosen> {
  if (file.size > MAX_BYTES) {
    throw new Error(
      `The file has ${formatBytes(file.size)}, and ${formatBytes(MAX_BYTES)} fit. Split it, or use the command below.`,
    )
  }
  const text = (await file.text()).replace(/^\uFEFF/, '')
  if (text.trim() === '') throw new Error('The file is empty.')
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch (error) {
    throw new Error(`This is not JSON: ${messageOf(error)}`, { cause: error })
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error('This is not GeoJSON: it is an object with "type": "FeatureCollection".')
  }
  return { name: file.name, content: content as Record<string, unknown> }
}

/** The problem of the file as a whole, with the member that is wrong. */
function sentenceOf(error: unknown): string {
  const fields = error instanceof ApiError ? Object.entries(error.fields) : []
  if (fields.length === 0) return messageOf(error)
  return `${fields.map(([path, problem]) => `${path} ${problem}`.trim()).join('; ')}.`
}

/** The file that was chosen, what the server says of it, and the import itself. */
function useImport(appId: number) {
  const chosen = useSignal<Chosen | undefined>(undefined)
  const radius = useSignal<number | null>(null)
  const preview = useSignal<Preview | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const skips = useSignal(false)
  const queryOf = () => (radius.peek() === null ? {} : { radius: radius.peek()! })

  const attempt = async (work: () => Promise<void>) => {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.value = undefined
    try {
      await work()
    } catch (error) {
      problem.value = sentenceOf(error)
    } finally {
      isBusy.value = false
    }
  }
  const look = async () => {
    const body = chosen.peek()!.content
    preview.value = await api.post(PREVIEW, { path: { appId }, query: queryOf(), body })
  }
  const choose = (file: File) =>
    attempt(async () => {
      chosen.value = undefined
      preview.value = undefined
      skips.value = false
      chosen.value = await readFile(file)
      await look()
    })
  const setRadius = (value: number | null) => {
    radius.value = value
    if (chosen.peek() && (value === null || value > 0)) void attempt(look)
  }
  const run = () =>
    attempt(async () => {
      const query = { ...queryOf(), skipRefused: skips.peek() }
      const body = chosen.peek()!.content
      const { created } = await api.post('/admin/v1/apps/{appId}/geofences/import', { path: { appId }, query, body })
      toast(`${formatNumber(created)} ${created === 1 ? 'geofence is' : 'geofences are'} there.`)
      navigate(`/apps/${appId}/geofences`)
    })
  return { chosen, radius, preview, problem, isBusy, skips, choose, setRadius, run }
}

function Import({ appId }: { appId: number }) {
  const { chosen, radius, preview, problem, isBusy, skips, choose, setRadius, run } = useImport(appId)
  const found = preview.value
  const isReady = found !== undefined && found.created > 0 && (found.refused === 0 || skips.value)
  return (
    <div class="stack loose">
      <Card title={chosen.value?.name ?? 'The file'}>
        <div class="stack">
          <FileDrop
            label={chosen.value ? 'Drop another GeoJSON file here' : 'Drop a GeoJSON file here'}
            hint="A FeatureCollection in WGS 84 with at most 10,000 features. Names come from the property name or title."
            accept=".geojson,.json,application/geo+json,application/json"
            error={problem.value}
            onFiles={([file]) => file && void choose(file)}
          />
          <NumberField
            label="Radius of points that have none"
            unit="metres"
            min={1}
            isOptional
            hint="Other points have theirs in properties.radius."
            value={radius.value}
            onChange={setRadius}
          />
          <AsCommand
            command={command`geofences import --app ${appId} ${chosen.value?.name ?? 'FILE.geojson'} --dry-run`}
          />
        </div>
      </Card>
      {found && (
        <Card
          title={summaryOf(found)}
          isFlush
          foot={
            <div class="form-foot">
              {found.refused > 0 && (
                <Checkbox
                  label={`Leave out ${found.refused === 1 ? 'the one' : `the ${formatNumber(found.refused)}`} that cannot be geofences`}
                  value={skips.value}
                  onChange={(value) => (skips.value = value)}
                />
              )}
              <Button tone="primary" isBusy={isBusy.value} isOff={!isReady} onClick={run}>
                {found.created === 0 ? 'Nothing to import' : `Import ${formatNumber(found.created)}`}
              </Button>
            </div>
          }
        >
          <Rows features={found.features} />
        </Card>
      )}
      {found && found.existing > 0 && found.created === 0 && found.refused === 0 && (
        <Note title="Every one of them is there already, with this name and shape." />
      )}
    </div>
  )
}

function summaryOf({ created, existing, refused }: Preview): string {
  const parts = [`${formatNumber(created)} new`]
  if (existing > 0) parts.push(`${formatNumber(existing)} there already`)
  if (refused > 0) parts.push(`${formatNumber(refused)} cannot be geofences`)
  return parts.join(', ')
}

const OUTCOMES = {
  new: ['good', 'New'],
  existing: ['quiet', 'There already'],
  refused: ['bad', 'Refused'],
} as const

/** The features, those that need somebody first. */
function Rows({ features }: { features: readonly Row[] }) {
  const order = features.toSorted((a, b) => Number(b.outcome === 'refused') - Number(a.outcome === 'refused'))
  return (
    <Table
      label="Features of the file"
      rows={order}
      keyOf={({ feature }) => feature}
      columns={[
        { title: 'Name', cell: ({ name }) => name },
        {
          title: 'Outcome',
          isTight: true,
          cell: ({ outcome }) => <Badge tone={OUTCOMES[outcome][0]}>{OUTCOMES[outcome][1]}</Badge>,
        },
        {
          title: 'What it becomes',
          cell: ({ shape, problems }) =>
            problems.length > 0 ? problems.join('; ') : shape === 'circle' ? 'Circle' : 'Area',
        },
        { title: 'Feature', cell: ({ feature }) => feature + 1, isNumeric: true, isTight: true },
      ]}
    />
  )
}
