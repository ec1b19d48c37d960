import type { Geofence } from './fences.ts'

/** All geofences as a GeoJSON file, which the import reads. As `appsvc geofences export` writes it. */
export function exportText(geofences: readonly Geofence[]): string {
  const features = geofences.map(({ id, name, tags, isEnabled, boundsGeoJson }) => {
    const { properties } = boundsGeoJson as { properties: Record<string, unknown> }
    return JSON.stringify({ ...boundsGeoJson, id, properties: { ...properties, name, tags, isEnabled } })
  })
  return `{"type":"FeatureCollection","features":[\n${features.join(',\n')}\n]}\n`
}
