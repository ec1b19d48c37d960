import { EXPO_ONLY } from '../check.ts'
import { objectFrom, pick } from '../read/values.ts'
import type { Converted, Row, Source, SourceOptions } from '../types.ts'
import { checkColumns, convertFields, fateOfColumn } from './fields.ts'

/**
 * Expo: tables of native device tokens that an app has sent to its own server, `{"type": "ios", "data": "…"}` as
 * `getDevicePushTokenAsync` returns them (https://docs.expo.dev/push-notifications/sending-notifications-custom).
 * An `ExponentPushToken[…]` names a device at Expo's service only: it cannot be turned into a token of APNs or FCM.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  type: 'platform',
  os: 'platform',
  data: 'token',
  devicepushtoken: 'token',
  device_push_token: 'token',
  devicetoken: 'token',
  device_token: 'token',
  nativetoken: 'token',
  userid: 'user',
  user_id: 'user',
  uid: 'user',
  deviceid: 'id',
  device_id: 'id',
  // What getPermissionsAsync says.
  status: 'enabled',
  granted: 'enabled',
  permission_status: 'enabled',
  permissionstatus: 'enabled',
  locale: 'language',
  updatedat: 'last_active',
  updated_at: 'last_active',
  createdat: 'created_at',
  expopushtoken: '-',
  expo_push_token: '-',
}

export const expo: Source = {
  name: 'expo',
  label: 'Expo',
  columns: {
    type: 'platform',
    data: 'push token, or subscription of the browser',
    devicePushToken: 'push token, or {"type": …, "data": …}',
    userId: 'user',
    deviceId: 'install id, as expo-…',
    status: 'notifications on or off',
    granted: 'notifications on or off',
    expoPushToken: 'left behind: only Expo can send to it',
  },
  others: (column, options) => fateOfColumn(column, options, COLUMNS),
  wrappers: [],
  checkHeader(names, options) {
    // A file with tokens of Expo alone is read, so that each row is refused with the remedy.
    if (!names.some((name) => /expo_?push_?token/i.test(name))) checkColumns(names, options, COLUMNS)
  },
  convert,
}

function convert(row: Row, options: SourceOptions): Converted {
  const whole = objectFrom(pick(row, 'devicePushToken', 'device_push_token'))
  const flat: Row = whole && Object.hasOwn(whole, 'data') ? { ...row, devicePushToken: null, ...whole } : row
  const converted = convertFields(flat, options, { others: COLUMNS })
  const hasToken = 'found' in converted && converted.found.some(({ platform }) => platform !== null)
  if (!hasToken && pick(row, 'expoPushToken', 'expo_push_token') !== undefined) return { problem: EXPO_ONLY }
  return converted
}
