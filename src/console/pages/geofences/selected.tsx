import type { Signal } from '@preact/signals'
import { Minus, Plus, X } from 'lucide'
import { Button } from '../../parts/button.tsx'
import { middleOf, type Shape, withCorner, withoutCorner } from './bounds.ts'
import { shownPosition } from './go-to/coordinates.ts'
import type { Selected } from './map/handles.tsx'
import { type LngLat, metresText } from './map/projection.ts'

interface SelectedProps {
  shape: Shape
  selected: Signal<Selected | undefined>
  onChange(shape: Shape): void
}

/** A step of the radius: a tenth, on a round number. */
const STEP = 1.1
const MOST_METRES = 10_000_000

function stepped(radius: number, way: 1 | -1): number {
  const next = way > 0 ? radius * STEP : radius / STEP
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(next)) - 1)
  const rounded = Math.round(next / unit) * unit
  const moved = rounded === radius ? radius + way * unit : rounded
  return Math.max(1, Math.min(MOST_METRES, moved))
}

/** The part that is selected on the map, and the actions on it: for fingers, which have no Delete key. */
export function SelectedBar({ shape, selected, onChange }: SelectedProps) {
  if (shape.kind === 'circle') return <CircleBar shape={shape} onChange={onChange} />
  const now = selected.value
  const corner = now?.part === 'corner' ? shape.points[now.at] : undefined
  if (now?.part !== 'corner' || !corner) {
    return (
      <div class="map-selected">
        <span class="grow quiet small-text">
          {now?.part === 'whole'
            ? `The whole area is selected, around ${shownPosition(middleOf(shape))}.`
            : `An area of ${shape.points.length} corners. Select a corner to change it.`}
        </span>
      </div>
    )
  }
  const next = shape.points[(now.at + 1) % shape.points.length]!
  const between: LngLat = [(corner[0] + next[0]) / 2, (corner[1] + next[1]) / 2]
  return (
    <div class="map-selected">
      <span class="grow small-text">
        <strong>
          Corner {now.at + 1} of {shape.points.length}
        </strong>{' '}
        <span class="quiet number">{shownPosition(corner)}</span>
      </span>
      <Button
        size="small"
        icon={Plus}
        onClick={() => {
          onChange(withCorner(shape, now.at, between))
          selected.value = { part: 'corner', at: now.at + 1 }
        }}
      >
        Corner behind it
      </Button>
      {shape.points.length > 3 && (
        <Button
          size="small"
          icon={X}
          onClick={() => {
            onChange(withoutCorner(shape, now.at))
            selected.value = undefined
          }}
        >
          Remove the corner
        </Button>
      )}
    </div>
  )
}

function CircleBar({ shape, onChange }: { shape: Shape & { kind: 'circle' }; onChange(shape: Shape): void }) {
  const { center, radius } = shape
  return (
    <div class="map-selected">
      <span class="grow small-text">
        <strong>Circle of {metresText(radius)}</strong> <span class="quiet number">around {shownPosition(center)}</span>
      </span>
      <span class="row" role="group" aria-label="Size of the circle">
        <Button size="small" icon={Minus} onClick={() => onChange({ ...shape, radius: stepped(radius, -1) })}>
          Smaller
        </Button>
        <Button size="small" icon={Plus} onClick={() => onChange({ ...shape, radius: stepped(radius, 1) })}>
          Larger
        </Button>
      </span>
    </div>
  )
}
