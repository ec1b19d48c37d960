import type { Label } from './labels.ts'
import type { Outlines } from './land.ts'
import { type Size, shareX, shareY, spotOf, type View, worldWidth } from './projection.ts'

/** Installs in a square of `size` degrees. */
export interface Cell {
  south: number
  west: number
  installs: number
}

/** Colours of the canvas, in the order of `.map-colors`: it does not know `light-dark()`, so elements that nobody sees resolve them. */
export const COLORS = ['land', 'coast', 'border', 'grid', 'text', 'heat', 'country', 'place', 'halo'] as const
type Color = (typeof COLORS)[number]

interface Scene {
  view: View
  size: Size
  outlines: Outlines | undefined
  labels: readonly Label[]
  cells: readonly Cell[]
  cellSize: number
  /** Pictures lie below: only lines are drawn. */
  hasTiles: boolean
  colors: Readonly<Record<Color, string>>
}

/** Steps of the lines of longitude and latitude, in degrees. */
const GRID = [30, 15, 10, 5, 2, 1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001, 0.0005]
const GRID_PX = 110

/** Draws outlines, the density, the grid and the names. */
export function drawScene(context: CanvasRenderingContext2D, scene: Scene): void {
  const { size, cells, cellSize, colors } = scene
  const ratio = devicePixelRatio
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, size.width, size.height)
  drawOutlines(context, scene)
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  drawCells(context, scene, cells, cellSize, colors.heat)
  drawGrid(context, scene)
  drawLabels(context, scene)
}

function drawOutlines(context: CanvasRenderingContext2D, { view, size, outlines, hasTiles, colors }: Scene): void {
  if (!outlines || hasTiles) return
  const ratio = devicePixelRatio
  const world = worldWidth(view.zoom)
  const left = size.width / 2 - shareX(view.lng) * world
  const top = size.height / 2 - shareY(view.lat) * world
  const [north, south] = [-top / world, (size.height - top) / world]
  for (let copy = -2; copy <= 2; copy++) {
    const x = left + copy * world
    const [west, east] = [-x / world, (size.width - x) / world]
    const inSight = (piece: Outlines['land'][number]) =>
      piece.east >= west && piece.west <= east && piece.south >= north && piece.north <= south
    context.setTransform(ratio * world, 0, 0, ratio * world, ratio * x, ratio * top)
    context.lineWidth = 1 / world
    context.fillStyle = colors.land
    context.strokeStyle = colors.coast
    const coasts = new Path2D()
    for (const piece of outlines.land) if (inSight(piece)) coasts.addPath(piece.path)
    // oxlint-disable-next-line unicorn/no-array-fill-with-reference-type -- a canvas is no array
    context.fill(coasts, 'evenodd')
    context.stroke(coasts)
    context.strokeStyle = colors.border
    for (const piece of outlines.borders) if (inSight(piece)) context.stroke(piece.path)
  }
}

const FONT = 'system-ui, sans-serif'

/** Names of countries in their middle, those of places beside a dot. */
function drawLabels(context: CanvasRenderingContext2D, { labels, colors, view }: Scene): void {
  context.lineJoin = 'round'
  context.lineWidth = 3
  context.strokeStyle = colors.halo
  context.textBaseline = 'middle'
  for (const { name, x, y, isCountry } of labels) {
    context.font = isCountry ? `600 ${view.zoom < 4 ? 11 : 12}px ${FONT}` : `11px ${FONT}`
    context.textAlign = isCountry ? 'center' : 'start'
    context.fillStyle = isCountry ? colors.country : colors.place
    const at = isCountry ? x : x + 6
    if (!isCountry) {
      context.beginPath()
      context.arc(x, y, 2.2, 0, 2 * Math.PI)
      context.stroke()
      context.fill()
    }
    context.strokeText(name, at, y)
    context.fillText(name, at, y)
  }
  context.textAlign = 'start'
  context.textBaseline = 'alphabetic'
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
