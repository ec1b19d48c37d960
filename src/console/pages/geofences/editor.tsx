import { type Signal, useSignal } from '@preact/signals'
import { Check, Circle, Pentagon, Trash2, Undo2 } from 'lucide'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Switch } from '../../parts/field.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Card } from '../../parts/surfaces.tsx'
import { ringOf, type Shape, turnedInto, withCorner, withoutCorner } from './bounds.ts'
import { Handles } from './map/handles.tsx'
import { MapFrame, pathOf } from './map/map.tsx'
import { type LngLat, metresOfPixel, type Size, type View, viewOf } from './map/projection.ts'

interface EditorProps {
  appId: number
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
  /** Begins a shape at a position, or adds a corner there. */
  const draw = (at: LngLat) => {
    if (isReadOnly) return
    if (kind.peek() === 'circle') {
      if (shape) return
      const radius = Math.max(10, Math.round(metresOfPixel(at[1], view.peek().zoom) * NEW_PX))
      return change({ kind: 'circle', center: at, radius })
    }
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
    const corners = cornersOf(shape)
    if (key === 'Enter') draw([view.peek().lng, view.peek().lat])
    else if (key === 'Backspace' && isDrawing.peek() && shape?.kind === 'polygon' && corners > 1) {
      change(withoutCorner(shape, corners - 1))
    } else if (key === 'Escape' && isDrawing.peek() && corners >= 3) isDrawing.value = false
    else return false
    return true
  }
  return { kind, past, change, draw, choose, undo, clear, onKey }
}

const cornersOf = (shape: Shape | undefined): number => (shape?.kind === 'polygon' ? shape.points.length : 0)

/** The map on which a geofence is drawn. */
export function Editor(props: EditorProps) {
  const { appId, shape, isDrawing, isReadOnly, error } = props
  const view = useSignal<View>(viewOf([], { width: 1000, height: 500 }))
  const size = useSignal<Size>({ width: 0, height: 0 })
  const showsDensity = useSignal(false)
  const isFitted = useRef(false)
  const fit = (at: Size) => viewOf(shape ? ringOf(shape) : [], at)
  // Before the first press: a map that shows something else a moment later would put the corners elsewhere.
  useLayoutEffect(() => {
    if (isFitted.current || size.value.width === 0) return
    isFitted.current = true
    view.value = fit(size.value)
  }, [size.value])
  const drawing = useDrawing(props, view)
  return (
    <Card isFlush>
      <div class="map-bar">
        {isReadOnly ? (
          <span class="quiet small-text">You may look at it.</span>
        ) : (
          <Tools shape={shape} isDrawing={isDrawing} drawing={drawing} />
        )}
        <Switch label="Show where people are" value={showsDensity.value} onChange={(on) => (showsDensity.value = on)} />
      </div>
      <MapFrame
        appId={appId}
        label={
          isReadOnly
            ? 'Map of the geofence. Arrow keys move it, plus and minus zoom.'
            : 'Map to draw on. Arrow keys move it, plus and minus zoom, Enter draws at the cross in the middle, Backspace takes the last corner back, Escape finishes.'
        }
        view={view}
        fit={fit}
        onSize={(now) => (size.value = now)}
        onClick={drawing.draw}
        onKey={drawing.onKey}
        showsDensity={showsDensity.value}
        hasCross={!isReadOnly}
      >
        {(at) =>
          shape && (
            <>
              <path class="map-area" d={pathOf(ringOf(shape), view.value, at)} />
              {shape.kind === 'polygon' &&
                shape.holes.map((hole) => <path class="map-area off" d={pathOf(hole, view.value, at)} />)}
              {!isReadOnly && (
                <Handles shape={shape} view={view} size={at} isDrawing={isDrawing.value} onChange={drawing.change} />
              )}
            </>
          )
        }
      </MapFrame>
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

interface ToolsProps {
  shape: Shape | undefined
  isDrawing: Signal<boolean>
  drawing: ReturnType<typeof useDrawing>
}

/** The buttons above the map. */
function Tools({ shape, isDrawing, drawing: { kind, past, choose, undo, clear } }: ToolsProps) {
  return (
    <div class="row" role="group" aria-label="Shape">
      <KindButton kind="polygon" now={kind.value} onChoose={choose} />
      <KindButton kind="circle" now={kind.value} onChoose={choose} />
      {isDrawing.value && (
        <Button
          size="small"
          tone="primary"
          icon={Check}
          isOff={cornersOf(shape) < 3}
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
  if (isReadOnly) return 'Push the map to move it; with Ctrl the wheel zooms.'
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
