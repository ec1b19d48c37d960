/** Words of each type of event that SDKs and this server report, for pages that show events. */
const EVENTS: Readonly<Record<string, string>> = {
  'k.fg': 'Opened the app',
  'k.bg': 'Left the app',
  'k.push.opened': 'Opened a push',
  'k.message.opened': 'Opened a message',
  'k.message.delivered': 'A message arrived',
  'k.message.dismissed': 'Closed a message',
  'k.message.read': 'Read a message in the inbox',
  'k.message.inbox.deleted': 'Deleted a message from the inbox',
  'k.push.deviceRegistered': 'Registered for pushes',
  'k.push.deviceUnsubscribed': 'Gave up its push token',
  'k.push.notificationEnablementChanged': 'Changed the permission for notifications',
  'k.inApp.statusUpdated': 'Changed the consent to in-app messages',
  'k.stats.installTracked': 'Told what device it is',
  'k.stats.userAssociated': 'Signed in',
  'k.stats.userAssociationCleared': 'Signed out',
  'k.engage.locationUpdated': 'Told where it is',
  'k.engage.beaconEnteredProximity': 'Came near a beacon',
  'k.crash.loggedException': 'Reported a crash',
  'k.pageViewed': 'Looked at a page',
  'geofence.entered': 'Entered a geofence',
  'geofence.left': 'Left a geofence',
  'user.created': 'Became known as a user',
  'install.unreachable': 'Cannot be reached by pushes any more',
  'notification.sent': 'A push was sent',
  'notification.failed': 'A push reached nobody',
  'link.created': 'A link was created',
  'link.clicked': 'A link was clicked',
  'link.matched': 'Came to the app by a link',
  'user.erased': 'A user was erased',
}

/** "Opened a push"; types of the app's own are named. */
export const eventInWords = (type: string): string => EVENTS[type] ?? `Event ${type}`

/** Tells whether the app, or its server, chose the type. */
export const isOwnType = (type: string): boolean => EVENTS[type] === undefined && !type.startsWith('k.')
