import type { Attributes, Install, UserWithInstalls } from '../../domain/crm/types.ts'
import { isoOffset, isoOffsetOrNull } from '../../platform/clock.ts'

/** The contract's Install; null where the device never said. */
export function presentInstall(install: Install) {
  return {
    id: install.installId,
    subscribedToPushNotifications: install.subscribed,
    os: install.os,
    osVersion: install.osVersion,
    sdkType: install.sdkType,
    sdkVersion: install.sdkVersion,
    lastActive: isoOffset(install.lastActive),
    appVersion: install.appVersion,
    countryIsoCode: install.countryIsoCode,
    timezone: install.timezone,
    locale: install.locale,
    deviceModel: install.deviceModel,
    deviceName: install.deviceName,
  }
}

/** The contract's User. */
export function presentUser(user: UserWithInstalls) {
  return {
    identifier: user.identifier,
    attributes: user.attributes,
    firstActive: isoOffset(user.firstActive),
    lastActive: isoOffset(user.lastActive),
    inAppEnabled: user.inAppEnabled,
    createdAt: isoOffset(user.createdAt),
    updatedAt: isoOffset(user.updatedAt),
    installs: user.installs.map(presentInstall),
  }
}

/** What the body of the user list has besides `users`. */
export function presentUserPage(total: number, currentPage: number) {
  return { totalUsers: total, currentPage }
}

/** Body of `PUT attributes`. */
export function presentAttributes(identifier: string, attributes: Attributes) {
  return { identifier, attributes }
}

/** Body of `POST token`. */
export function presentUserToken({
  identifier,
  token,
  expiresAt,
}: {
  identifier: string
  token: string
  expiresAt: number | null
}) {
  return { userId: identifier, token, expiresAt: isoOffsetOrNull(expiresAt) }
}
