/** Paths of the device interface below the server's address (docs/reference/device-protocol.md section 1). */

const segment = encodeURIComponent

export const WEB_CONFIG = '/push/v1/web/config'
/** The page that draws in-app messages. */
export const RENDERER = '/iar'
/** The page that describes the device, for links. */
export const FINGERPRINT = '/fingerprint'

export const eventsPath = (install: string) => `/events/v1/app-installs/${segment(install)}/events`
export const channelsPath = (install: string) => `/push/v1/app-installs/${segment(install)}/channels`
export const messagesPath = (user: string, after?: string) =>
  `/push/v1/users/${segment(user)}/messages${after === undefined ? '' : `?after=${segment(after)}`}`
export const purposesPath = (user: string) => `/crm/v1/users/${segment(user)}/purposes`

/** The path that resolves a link: its path is one segment, its query is passed on. */
export function linkPath({ pathname, search }: URL, wasDeferred: boolean): string {
  const slug = decodeURIComponent(pathname).replace(/^\/|\/$/g, '')
  return `/links/v1/deeplinks/${segment(slug)}?wasDeferred=${Number(wasDeferred)}${search.replace('?', '&')}`
}

/** The path that finds the link that a device with these components tapped. */
export const tapsPath = (components: object) =>
  `/links/v1/deeplinks/_taps?fingerprint=${segment(btoa(JSON.stringify(components)))}`
