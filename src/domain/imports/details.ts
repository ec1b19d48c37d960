import { shortText } from '../../platform/values/lenient.ts'
import { countryOf, zoneOf } from '../crm/details.ts'
import { appleDeviceName } from '../crm/device-names.ts'
import type { InstallDetails } from '../crm/types.ts'
import type { DeviceWords } from './types.ts'

/** What the export says about a device, as an install has it. Unknown time zones are left out. Pure. */
export function detailsOf(words: DeviceWords): InstallDetails {
  const model = shortText(words.deviceModel, 1024)
  const locale = shortText(words.locale)
  return {
    os: shortText(words.os),
    osVersion: shortText(words.osVersion),
    sdkType: null,
    sdkVersion: null,
    appVersion: shortText(words.appVersion),
    countryIsoCode: words.country ?? (locale && countryOf(locale)),
    timezone: zoneOf(words.timezone),
    locale,
    deviceModel: model,
    deviceName: model && (appleDeviceName(model) ?? model),
    buildKind: null,
    simulator: null,
    timeSensitive: null,
  }
}
