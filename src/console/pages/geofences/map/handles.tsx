import type { Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { middleOf, type Shape, shifted, withCorner, withMoved, withoutCorner } from '../bounds.ts'
import { type LngLat, metresBetween, moved, positionAt, type Size, spotOf, type View } from './projection.ts'

interface HandleProps {
  label: string
  at: LngLat
  view: Signal<View>
  size: Size
  look: 'corner' | 'middle' | 'center' | 'radius'
  isSelected?: boolean
  /** Called when it was pressed, or the keyboard came to it. */
  onSelect?: () => void
  onMove(to: LngLat): void
  onRemove?: () => void
  onPress?: () => void
}

/** Pixels of a step with an arrow key, and with Shift. */
const STEP = 8
const FINE = 1
const RADII = { corner: 7, middle: 5, center: 8, radius: 7 }
/** Radius in pixels within which a finger hits a handle. */
const TOUCH = 18

/** A point that people drag, or move with arrow keys (Shift: by one pixel). Delete removes it where it may go. */
function Handle({ label, at, view, size, look, isSelected, onSelect, onMove, onRemove, onPress }: HandleProps) {
  const held = useRef<number | undefined>(undefined)
  const { x, y } = spotOf(at, view.value, size)
  const move = (dx: number, dy: number) => onMove(positionAt({ x: x + dx, y: y + dy }, view.peek(), size))
  return (
    <g
      class={`map-handle ${look} ${isSelected ? 'selected' : ''}`}
      role="button"
      tabindex={0}
      aria-label={label}
      onFocus={onSelect}
      transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`}
      onPointerDown={(event) => {
        event.stopPropagation()
        held.current = event.pointerId
        event.currentTarget.setPointerCapture(event.pointerId)
        onSelect?.()
        onPress?.()
      }}
      onPointerMove={(event) => {
        if (held.current !== event.pointerId) return
        const box = event.currentTarget.ownerSVGElement!.getBoundingClientRect()
        onMove(positionAt({ x: event.clientX - box.left, y: event.clientY - box.top }, view.peek(), size))
      }}
      onPointerUp={(event) => {
        event.stopPropagation()
        held.current = undefined
      }}
      onPointerCancel={() => (held.current = undefined)}
      onKeyDown={(event) => {
        const step = event.shiftKey ? FINE : STEP
        const push = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[
          event.key
        ]
        if (push) move(push[0]!, push[1]!)
        else if ((event.key === 'Delete' || event.key === 'Backspace') && onRemove) onRemove()
        else if ((event.key === 'Enter' || event.key === ' ') && onPress) onPress()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
    >
      <circle class="map-touch" r={TOUCH} />
      <circle class="map-dot" r={RADII[look]} />
    </g>
  )
}

/** The part of a shape that buttons beside the map act on: `corner` with its index. */
export type Selected = { part: 'center' | 'radius' | 'whole' } | { part: 'corner'; at: number }

interface HandlesProps {
  shape: Shape
  view: Signal<View>
  size: Size
  /** While corners are still being added: no points between them. */
  isDrawing: boolean
  selected: Signal<Selected | undefined>
  onChange(shape: Shape): void
}

/** The points by which a shape is changed. */
export function Handles({ shape, view, size, isDrawing, selected, onChange }: HandlesProps) {
  const inside = { view, size }
  const selects = (part: 'center' | 'radius' | 'whole') => ({
    isSelected: selected.value?.part === part,
    onSelect: () => void (selected.value = { part }),
  })
  if (shape.kind === 'circle') {
    const edge = moved(shape.center, shape.radius, 90)
    return (
      <>
        <Handle
          {...inside}
          {...selects('center')}
          look="center"
          label="Centre of the circle"
          at={shape.center}
          onMove={(to) => onChange({ ...shape, center: to })}
        />
        <Handle
          {...inside}
          {...selects('radius')}
          look="radius"
          label="Radius of the circle"
          at={edge}
          onMove={(to) => onChange({ ...shape, radius: Math.max(1, Math.round(metresBetween(shape.center, to))) })}
        />
      </>
    )
  }
  const { points } = shape
  return (
    <>
      {points.map((point, i) => (
        <Handle
          key={`corner ${i}`}
          {...inside}
          look="corner"
          isSelected={selected.value?.part === 'corner' && selected.value.at === i}
          onSelect={() => (selected.value = { part: 'corner', at: i })}
          label={`Corner ${i + 1} of ${points.length}`}
          at={point}
          onMove={(to) => onChange(withMoved(shape, i, to))}
          {...(points.length > (isDrawing ? 1 : 3) && { onRemove: () => onChange(withoutCorner(shape, i)) })}
        />
      ))}
      {!isDrawing &&
        points.map((point, i) => {
          const next = points[(i + 1) % points.length]!
          const between: LngLat = [(point[0] + next[0]) / 2, (point[1] + next[1]) / 2]
          return (
            <Handle
              key={`between ${i}`}
              {...inside}
              look="middle"
              label={`Add a corner after corner ${i + 1}`}
              at={between}
              onMove={(to) => onChange(withCorner(shape, i, to))}
              onPress={() => onChange(withCorner(shape, i, between))}
            />
          )
        })}
      {!isDrawing && points.length >= 3 && (
        <Handle
          {...inside}
          {...selects('whole')}
          look="center"
          label="Move the whole area"
          at={middleOf(shape)}
          onMove={(to) => {
            const [lng, lat] = middleOf(shape)
            onChange(shifted(shape, to[0] - lng, to[1] - lat))
          }}
        />
      )}
    </>
  )
}
