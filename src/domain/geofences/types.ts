import { boolean, definition, definitionList, integer, table, text, type Value } from '../../platform/db/table.ts'

/** A point on the earth, in degrees: `lat` from -90 to 90, `lng` from -180 to 180. */
export interface Position {
  lat: number
  lng: number
}

/** `[longitude, latitude]`, the order of GeoJSON (RFC 7946, section 3.1.1). */
export type LngLat = readonly [lng: number, lat: number]

/** The circle of the contract: a point and `properties.radius` in metres. Other members are kept unchanged. */
export interface CircleFeature {
  type: 'Feature'
  geometry: { type: 'Point'; coordinates: LngLat }
  properties: { radius: number }
}

/**
 * The polygon of the contract: an outer ring and holes. `orderAdded` lists indexes of positions of the outer ring in
 * the order in which a person drew them, `markerLocation` is `[latitude, longitude]`. Both are for editors and are kept
 * unchanged.
 */
export interface PolygonFeature {
  type: 'Feature'
  geometry: { type: 'Polygon'; coordinates: readonly (readonly LngLat[])[] }
  properties: { orderAdded: number[]; markerLocation?: [lat: number, lng: number] }
}

export type BoundsFeature = CircleFeature | PolygonFeature

export const GEOFENCES = table('geofences', {
  id: integer('id'),
  appId: integer('app_id'),
  name: text('name'),
  /** A disabled geofence contains no installs, and none enter or leave it. */
  isEnabled: boolean('is_enabled'),
  boundsGeoJson: definition('bounds').as<BoundsFeature>(),
  /** Tags without duplicates, in the order given. */
  tags: definitionList('tags').as<string[]>(),
  createdAt: integer('created_at'),
  updatedAt: integer('updated_at'),
})

/** A geofence of an app. Times are milliseconds since the epoch. */
export type Geofence = Value<typeof GEOFENCES>

/** Numbers of a geofence. */
interface GeofenceCounts {
  /** Entries since its creation. */
  activationCount: number
  /** Users with an install inside, by positions that still count. */
  activeUsers: number
}

export type CountedGeofence = Geofence & GeofenceCounts

export interface NewGeofence {
  name: string
  boundsGeoJson: BoundsFeature
  isEnabled?: boolean | undefined
  tags?: string[] | undefined
}

/** Changes of a request: absent fields are left unchanged. */
export interface GeofenceChange {
  name?: string | undefined
  boundsGeoJson?: BoundsFeature | undefined
  isEnabled?: boolean | undefined
  tags?: string[] | undefined
}

/**
 * A rectangle in degrees. `west` is from -180 to 180; `east` is greater, and above 180 if the antimeridian lies
 * between.
 */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}
