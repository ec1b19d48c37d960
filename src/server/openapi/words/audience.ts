import { of, type Words } from './types.ts'

const CIRCLE = {
  type: 'Feature',
  geometry: { type: 'Point', coordinates: [13.4, 52.5] },
  properties: { radius: 250 },
}
const FILTER = { field: 'os', op: 'equals', value: 'iOS' }
const SOME_IDS = 'Unknown ids do not stop the others: they are returned with status 200. With 204 all ids were applied.'
const THEIR_INSTALLS =
  'The subscriptions that the installs of these users have of their own end too, unless `keepInstalls` is true.'
const ALL_IDS = 'Nothing changes if one of the ids is unknown (404).'

/** Channels, segments, geofences, and the targets that are made of them. */
export const AUDIENCE: Words = {
  operations: {
    'post /channels': {
      description:
        'A channel with a name is public and shown to every install. One without is private and shown to its subscribers only.',
      takes: 'NewChannel',
      sends: { uuid: 'news', name: 'News', showInPortal: true, meta: { icon: 'news.png' } },
    },
    'get /channels': { description: 'Returns public and private channels in the order of their creation.' },
    'get /channels/:id': { description: 'Also returns private channels.' },
    'put /channels/:id': {
      description: 'An absent field stays as it is; null clears `name` and `meta`.',
      takes: 'ChannelChange',
      sends: { name: 'Daily news', meta: null },
    },
    'delete /channels/:id': { description: 'Its subscriptions are deleted with it. Notifications already sent stay.' },
    'post /channels/:id/subscriptions': { description: ALL_IDS, takes: 'Subscribers', sends: { userIds: ['user-17'] } },
    'delete /channels/:id/subscriptions': {
      description: `${ALL_IDS} ${THEIR_INSTALLS}`,
      takes: 'Unsubscribers',
      sends: { userIds: ['user-17'] },
    },
    'post /v2/channels/:uuid/subscriptions': {
      description: SOME_IDS,
      takes: 'Subscribers',
      sends: { installIds: ['7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'] },
    },
    'delete /v2/channels/:uuid/subscriptions': {
      description: `${SOME_IDS} ${THEIR_INSTALLS}`,
      takes: 'Unsubscribers',
      sends: { userIds: ['user-17'] },
    },
    'get /v2/channels/:uuid/subscriptions': {
      description:
        'First the users, then the installs that are subscribed themselves or opted out, each in the order of their creation. ' +
        'Who joins or leaves meanwhile may be missing or listed.',
    },
    'post /v2/channels/:uuid/subscribers-file': {
      description:
        'The file is UTF-8 text named `*.csv` with the type `text/csv` (`application/csv`, `application/vnd.ms-excel`, `application/octet-stream` and no type are taken too): one user identifier a line, no header. It is applied in the background.',
    },
    'get /v2/channels/:uuid/imports': { description: 'Returns the newest file first.' },
    'get /v2/channels/:uuid/imports/:id': { description: 'Includes the first lines whose user does not exist.' },
    'post /v1/segments': {
      description:
        'The filter is evaluated each time the segment is used. `docs/segments.md` lists its fields and operators.',
      takes: 'NewSegment',
      sends: { name: 'On iOS', filter: FILTER },
    },
    'get /v1/segments': { description: 'Returns segments in the order of their creation.' },
    'get /v1/segments/:id': { description: 'The path takes the `id` or the `uuid` of the segment.' },
    'get /v1/segments/:id/preview': { description: 'Evaluates the filter now. Sends nothing.' },
    'put /v1/segments/:id': {
      description: 'An absent field stays as it is. Notifications that are due later use the new filter.',
      takes: 'SegmentChange',
      sends: { name: 'On iPhones' },
    },
    'delete /v1/segments/:id': { description: 'Refused while a notification that is not sent yet targets it.' },
    'post /v1/geofences': {
      description: 'A Point with `properties.radius` is a circle; a Polygon has `properties.orderAdded`.',
      takes: 'NewGeofence',
      sends: { name: 'Office', boundsGeoJson: CIRCLE, isEnabled: true, tags: ['work'] },
    },
    'get /v1/geofences': { description: 'Returns geofences in the order of their creation.' },
    'get /v1/geofences/:id': { description: 'Includes how often it was entered and how many users are inside.' },
    'put /v1/geofences/:id': {
      description:
        'An absent field stays as it is. New bounds decide who is inside from the next reported position on.',
      takes: 'GeofenceChange',
      sends: { isEnabled: false },
    },
    'delete /v1/geofences/:id': { description: 'Its counts are deleted with it.' },
  },
  schemas: {
    NewChannel: ['A channel to create.'],
    ChannelChange: ['What changes about a channel.'],
    Subscribers: ['Who is subscribed. At least one id is required.'],
    Unsubscribers: ['Who is unsubscribed. At least one id is required.'],
    SubscribersFile: ['A form with one file.'],
    NewSegment: ['A segment to create.'],
    SegmentChange: ['What changes about a segment.'],
    NewGeofence: ['A geofence to create.'],
    GeofenceChange: ['What changes about a geofence.'],
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
    '/v1/segments/:id/preview.path.id': ['The `id` or the `uuid` of the segment.', '7'],
    'path.uuid': ['The `uuid` of the channel, or of the banner.', 'news'],
    'query.userId': ['Identifier of the user.', 'user-17'],
    'query.platform': ['Only of this platform.', 'ios'],
  },
}
