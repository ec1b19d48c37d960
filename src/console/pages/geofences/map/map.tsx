import { type Signal, useSignal } from '@preact/signals'
import { Maximize, Minus, Plus } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useGet } from '../../../api/load.ts'
import { IconButton } from '../../../parts/button.tsx'
import { COLORS } from './draw.ts'
import type { Named } from './labels.ts'
import {
  type LngLat,
  positionAt,
  type Size,
  type Spot,
  scaleOf,
  shareX,
  shareY,
  spotOf,
  type View,
  worldWidth,
} from './projection.ts'
import { StreetsDialog } from './streets.tsx'
import { useDrawn } from './use-drawn.ts'
import { useGestures, useSize, viewAfterKey, zoomed } from './use-view.ts'

interface MapProps {
  appId: number
  /** Text for screen readers: the content of the map and the keys that work. */
  label: string
  view: Signal<View>
  /** The size of the map, which its owner needs for what it draws. */
  onSize?(size: Size): void
  /** The view that shows everything. */
  fit(size: Size): View
  /** A press on the map that is no push. */
  onClick?(at: LngLat): void
  /** Keys that the map does not use itself; true when it was used. */
  onKey?(event: KeyboardEvent): boolean
  showsDensity?: boolean
  /** A cross in the middle, where Enter draws. */
  hasCross?: boolean
  /** A place that somebody looked for: a pin. */
  pin?: LngLat | undefined
  /** Names that are drawn on the map; names of places leave room for them. */
  names?: readonly Named[]
  /** Drawing over a corner of the map: what is chosen on it. */
  over?: ComponentChildren
  /** Drawing above the map, inside an `svg`. */
  children(size: Size): ComponentChildren
}

const TILE = 256
const SCALE_PX = 120
/** From here on people look for streets. */
const STREETS_ZOOM = 9

/** A map of our own: outlines that come with the console, pictures below them where the server names an address. */
export function MapFrame(props: MapProps) {
  const { appId, view, label, fit } = props
  const frame = useRef<HTMLDivElement>(null)
  const size = useSize(frame)
  const { width, height } = size.value
  const settings = useGet('/admin/v1/apps/{appId}/map', { path: { appId } })
  const tiles = settings.value.value?.tiles ?? null
  const asksStreets = useSignal(false)
  const { canvas, palette } = useDrawn(props, size.value, tiles !== null)
  const gestures = useGestures(frame, {
    view,
    size,
    onClick: (spot: Spot) => props.onClick?.(positionAt(spot, view.peek(), size.peek())),
  })
  useLayoutEffect(() => {
    if (width > 0) props.onSize?.({ width, height })
  }, [width, height])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== frame.current || event.ctrlKey || event.metaKey || event.altKey) return
    const next = event.key === '0' ? fit(size.peek()) : viewAfterKey(event.key, view.peek(), size.peek())
    if (next) view.value = next
    else if (!props.onKey?.(event)) return
    event.preventDefault()
  }

  return (
    <div class="map">
      <span ref={palette} class="map-colors" hidden>
        {COLORS.map((name) => (
          <i key={name} class={name} />
        ))}
      </span>
      <div
        ref={frame}
        class="map-frame"
        role="application"
        aria-label={label}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerDown={gestures.onPointerDown}
        onPointerMove={gestures.onPointerMove}
        onPointerUp={gestures.onPointerUp}
        onPointerCancel={gestures.onPointerCancel}
      >
        {tiles !== null && width > 0 && <Tiles address={tiles} view={view.value} size={size.value} />}
        <canvas ref={canvas} class="map-canvas" aria-hidden="true" />
        {width > 0 && (
          <svg class="map-shapes" width={width} height={height}>
            {props.children(size.value)}
            {props.pin && <Pin at={props.pin} view={view.value} size={size.value} />}
          </svg>
        )}
        {gestures.wantsCtrl.value && (
          <div class="map-veil" aria-hidden="true">
            Hold {/Mac/.test(navigator.platform) ? '⌘' : 'Ctrl'} to zoom with the wheel
          </div>
        )}
        {props.hasCross && <span class="map-cross" aria-hidden="true" />}
      </div>
      {props.over}
      <Tools view={view} size={size} fit={fit} />
      <div class="map-credit">
        {tiles === null ? 'Natural Earth' : (settings.value.value?.credit ?? '')}
        {settings.value.value && tiles === null && (
          <button type="button" class="link-button" onClick={() => (asksStreets.value = true)}>
            {view.value.zoom >= STREETS_ZOOM ? 'No streets? Add them' : 'Add streets'}
          </button>
        )}
      </div>
      {asksStreets.value && <StreetsDialog onClose={() => (asksStreets.value = false)} />}
    </div>
  )
}

/** The pin of a place that somebody looked for; its point is the place. */
function Pin({ at, view, size }: { at: LngLat; view: View; size: Size }) {
  const turn = 360 * Math.round((view.lng - at[0]) / 360)
  const { x, y } = spotOf([at[0] + turn, at[1]], view, size)
  return (
    <g class="map-found" transform={`translate(${x.toFixed(1)} ${y.toFixed(1)})`} aria-hidden="true">
      <path d="M0 0C-3-8-10-11-10-19a10 10 0 0 1 20 0C10-11 3-8 0 0Z" />
      <circle cx={0} cy={-19} r={3.5} />
    </g>
  )
}

interface ToolsProps extends Pick<MapProps, 'view' | 'fit'> {
  size: Signal<Size>
}

/** The buttons for the zoom, and the scale. */
function Tools({ view, size, fit }: ToolsProps) {
  const scale = size.value.width === 0 ? undefined : scaleOf(view.value, SCALE_PX)
  return (
    <>
      <div class="map-tools">
        <IconButton icon={Plus} label="Zoom in" onClick={() => (view.value = zoomed(view.peek(), size.peek(), 1))} />
        <IconButton icon={Minus} label="Zoom out" onClick={() => (view.value = zoomed(view.peek(), size.peek(), -1))} />
        <IconButton icon={Maximize} label="Show everything" onClick={() => (view.value = fit(size.peek()))} />
      </div>
      {scale && (
        <div class="map-scale" aria-hidden="true">
          <span style={{ inlineSize: `${scale.pixels}px` }} />
          {scale.text}
        </div>
      )}
    </>
  )
}

/** The pictures of an address with `{z}`, `{x}` and `{y}`. */
function Tiles({ address, view, size }: { address: string; view: View; size: Size }) {
  const zoom = Math.max(0, Math.min(19, Math.round(view.zoom)))
  const count = 2 ** zoom
  const side = worldWidth(view.zoom) / count
  const left = shareX(view.lng) * count * side - size.width / 2
  const top = shareY(view.lat) * count * side - size.height / 2
  const shown = []
  for (let x = Math.floor(left / side); x * side < left + size.width; x++) {
    for (let y = Math.max(0, Math.floor(top / side)); y < count && y * side < top + size.height; y++) {
      const wrapped = ((x % count) + count) % count
      const url = address.replace('{z}', String(zoom)).replace('{x}', String(wrapped)).replace('{y}', String(y))
      const style = {
        left: `${x * side - left}px`,
        top: `${y * side - top}px`,
        width: `${Math.ceil(side)}px`,
        height: `${Math.ceil(side)}px`,
      }
      shown.push(
        <img key={`${zoom}/${x}/${y}`} src={url} alt="" draggable={false} width={TILE} height={TILE} style={style} />,
      )
    }
  }
  return <div class="map-tiles">{shown}</div>
}

/** A ring as the path of an SVG. */
export function pathOf(ring: readonly LngLat[], view: View, size: Size): string {
  const spots = ring.map((point) => spotOf(point, view, size))
  return spots.length === 0 ? '' : `M${spots.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join('L')}Z`
}
