/** `[longitude, latitude]` in degrees. */
export type Point = readonly [x: number, y: number]

/** Douglas and Peucker: the points of a line that are further than `tolerance` degrees from the line of the others. */
export function simplify(points: readonly Point[], tolerance: number): Point[] {
  const [first, last] = [points[0]!, points.at(-1)!]
  const [dx, dy] = [last[0] - first[0], last[1] - first[1]]
  const length = Math.hypot(dx, dy)
  let [far, at] = [0, 0]
  for (const [i, [x, y]] of points.entries()) {
    const away =
      length === 0
        ? Math.hypot(x - first[0], y - first[1])
        : Math.abs(dy * (x - first[0]) - dx * (y - first[1])) / length
    if (away > far) [far, at] = [away, i]
  }
  if (far <= tolerance || points.length < 3) return length === 0 && far > 0 ? [first, points[at]!, last] : [first, last]
  return [...simplify(points.slice(0, at + 1), tolerance).slice(0, -1), ...simplify(points.slice(at), tolerance)]
}

/** A signed integer in the letters `?` to `~`, five bits each, as the encoded polylines of maps have it. */
function letters(value: number): string {
  let rest = value < 0 ? ~(value << 1) : value << 1
  let text = ''
  for (; rest >= 0x20; rest >>= 5) text += String.fromCharCode((0x20 | (rest & 0x1f)) + 63)
  return text + String.fromCharCode(rest + 63)
}

/** Positions as an encoded polyline, in units of `1 / scale` degree. */
export function lineOf(points: readonly Point[], scale: number): string {
  let [px, py] = [0, 0]
  return points
    .map(([x, y]) => {
      const [nx, ny] = [Math.round(x * scale), Math.round(y * scale)]
      const text = letters(nx - px) + letters(ny - py)
      ;[px, py] = [nx, ny]
      return text
    })
    .join('')
}
