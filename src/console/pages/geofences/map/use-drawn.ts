import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../../api/client.ts'
import { type Cell, COLORS, drawScene } from './draw.ts'
import { labelsOf, type Named } from './labels.ts'
import { loadCoasts, loadOutlines, NEAR_ZOOM, type Outlines } from './land.ts'
import { type Gazetteer, loadPlaces } from './places.ts'
import { boxInSight, type Size, type View } from './projection.ts'

const DENSITY_WAIT_MS = 350
const NONE: readonly Named[] = []

/** Something that is loaded once, when it is first wanted; undefined until then. */
function useLoaded<T>(load: () => Promise<T>, isWanted: boolean): T | undefined {
  const loaded = useSignal<T | undefined>(undefined)
  useEffect(() => {
    if (!isWanted || loaded.peek() !== undefined) return
    let isGone = false
    load().then(
      (got) => {
        if (!isGone) loaded.value = got
      },
      // Without it the map has its grid and its geofences; the next map asks again.
      () => {},
    )
    return () => {
      isGone = true
    }
  }, [isWanted])
  return loaded.value
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

interface DrawnProps {
  appId: number
  view: Signal<View>
  showsDensity?: boolean | undefined
  names?: readonly Named[] | undefined
}

/** Draws outlines, names and density, again whenever one of them, the view or the colours change. */
export function useDrawn(
  { appId, view, showsDensity = false, names = NONE }: DrawnProps,
  { width, height }: Size,
  hasTiles: boolean,
) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const palette = useRef<HTMLSpanElement>(null)
  const isNear = view.value.zoom >= NEAR_ZOOM
  const far: Outlines | undefined = useLoaded(loadOutlines, !hasTiles)
  const near = useLoaded(loadCoasts, isNear && !hasTiles)
  const outlines = isNear ? (near ?? far) : far
  const places: Gazetteer | undefined = useLoaded(loadPlaces, !hasTiles)
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
      labels: places && !hasTiles ? labelsOf(places.places, view.value, { width, height }, names) : [],
      cells: showsDensity ? density.cells : [],
      cellSize: density.size,
      hasTiles,
      colors: colorsOf(palette.current!),
    })
  }, [view.value, width, height, outlines, places, names, density, showsDensity, hasTiles, theme])
  return { canvas, palette }
}
