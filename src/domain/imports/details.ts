import { shortText } from '../../platform/values/lenient.ts'
import { countryOf, readDetails, zoneOf } from '../crm/details.ts'
import { appleDeviceName } from '../crm/device-names.ts'
import type { InstallDetails } from '../crm/types.ts'
import type { DeviceWords } from './types.ts'

/** Nothing is known: null everywhere. */
const NOTHING = readDetails({})

/** Details of a device in an export, as an install has them. Unknown time zones are left out. Pure. */
export function detailsOf(words: DeviceWords): InstallDetails {
  const model = shortText(words.deviceModel, 1024)
  const locale = shortText(words.locale)
  return {
    ...NOTHING,
    os: shortText(words.os),
    osVersion: shortText(words.osVersion),
    appVersion: shortText(words.appVersion),
    countryIsoCode: words.country ?? (locale && countryOf(locale)),
    timezone: zoneOf(words.timezone),
    locale,
    deviceModel: model,
    deviceName: model && (appleDeviceName(model) ?? model),
  }
}
