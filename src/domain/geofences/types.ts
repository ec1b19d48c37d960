/** A point on the earth, in degrees: `lat` from -90 to 90, `lng` from -180 to 180. */
export interface Position {
  lat: number
  lng: number
}

/** `[longitude, latitude]`, the order of GeoJSON (RFC 7946, section 3.1.1). */
export type LngLat = readonly [lng: number, lat: number]

/** The contract's circle: a point and `properties.radius` in metres. Further members are kept as they were given. */
export interface CircleFeature {
  type: 'Feature'
  geometry: { type: 'Point'; coordinates: LngLat }
  properties: { radius: number }
}

/**
 * The contract's polygon: an outer ring and holes. `orderAdded` are indexes of its outer ring's positions in the order in which
 * a person set them, `markerLocation` is `[latitude, longitude]`; both are for editors, kept as given.
 */
export interface PolygonFeature {
  type: 'Feature'
  geometry: { type: 'Polygon'; coordinates: readonly (readonly LngLat[])[] }
  properties: { orderAdded: number[]; markerLocation?: [lat: number, lng: number] }
}

export type BoundsFeature = CircleFeature | PolygonFeature

/** A fence of an app. Times are milliseconds since the epoch. */
export interface Geofence {
  id: number
  appId: number
  name: string
  /** A disabled fence has nobody inside, and nobody enters or leaves it. */
  isEnabled: boolean
  boundsGeoJson: BoundsFeature
  /** Each once, in the order given. */
  tags: string[]
  createdAt: number
  updatedAt: number
}

/** What happened at a fence. */
export interface GeofenceCounts {
  /** Entries since it was made. */
  activationCount: number
  /** Users with an install inside by a position that is not too old. */
  activeUsers: number
}

export type CountedGeofence = Geofence & GeofenceCounts

export interface NewGeofence {
  name: string
  boundsGeoJson: BoundsFeature
  isEnabled?: boolean | undefined
  tags?: string[] | undefined
}

/** What a request changes: absent leaves alone. */
export interface GeofenceChange {
  name?: string | undefined
  boundsGeoJson?: BoundsFeature | undefined
  isEnabled?: boolean | undefined
  tags?: string[] | undefined
}

/** A rectangle in degrees. `west` is from -180 to 180; `east` is right of it, past 180 when the antimeridian lies between. */
export interface Box {
  west: number
  south: number
  east: number
  north: number
}
