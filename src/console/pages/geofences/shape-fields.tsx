import { useSignal } from '@preact/signals'
import { Download, Plus, X } from 'lucide'
import { Fields } from '../../forms/fields.tsx'
import * as row from '../../forms/rows.ts'
import { boundTo } from '../../forms/table.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { TextArea } from '../../parts/field.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { More } from '../../parts/values.tsx'
import {
  type Bounds,
  boundsOf,
  readGeoJson,
  type Shape,
  shapeOf,
  withCorner,
  withMoved,
  withoutCorner,
} from './bounds.ts'
import type { LngLat } from './map/projection.ts'

interface FieldsProps {
  shape: Shape | undefined
  onShape(shape: Shape): void
}

const shown = (degrees: number) => Math.round(degrees * 1e6) / 1e6

const degrees = { step: 0.0001 } as const
const CIRCLE = [
  row.halves(
    row.number('lat', 'Latitude', { ...degrees, min: -90, max: 90, hint: 'From -90 (south) to 90 (north).' }),
    row.number('lng', 'Longitude', { ...degrees, min: -180, max: 180, hint: 'From -180 (west) to 180 (east).' }),
    row.number('radius', 'Radius', { unit: 'metres', min: 1 }),
  ),
] as const

/** Coordinates and radius, typed. */
export function ShapeFields({ shape, onShape }: FieldsProps) {
  if (shape?.kind === 'polygon') return <Corners shape={shape} onShape={onShape} />
  const [lng, lat] = shape?.center ?? [null, null]
  const radius = shape?.radius ?? null
  const change = (next: Record<string, number | null>, place: string) => {
    if (next[place] === null) return
    onShape({ kind: 'circle', center: [next['lng'] ?? 0, next['lat'] ?? 0], radius: next['radius'] ?? 100 })
  }
  const now = { lat: lat === null ? null : shown(lat), lng: lng === null ? null : shown(lng), radius }
  return <Fields form={boundTo(CIRCLE, now, change)} rows={CIRCLE} />
}

function Corners({ shape, onShape }: { shape: Shape & { kind: 'polygon' }; onShape(shape: Shape): void }) {
  const { points } = shape
  const cell = (i: number, name: string, value: number, to: (value: number) => LngLat) => (
    <input
      class="input number"
      type="number"
      step={0.0001}
      aria-label={`${name} of corner ${i + 1}`}
      value={shown(value)}
      onChange={(event) => {
        const { valueAsNumber } = event.currentTarget
        if (!Number.isNaN(valueAsNumber)) onShape(withMoved(shape, i, to(valueAsNumber)))
      }}
    />
  )
  const last = points.at(-1)!
  return (
    <More label={`${points.length} ${points.length === 1 ? 'corner' : 'corners'} as numbers`}>
      <ol class="corners">
        {points.map((point, i) => (
          <li key={i}>
            <span class="quiet number">{i + 1}</span>
            {cell(i, 'Latitude', point[1], (value) => [point[0], value])}
            {cell(i, 'Longitude', point[0], (value) => [value, point[1]])}
            {points.length > 3 && (
              <IconButton
                icon={X}
                size="small"
                label={`Remove corner ${i + 1}`}
                onClick={() => onShape(withoutCorner(shape, i))}
              />
            )}
          </li>
        ))}
      </ol>
      <Button
        size="small"
        icon={Plus}
        onClick={() => onShape(withCorner(shape, points.length - 1, [last[0] + 0.001, last[1]]))}
      >
        Add a corner
      </Button>
    </More>
  )
}

interface GeoJsonProps {
  shape: Shape | undefined
  before: Bounds | undefined
  name: string
  isReadOnly: boolean
  onBounds(bounds: Bounds, shape: Shape): void
}

/** The shape as GeoJSON: to take along, to paste, and from a file. */
export function GeoJson({ shape, before, name, isReadOnly, onBounds }: GeoJsonProps) {
  const typed = useSignal<string | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const text = shape ? JSON.stringify(boundsOf(shape, before), null, 2) : ''
  const take = (given: string) => {
    typed.value = given
    problem.value = undefined
    if (given.trim() === '') return
    try {
      const bounds = readGeoJson(given)
      onBounds(bounds, shapeOf(bounds))
      typed.value = undefined
    } catch (error) {
      problem.value = error instanceof Error ? error.message : String(error)
    }
  }
  const file = `data:application/geo+json;charset=utf-8,${encodeURIComponent(text)}`
  return (
    <More label="GeoJSON: copy, paste or drop a file">
      <div class="stack">
        <TextArea
          label="GeoJSON"
          hint="A feature with a point and properties.radius in metres, or with a polygon. Positions are [longitude, latitude]."
          isMono
          rows={8}
          value={typed.value ?? text}
          error={problem.value}
          isOff={isReadOnly}
          onChange={take}
        />
        <div class="row">
          <Button
            size="small"
            icon={Download}
            isOff={!shape}
            href={shape ? file : undefined}
            download={`${name.trim() === '' ? 'geofence' : name}.geojson`}
          >
            Save as a file
          </Button>
        </div>
        {!isReadOnly && (
          <FileDrop
            label="Drop a GeoJSON file here"
            accept=".geojson,.json,application/geo+json,application/json"
            onFiles={([first]) => void first?.text().then(take)}
          />
        )}
      </div>
    </More>
  )
}
