import { of, type Words } from './types.ts'

export const CIRCLE = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [13.4, 52.5] },
  properties: { radius: 250 },
}
export const GEOJSON_FILE = {
  type: 'FeatureCollection',
  features: [{ ...CIRCLE, properties: { name: 'Office', tags: ['work'], radius: 250 } }],
}
export const FILTER = { field: 'os', op: 'equals', value: 'iOS' }

/** Channels, segments, geofences, and the targets that are made of them. */
export const AUDIENCE: Words = {
  schemas: {
    NewChannel: ['A channel to create.'],
    ChannelChange: ['What changes about a channel.'],
    Subscribers: ['Who is subscribed. At least one id is required.'],
    Unsubscribers: ['Who is unsubscribed. At least one id is required.'],
    SubscribersFile: ['A form with one file.'],
    NewSegment: ['A segment to create.'],
    SegmentChange: ['What changes about a segment.'],
    SegmentToCount: ['How a segment is counted.'],
    NewGeofence: ['A geofence to create.'],
    GeofenceChange: ['What changes about a geofence.'],
    GeofenceFile: ['A GeoJSON file.'],
    Circle: ['A GeoJSON Feature that is a circle.', CIRCLE],
    Polygon: ['A GeoJSON Feature that is a polygon.'],
  },
  fields: {
    ...of(['NewSegment', 'SegmentChange'], {
      filter: ['', FILTER],
    }),
    ...of(['GeofenceChange', 'NewGeofence'], {
      boundsGeoJson: ['Where it is.', CIRCLE],
      tags: ['Tags by which notifications can target it.', ['work']],
    }),
    ...of(['Circle', 'Polygon'], {
      type: ['Always `Feature`.', 'Feature'],
      geometry: ['The shape.'],
      'geometry.type': ['Kind of shape.'],
      properties: ['What the shape needs besides its coordinates.'],
    }),
    'NewChannel.uuid': ['Identifier of the channel, unique in the app.', 'news'],
    'ChannelChange.name': ['Name for people. Null makes the channel private.', 'Daily news'],
    'ChannelChange.uuid': ['New identifier of the channel, unique in the app.', 'news'],
    'Unsubscribers.keepInstalls': ['True: only the subscriptions of the users end, not those of their installs.'],
    'SubscribersFile.file': ['The file. Its part of the form may have any name.', 'user-17\nuser-18\n'],
    'NewSegment.name': ['Name for people.', 'On iOS'],
    'SegmentChange.name': ['New name for people.', 'On iPhones'],
    'SegmentToCount.isWhole': ['Whether every install is checked, however long it takes. Default: false.', true],
    'Event.userId': ['Identifier of the user.', 'user-17'],
    'NewGeofence.isEnabled': ['Whether it is enabled. Nobody is inside a disabled geofence. Default: true.', true],
    'GeofenceChange.isEnabled': ['Whether it is enabled. Nobody is inside a disabled geofence.', true],
    'NewGeofence.name': ['Name for people.', 'Office'],
    'GeofenceChange.name': ['New name for people.', 'Office'],
    'Circle.geometry.coordinates': ['The centre: longitude, latitude.', [13.4, 52.5]],
    'Polygon.geometry.coordinates': [
      'Rings of positions (longitude, latitude), the outer one first. The last position of a ring repeats the first.',
      [
        [
          [13.4, 52.5],
          [13.5, 52.5],
          [13.5, 52.6],
          [13.4, 52.5],
        ],
      ],
    ],
    'Circle.properties.radius': ['Radius in metres.', 250],
    'Polygon.properties.orderAdded': [
      'Indexes of the positions of the outer ring, in the order in which a person set them.',
      [0, 1, 2],
    ],
    'Polygon.properties.markerLocation': ['Where an editor shows the marker: latitude, longitude.', [52.5, 13.4]],
  },
  parameters: {
    '/v2/channels/:uuid/subscriptions.query.after': ['The `next` of the previous page.', 'u1042'],
    '/v2/channels/:uuid/imports/:id.path.id': ['The `id` of the file.', '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'],
    '/v1/segments/:id.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    '/v1/segments/:id/count.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    '/v1/segments/:id/preview.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    'path.uuid': ['The `uuid` of the channel, or of the banner.', 'news'],
    '/v1/geofences/import.query.radius': ['Radius in metres of points that have none.', 150],
    '/v1/geofences/import/preview.query.radius': ['Radius in metres of points that have none.', 150],
    'query.skipRefused': ['True leaves out the features that cannot be geofences. Default: false.', true],
    'query.userId': ['Identifier of the user.', 'user-17'],
    'query.platform': ['Only of this platform.', 'ios'],
  },
}
