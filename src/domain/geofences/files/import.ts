import { invalid } from '../../../platform/errors.ts'
import type { NewGeofence } from '../types.ts'
import type { ReadFeature } from './collection.ts'

/** `new`: it becomes a geofence. `existing`: the same one is there already. `refused`: it is none. */
type Outcome = 'new' | 'existing' | 'refused'

/** A feature of a file, and its outcome. */
interface ImportedFeature {
  /** Its index in the file. */
  feature: number
  name: string | null
  shape: 'circle' | 'polygon' | null
  outcome: Outcome
  /** The new geofence; null before the import, and for the others. */
  id: number | null
  problems: string[]
}

export interface GeofenceImport {
  /** Features that are, or would be, new geofences. */
  created: number
  existing: number
  refused: number
  features: ImportedFeature[]
}

/** Tells of each of these geofences whether the app has the same one, by name, bounds. */
type Known = (appId: number, geofences: readonly NewGeofence[]) => Promise<boolean[]>

/** Tells what would become of the features of a file. Nothing is stored. */
export async function previewImport(
  appId: number,
  read: readonly ReadFeature[],
  known: Known,
): Promise<GeofenceImport> {
  const taken = read.flatMap(({ geofence }) => geofence ?? [])
  const isKnown = new Map((await known(appId, taken)).map((is, i) => [taken[i]!, is]))
  const features = read.map(({ name, geofence, problems }, feature): ImportedFeature => {
    const outcome: Outcome = geofence === undefined ? 'refused' : isKnown.get(geofence) ? 'existing' : 'new'
    const point = geofence?.boundsGeoJson.geometry.type === 'Point'
    return { feature, name, shape: geofence ? (point ? 'circle' : 'polygon') : null, outcome, id: null, problems }
  })
  const count = (wanted: Outcome) => features.filter(({ outcome }) => outcome === wanted).length
  return { created: count('new'), existing: count('existing'), refused: count('refused'), features }
}

interface ImportParts {
  known: Known
  /** Stores the geofences and returns their ids, in the same order. */
  createAll(appId: number, geofences: readonly NewGeofence[]): Promise<number[]>
}

/**
 * Stores the features of a file that are new, and leaves those alone that are there already. A refused one refuses the whole
 * file (`invalid`, with each place), unless `skipRefused` says to leave it out. Needs a transaction.
 */
export async function importFeatures(
  appId: number,
  read: readonly ReadFeature[],
  { skipRefused, known, createAll }: ImportParts & { skipRefused: boolean },
): Promise<GeofenceImport> {
  const preview = await previewImport(appId, read, known)
  const wrong = preview.features.filter(({ outcome }) => outcome === 'refused')
  if (wrong.length > 0 && !skipRefused) {
    throw invalid(Object.fromEntries(wrong.map(({ feature, problems }) => [`features[${feature}]`, problems])))
  }
  const fresh = preview.features.filter(({ outcome }) => outcome === 'new')
  const ids = await createAll(
    appId,
    fresh.map(({ feature }) => read[feature]!.geofence!),
  )
  const idOf = new Map(fresh.map(({ feature }, i) => [feature, ids[i]!]))
  return { ...preview, features: preview.features.map((one) => ({ ...one, id: idOf.get(one.feature) ?? null })) }
}
