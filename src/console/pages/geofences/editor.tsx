import { type Signal, useSignal } from '@preact/signals'
import { Check, Circle, MapPin, Pentagon, Trash2, Undo2 } from 'lucide'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { ringOf, type Shape, turnedInto, withCorner, withoutCorner } from './bounds.ts'
import { cornersOf, useFences } from './fences.ts'
import { GoTo } from './go-to/go-to.tsx'
import { Handles, type Selected } from './map/handles.tsx'
import { MapFrame, pathOf } from './map/map.tsx'
import { type LngLat, metresOfPixel, type Size, type Spot, spotOf, type View, viewOf } from './map/projection.ts'
import { SelectedBar } from './selected.tsx'

interface EditorProps {
  appId: number
  /** The geofence that is changed; undefined for a new one. */
  id: number | undefined
  shape: Shape | undefined
  onShape(shape: Shape | undefined): void
  /** Corners are still being added. */
  isDrawing: Signal<boolean>
  isReadOnly: boolean
  error?: string | undefined
}

/** A new circle is this wide on the screen. */
const NEW_PX = 70
const MOST_STEPS = 100

/** The actions that draw a shape, and the shapes before each of them. */
function useDrawing({ shape, onShape, isDrawing, isReadOnly }: EditorProps, view: Signal<View>) {
  const kind = useSignal<Shape['kind']>(shape?.kind ?? 'polygon')
  const past = useSignal<(Shape | undefined)[]>([])
  useEffect(() => {
    if (shape) kind.value = shape.kind
  }, [shape?.kind])

  const change = (next: Shape | undefined) => {
    past.value = [...past.peek().slice(-MOST_STEPS), shape]
    onShape(next)
  }
  const circleAt = (center: LngLat) => {
    const radius = Math.max(10, Math.round(metresOfPixel(center[1], view.peek().zoom) * NEW_PX))
    kind.value = 'circle'
    change({ kind: 'circle', center, radius })
  }
  /** Begins a shape at a position, or adds a corner there. */
  const draw = (at: LngLat) => {
    if (isReadOnly) return
    if (kind.peek() === 'circle') return shape ? undefined : circleAt(at)
    if (!shape) {
      isDrawing.value = true
      return change({ kind: 'polygon', points: [at], order: [0], holes: [], marker: undefined })
    }
    if (shape.kind === 'polygon' && isDrawing.peek()) change(withCorner(shape, shape.points.length - 1, at))
  }
  const choose = (next: Shape['kind']) => {
    kind.value = next
    isDrawing.value = false
    if (shape && shape.kind !== next && ringOf(shape).length > 2) change(turnedInto(shape, next))
    else if (shape?.kind !== next) change(undefined)
  }
  const undo = () => {
    const before = past.peek().at(-1)
    past.value = past.peek().slice(0, -1)
    onShape(before)
    if (!before) isDrawing.value = false
  }
  const clear = () => {
    isDrawing.value = false
    change(undefined)
  }
  const onKey = ({ key }: KeyboardEvent): boolean => {
    const corners = countOf(shape)
    if (key === 'Enter') draw([view.peek().lng, view.peek().lat])
    else if (key === 'Backspace' && isDrawing.peek() && shape?.kind === 'polygon' && corners > 1) {
      change(withoutCorner(shape, corners - 1))
    } else if (key === 'Escape' && isDrawing.peek() && corners >= 3) isDrawing.value = false
    else return false
    return true
  }
  return { kind, past, change, draw, circleAt, choose, undo, clear, onKey }
}

const countOf = (shape: Shape | undefined): number => (shape?.kind === 'polygon' ? shape.points.length : 0)

/** Others that are drawn at most, so that the one that is drawn stays in sight. */
const MOST_OTHERS = 300

/** The other geofences, for where they are. The map of a new one opens at them. */
function useOthers(appId: number, id: number | undefined, view: Signal<View>) {
  const { fences, isWhole } = useFences(appId)
  const others = (fences.value ?? []).filter(({ geofence }) => geofence.id !== id)
  const draw = (size: Size) =>
    others
      .filter(({ middle, box }) => {
        const turn = 360 * Math.round((view.value.lng - middle[0]) / 360)
        const [a, b] = box.map(([lng, lat]) => spotOf([lng + turn, lat], view.value, size)) as [Spot, Spot]
        return b.x > 0 && a.x < size.width && a.y > 0 && b.y < size.height
      })
      .slice(0, MOST_OTHERS)
      .map(({ geofence, ring }) => (
        <path key={geofence.id} class="map-area others" d={pathOf(ring, view.value, size)}>
          <title>{geofence.name}</title>
        </path>
      ))
  return { others, isWhole: isWhole.value, draw }
}

/** The map on which a geofence is drawn. */
export function Editor(props: EditorProps) {
  const { appId, id, shape, isDrawing, isReadOnly, error } = props
  const view = useSignal<View>(viewOf([], { width: 1000, height: 500 }))
  const size = useSignal<Size>({ width: 0, height: 0 })
  const showsDensity = useSignal(false)
  const pin = useSignal<LngLat | undefined>(undefined)
  const selected = useSignal<Selected | undefined>(undefined)
  const fitted = useRef<View | undefined>(undefined)
  const { others, isWhole, draw: drawOthers } = useOthers(appId, id, view)
  const fit = (at: Size) => viewOf(shape ? ringOf(shape) : cornersOf(others), at)
  // Before the first press: a map that shows something else a moment later would put the corners elsewhere.
  useLayoutEffect(() => {
    if (size.value.width === 0) return
    const isUntouched = fitted.current === undefined || (fitted.current === view.peek() && !shape)
    if (isUntouched) fitted.current = view.value = fit(size.value)
  }, [size.value, isWhole])
  const drawing = useDrawing(props, view)
  return (
    <Card isFlush>
      <div class="map-bar">
        <GoTo view={view} onFound={({ at }) => (pin.value = at)} />
        <Switch label="Show where people are" value={showsDensity.value} onChange={(on) => (showsDensity.value = on)} />
      </div>
      {!isReadOnly && <Tools shape={shape} isDrawing={isDrawing} drawing={drawing} pin={pin} />}
      <MapFrame
        appId={appId}
        label={isReadOnly ? LOOK_LABEL : DRAW_LABEL}
        view={view}
        fit={fit}
        onSize={(now) => (size.value = now)}
        onClick={(at) => {
          selected.value = undefined
          drawing.draw(at)
        }}
        onKey={drawing.onKey}
        showsDensity={showsDensity.value}
        hasCross={!isReadOnly}
        pin={pin.value}
      >
        {(at) => (
          <>
            {drawOthers(at)}
            <DrawnShape {...props} view={view} size={at} selected={selected} onChange={drawing.change} />
          </>
        )}
      </MapFrame>
      {shape && !isReadOnly && !isDrawing.value && (
        <SelectedBar shape={shape} selected={selected} onChange={drawing.change} />
      )}
      <p class="map-hint" aria-live="polite">
        {error !== undefined ? (
          <strong class="bad-text">{error}</strong>
        ) : (
          hintOf(drawing.kind.value, shape, isDrawing.value, isReadOnly)
        )}
      </p>
    </Card>
  )
}

interface DrawnProps extends Pick<EditorProps, 'shape' | 'isDrawing' | 'isReadOnly'> {
  view: Signal<View>
  size: Size
  selected: Signal<Selected | undefined>
  onChange(shape: Shape): void
}

/** The shape with its holes, and the points by which it is changed. */
function DrawnShape({ shape, isDrawing, isReadOnly, view, size, selected, onChange }: DrawnProps) {
  if (!shape) return null
  const hand = { shape, view, size, selected, onChange }
  return (
    <>
      <path class="map-area" d={pathOf(ringOf(shape), view.value, size)} />
      {shape.kind === 'polygon' &&
        shape.holes.map((hole) => <path class="map-area off" d={pathOf(hole, view.value, size)} />)}
      {!isReadOnly && <Handles {...hand} isDrawing={isDrawing.value} />}
    </>
  )
}

const LOOK_LABEL = 'Map of the geofence. Arrow keys move it, plus and minus zoom.'
const DRAW_LABEL =
  'Map to draw on. Arrow keys move it, plus and minus zoom, Enter draws at the cross in the middle, Backspace takes the last corner back, Escape finishes.'

interface ToolsProps {
  shape: Shape | undefined
  isDrawing: Signal<boolean>
  drawing: ReturnType<typeof useDrawing>
  /** The place that somebody looked for. */
  pin: Signal<LngLat | undefined>
}

/** The buttons above the map. */
function Tools({ shape, isDrawing, drawing: { kind, past, choose, undo, clear, circleAt }, pin }: ToolsProps) {
  return (
    <div class="map-bar shapes" role="group" aria-label="Shape">
      <KindButton kind="polygon" now={kind.value} onChoose={choose} />
      <KindButton kind="circle" now={kind.value} onChoose={choose} />
      {pin.value && !shape && (
        <Button
          size="small"
          tone="primary"
          icon={MapPin}
          onClick={() => {
            circleAt(pin.peek()!)
            pin.value = undefined
          }}
        >
          Circle at the pin
        </Button>
      )}
      {isDrawing.value && (
        <Button
          size="small"
          tone="primary"
          icon={Check}
          isOff={countOf(shape) < 3}
          onClick={() => (isDrawing.value = false)}
        >
          Finish the area
        </Button>
      )}
      <Button size="small" tone="bare" icon={Undo2} isOff={past.value.length === 0} onClick={undo}>
        Undo
      </Button>
      {shape && (
        <Button size="small" tone="bare" icon={Trash2} onClick={clear}>
          Clear
        </Button>
      )}
    </div>
  )
}

function KindButton({
  kind,
  now,
  onChoose,
}: {
  kind: Shape['kind']
  now: Shape['kind']
  onChoose(kind: Shape['kind']): void
}) {
  return (
    <button type="button" class="button small" aria-pressed={kind === now} onClick={() => onChoose(kind)}>
      <KindIcon kind={kind} />
      {kind === 'polygon' ? 'Area' : 'Circle'}
    </button>
  )
}

function hintOf(kind: Shape['kind'], shape: Shape | undefined, isDrawing: boolean, isReadOnly: boolean): string {
  if (isReadOnly) return 'Drag to move. The buttons, two fingers, or Ctrl and the wheel zoom.'
  if (!shape) {
    return kind === 'circle'
      ? 'Click where the centre is. With the keyboard: move the map until the cross is there, then press Enter.'
      : 'Click where the first corner is. With the keyboard: move the map until the cross is there, then press Enter.'
  }
  if (shape.kind === 'polygon' && isDrawing) {
    const missing = 3 - shape.points.length
    if (missing > 0) return `${shape.points.length} of at least 3 corners. Click where the next one is.`
    return `${shape.points.length} corners. Go on, or finish the area.`
  }
  return shape.kind === 'circle'
    ? 'Drag the centre or the edge. With the keyboard: Tab to them, then use the arrow keys (Shift: finely).'
    : 'Drag corners, or the small points between them for new ones. With the keyboard: Tab to them, arrow keys move, Delete removes.'
}

function KindIcon({ kind }: { kind: Shape['kind'] }) {
  return <Icon of={kind === 'polygon' ? Pentagon : Circle} size="small" />
}
