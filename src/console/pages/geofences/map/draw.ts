import { type LngLat, type Size, shareX, shareY, spotOf, type View, worldWidth } from './projection.ts'

/** Outlines as paths whose sides are shares of the world. */
export interface Outlines {
  land: Path2D
  borders: Path2D
}

const SCALE = 100

/** Encoded polyline (packaging/outlines.ts) -> positions. */
function decode(text: string): LngLat[] {
  const points: LngLat[] = []
  let [at, x, y] = [0, 0, 0]
  const next = () => {
    let [value, shift, code] = [0, 0, 0]
    do {
      code = text.charCodeAt(at++) - 63
      value |= (code & 0x1f) << shift
      shift += 5
    } while (code >= 0x20)
    return value & 1 ? ~(value >> 1) : value >> 1
  }
  while (at < text.length) {
    x += next()
    y += next()
    points.push([x / SCALE, y / SCALE])
  }
  return points
}

/** Neighbours are never half the earth apart: what crosses the antimeridian goes on beyond 180. */
function unwound(points: readonly LngLat[]): LngLat[] {
  let before: number | undefined
  return points.map(([lng, lat]) => {
    const next = before === undefined ? lng : lng + 360 * Math.round((before - lng) / 360)
    before = next
    return [next, lat]
  })
}

function trace(path: Path2D, points: readonly LngLat[]): void {
  for (const [i, [lng, lat]] of points.entries()) {
    if (i === 0) path.moveTo(shareX(lng), shareY(lat))
    else path.lineTo(shareX(lng), shareY(lat))
  }
}

let loading: Promise<Outlines> | undefined

/** The outlines of countries, which are loaded when the first map is opened. */
export function loadOutlines(): Promise<Outlines> {
  loading ??= import('./outlines.ts').then(({ default: { coast, land, borders } }) => {
    const lines = coast.map(decode)
    const drawn: Outlines = { land: new Path2D(), borders: new Path2D() }
    for (const ring of land) {
      const points = unwound(ring.flatMap((arc) => (arc < 0 ? lines[~arc]!.toReversed() : lines[arc]!)))
      const [first, last] = [points[0]!, points.at(-1)!]
      trace(drawn.land, points)
      // Antarctica goes round the earth: it is closed below the map.
      if (Math.abs(last[0] - first[0]) > 180) {
        drawn.land.lineTo(shareX(last[0]), 1)
        drawn.land.lineTo(shareX(first[0]), 1)
      }
      drawn.land.closePath()
    }
    for (const line of borders) trace(drawn.borders, unwound(decode(line)))
    return drawn
  })
  return loading
}

/** Installs in a square of `size` degrees. */
export interface Cell {
  south: number
  west: number
  installs: number
}

interface Scene {
  view: View
  size: Size
  outlines: Outlines | undefined
  cells: readonly Cell[]
  cellSize: number
  /** Pictures lie below: only lines are drawn. */
  hasTiles: boolean
  colors: Record<'land' | 'coast' | 'border' | 'grid' | 'text' | 'heat', string>
}

/** Steps of the lines of longitude and latitude, in degrees. */
const GRID = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005]
const GRID_PX = 110

/** Draws outlines, the grid and the density. */
export function drawScene(context: CanvasRenderingContext2D, scene: Scene): void {
  const { view, size, outlines, cells, cellSize, hasTiles, colors } = scene
  const ratio = devicePixelRatio
  const world = worldWidth(view.zoom)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, size.width, size.height)
  const left = size.width / 2 - shareX(view.lng) * world
  const top = size.height / 2 - shareY(view.lat) * world
  if (outlines && !hasTiles) {
    for (let copy = -2; copy <= 2; copy++) {
      const x = left + copy * world
      // Outlines across the antimeridian reach beyond their copy.
      if (x - world > size.width || x + 2 * world < 0) continue
      context.setTransform(ratio * world, 0, 0, ratio * world, ratio * x, ratio * top)
      context.fillStyle = colors.land
      context.fill(outlines.land, 'evenodd')
      context.strokeStyle = colors.coast
      context.lineWidth = 1 / world
      context.stroke(outlines.land)
      context.strokeStyle = colors.border
      context.stroke(outlines.borders)
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
  }
  drawCells(context, scene, cells, cellSize, colors.heat)
  drawGrid(context, scene)
}

function drawCells(
  context: CanvasRenderingContext2D,
  { view, size }: Scene,
  cells: readonly Cell[],
  side: number,
  color: string,
): void {
  const most = Math.max(1, ...cells.map(({ installs }) => installs))
  context.fillStyle = color
  for (const { west, south, installs } of cells) {
    for (const turn of [-360, 0, 360]) {
      const a = spotOf([west + turn, south + side], view, size)
      const b = spotOf([west + turn + side, south], view, size)
      if (b.x < 0 || a.x > size.width) continue
      context.globalAlpha = 0.15 + 0.55 * (Math.log(1 + installs) / Math.log(1 + most))
      context.fillRect(a.x, a.y, b.x - a.x - 0.5, b.y - a.y - 0.5)
    }
  }
  context.globalAlpha = 1
}

function drawGrid(context: CanvasRenderingContext2D, { view, size, colors, hasTiles }: Scene): void {
  const degree = worldWidth(view.zoom) / 360
  const step = GRID.findLast((one) => one * degree >= GRID_PX) ?? GRID[0]!
  const digits = Math.max(0, Math.ceil(-Math.log10(step)))
  const mid = { x: size.width / 2, y: size.height / 2 }
  context.strokeStyle = colors.grid
  context.fillStyle = colors.text
  context.font = '10px system-ui, sans-serif'
  context.lineWidth = 1
  context.globalAlpha = hasTiles ? 0.5 : 1
  context.beginPath()
  const first = Math.ceil((view.lng - mid.x / degree) / step)
  for (let i = first; i * step <= view.lng + mid.x / degree; i++) {
    const x = Math.round(spotOf([i * step, 0], view, size).x) + 0.5
    context.moveTo(x, 0)
    context.lineTo(x, size.height)
    const lng = ((((i * step + 180) % 360) + 360) % 360) - 180
    context.fillText(`${Math.abs(lng).toFixed(digits)}°${lng < 0 ? 'W' : lng > 0 ? 'E' : ''}`, x + 4, 12)
  }
  for (let i = Math.ceil(-85 / step); i * step <= 85; i++) {
    const y = Math.round(spotOf([0, i * step], view, size).y) + 0.5
    if (y < 20 || y > size.height) continue
    context.moveTo(0, y)
    context.lineTo(size.width, y)
    const lat = i * step
    context.fillText(`${Math.abs(lat).toFixed(digits)}°${lat < 0 ? 'S' : lat > 0 ? 'N' : ''}`, 4, y - 4)
  }
  context.stroke()
  context.globalAlpha = 1
}
