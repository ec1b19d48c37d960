import { type Signal, useSignal } from '@preact/signals'
import { Maximize, Minus, Plus } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { api } from '../../../api/client.ts'
import { useGet } from '../../../api/load.ts'
import { IconButton } from '../../../parts/button.tsx'
import { type Cell, drawScene, loadOutlines, type Outlines } from './draw.ts'
import {
  boxInSight,
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
  /** Drawing above the map, inside an `svg`. */
  children(size: Size): ComponentChildren
}

const TILE = 256
const SCALE_PX = 120
const DENSITY_WAIT_MS = 350
/** Colours of the canvas, in the order of `.map-colors`: it does not know `light-dark()`, so elements that nobody sees resolve them. */
const COLORS = ['land', 'coast', 'border', 'grid', 'text', 'heat'] as const

/** The outlines of the world; undefined until they are loaded. */
function useOutlines(): Outlines | undefined {
  const outlines = useSignal<Outlines | undefined>(undefined)
  useEffect(() => {
    let isGone = false
    void loadOutlines().then((got) => {
      if (!isGone) outlines.value = got
    })
    return () => {
      isGone = true
    }
  }, [])
  return outlines.value
}

/** A number that changes with the colours of the page: those of the system, or those that the person chose. */
function useTheme(): number {
  const theme = useSignal(0)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const look = () => (theme.value += 1)
    dark.addEventListener('change', look)
    const observer = new MutationObserver(look)
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      dark.removeEventListener('change', look)
      observer.disconnect()
    }
  }, [])
  return theme.value
}

/** Squares with installs in the part of the world that the map shows; read again a moment after the map stands still. */
function useDensity(appId: number, isShown: boolean, view: Signal<View>, { width, height }: Size) {
  const density = useSignal<{ cells: Cell[]; size: number }>({ cells: [], size: 1 })
  useEffect(() => {
    if (!isShown || width === 0) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      const query = boxInSight(view.peek(), { width, height })
      api.get('/admin/v1/apps/{appId}/map/density', { path: { appId }, query, signal: controller.signal }).then(
        (got) => (density.value = got),
        () => {},
      )
    }, DENSITY_WAIT_MS)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [isShown, view.value, width, height])
  return density.value
}

/** The colours of the canvas, from the elements of `.map-colors`. */
function colorsOf(palette: HTMLElement): Record<(typeof COLORS)[number], string> {
  const found = [...palette.children].map((one) => getComputedStyle(one).color)
  return Object.fromEntries(COLORS.map((name, i) => [name, found[i]!])) as ReturnType<typeof colorsOf>
}

/** Draws outlines and density, again whenever one of them, the view or the colours change. */
function useDrawn({ appId, view, showsDensity = false }: MapProps, { width, height }: Size, hasTiles: boolean) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = useRef<HTMLSpanElement>(null)
  const outlines = useOutlines()
  const theme = useTheme()
  const density = useDensity(appId, showsDensity, view, { width, height })
  useEffect(() => {
    const at = canvas.current
    const context = at?.getContext('2d')
    if (!at || !context || width === 0) return
    at.width = width * devicePixelRatio
    at.height = height * devicePixelRatio
    drawScene(context, {
      view: view.value,
      size: { width, height },
      outlines,
      cells: showsDensity ? density.cells : [],
      cellSize: density.size,
      hasTiles,
      colors: colorsOf(palette.current!),
    })
  }, [view.value, width, height, outlines, density, showsDensity, hasTiles, theme])
  return { canvas, palette }
}

/** A map of our own: outlines that come with the console, pictures below them where the server names an address. */
export function MapFrame(props: MapProps) {
  const { appId, view, label, fit } = props
  const frame = useRef<HTMLDivElement>(null)
  const size = useSize(frame)
  const { width, height } = size.value
  const settings = useGet('/admin/v1/apps/{appId}/map', { path: { appId } })
  const tiles = settings.value.value?.tiles ?? null
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
          </svg>
        )}
        {props.hasCross && <span class="map-cross" aria-hidden="true" />}
      </div>
      <Tools view={view} size={size} fit={fit} />
      <div class="map-credit">{tiles === null ? 'Natural Earth' : (settings.value.value?.credit ?? '')}</div>
    </div>
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
