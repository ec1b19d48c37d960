import type { LngLat } from './projection.ts'

/** Encoded polyline (packaging/map/polyline.ts) in units of `1 / scale` degree -> positions. */
export function decodeLine(text: string, scale: number): LngLat[] {
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
    points.push([x / scale, y / scale])
  }
  return points
}
