import type { Channel, ChannelImport } from '../../domain/channels/types.ts'
import type { CountedGeofence } from '../../domain/geofences/types.ts'
import type { SyncedMessage } from '../../domain/in-app/deliver/sync.ts'
import { STATUS as IN_APP_STATUS, type InAppMessage } from '../../domain/in-app/types.ts'
import type { NotificationRecord, NotificationReport } from '../../domain/notifications/report/report.ts'
import { SOURCE, STATUS } from '../../domain/notifications/types.ts'
import type { Segment } from '../../domain/segments/types.ts'
import { STARTERS } from '../../domain/templates/starters/index.ts'
import type { ContentDocument, WholeTemplate } from '../../domain/templates/types.ts'
import { presentChannel, presentImport, presentImportReport, presentSeenChannel } from './channels.ts'
import { presentUserToken } from './crm.ts'
import { presentGeofence } from './geofences.ts'
import { presentAcceptedMessage, presentInAppReport, presentMessage } from './in-app.ts'
import {
  presentAccepted,
  presentInstallOpen,
  presentNotification,
  presentReport,
  presentUpcoming,
  presentUserOpen,
} from './notifications.ts'
import { presentRestraint } from './restraint.ts'
import { presentSegment, presentSegmentPreview } from './segments.ts'
import {
  presentRendered,
  presentStarters,
  presentTemplate,
  presentVersion,
  presentVersionLine,
  presentWholeTemplate,
} from './templates.ts'
import { presentUserMessage } from './user-messages.ts'

/**
 * Answers as the OpenAPI document shows them, made by the functions that make the real ones. Several of a kind where a member
 * can be null or absent: the document's schemas come from them (answer-schema.ts).
 */

const AT = Date.parse('2026-03-01T12:00:00Z')
const UUID = '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'
const made = { appId: 1, createdAt: AT, updatedAt: AT }

/** Both pages of a list: one that goes on, and the last. */
function pagesOf(name: string, items: readonly unknown[]) {
  return [
    { [name]: items, next: 51 },
    { [name]: [], next: null },
  ]
}

const publicChannel: Channel = {
  ...made,
  madeByDevice: false,
  id: 7,
  uuid: 'news',
  name: 'News',
  showInPortal: true,
  meta: { icon: 'news.png' },
}
const privateChannel: Channel = {
  ...publicChannel,
  id: 8,
  uuid: 'testers',
  name: null,
  showInPortal: false,
  meta: null,
}
const deviceChannel: Channel = { ...publicChannel, id: 9, uuid: 'run-club', name: 'Run club', madeByDevice: true }
const upload: ChannelImport = {
  ...made,
  row: 3,
  id: UUID,
  channelId: 7,
  state: 'done',
  size: 12,
  place: 12,
  line: 3,
  total: 2,
  applied: 1,
  unknown: 1,
  error: null,
}
const failedUpload: ChannelImport = { ...upload, state: 'failed', error: 'the file is gone' }

export const channelAnswers = [publicChannel, privateChannel, deviceChannel].map(presentChannel)
export const channelPages = pagesOf('channels', channelAnswers)
export const seenChannels = [
  [publicChannel, privateChannel].map((one) => presentSeenChannel({ ...one, subscribed: true })),
]
export const importPages = pagesOf('imports', [upload, failedUpload].map(presentImport))
export const importAnswers = [upload, failedUpload].map((one) => ({ import: presentImport(one) }))
export const importReports = [upload, failedUpload].map((one) => ({
  import: presentImportReport({ ...one, unknownLines: [{ line: 2, identifier: 'nobody' }] }),
}))

const circle: CountedGeofence = {
  ...made,
  id: 5,
  name: 'Office',
  isEnabled: true,
  boundsGeoJson: {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [13.4, 52.5] },
    properties: { radius: 250 },
  },
  tags: ['work'],
  activationCount: 0,
  activeUsers: 0,
}

export const geofenceAnswers = [presentGeofence(circle)]
export const geofencePages = pagesOf('geofences', geofenceAnswers)

const segment: Segment = {
  ...made,
  id: 3,
  uuid: UUID,
  name: 'Gold on iOS',
  filter: { field: 'os', op: 'equals', value: 'iOS' },
}

export const segmentAnswers = [presentSegment(segment)]
export const segmentPages = pagesOf('segments', segmentAnswers)
export const segmentPreviews = [
  presentSegmentPreview({
    total: 2,
    platforms: { ios: 2 },
    first: [{ installId: UUID, userIdentifier: 'user-17', platform: 'ios' }],
  }),
]

const document: ContentDocument = {
  ver: 1,
  frame: {
    type: 'alert',
    nodes: [
      { type: 'heading', text: '{{Title}}' },
      { type: 'button', text: 'OK', actions: [{ type: 'closeMessage' }] },
    ],
  },
}
const template: WholeTemplate = {
  ...made,
  id: 4,
  uid: 'opening-hours',
  name: 'Opening hours',
  version: 2,
  content: document,
  tags: [
    { title: 'Title', type: 'text', required: true },
    { title: 'Price', type: 'number', required: false, default: 12.5 },
    { title: 'Count', type: 'number', required: false, default: 3 },
    { title: 'Accent', type: 'color', required: false, default: '#1753d8' },
  ],
  sample: { Title: 'Closed on Monday' },
}
const plainTemplate: WholeTemplate = {
  ...template,
  id: 5,
  uid: UUID,
  content: { ...document, defaults: { font: { family: 'serif' }, dir: 'auto' } },
  tags: [],
  sample: {},
}
const rendered: ContentDocument = {
  ...document,
  frame: { ...document.frame, nodes: [{ type: 'heading', text: 'Closed on Monday' }] },
}

export const templateAnswers = [template, plainTemplate].map(presentWholeTemplate)
export const templatePages = pagesOf('templates', [template].map(presentTemplate))
export const templateVersionAnswers = [template, plainTemplate].map((one) => presentVersion(one, one))
export const templateVersionPages = pagesOf('versions', [template].map(presentVersionLine))
export const renderedAnswers = [rendered, plainTemplate.content].map((content) =>
  presentRendered({ version: 2, content, tags: [] }),
)

const sent: NotificationRecord = {
  ...made,
  id: 12,
  source: SOURCE.messages,
  status: STATUS.sent,
  statusReason: null,
  filters: { broadcast: true },
  content: { title: 'Hello', message: 'World', data: { key: 'value' }, background: false, ios: {}, android: {} },
  reportingMeta: null,
  hasUserMeta: false,
  schedule: null,
  expiresAt: AT + 86_400_000,
  rateLimit: null,
  delivered: 1,
  opened: 1,
  dismissed: 0,
}
const { data: _, ...plain } = sent.content
const scheduled: NotificationRecord = {
  ...sent,
  id: 13,
  status: STATUS.scheduled,
  statusReason: 'cancelled on request',
  content: plain,
  schedule: { sendAt: '2026-03-02 09:00', strategy: 'timezone', pastTimes: 'nextDay', timezone: 'Europe/Berlin' },
}
const local: NotificationRecord = {
  ...scheduled,
  schedule: { sendAt: '2026-03-02 09:00', strategy: 'local', pastTimes: 'ignore' },
}
const preferred: NotificationRecord = { ...scheduled, schedule: { strategy: 'preferredHour' } }
const report: Omit<NotificationReport, 'notification'> = {
  dueInstants: [
    { at: AT, kind: 'send', zones: null, state: 'done' },
    { at: AT, kind: 'send', zones: ['Europe/Berlin'], state: 'due' },
  ],
  unknownZones: 0,
  counts: { audience: 3, pending: 0, accepted: 1, failed: 1, expired: 0, cancelled: 0, skipped: 1, unknown: 0 },
  failures: [{ kind: 'token_dead', reason: 'UNREGISTERED', count: 1 }],
  skips: [{ reason: 'quiet_hours', count: 1 }],
  expiries: [{ reason: 'missed', count: 1 }],
}

export const notificationAnswers = [sent, scheduled].map(presentNotification)
export const notificationPages = pagesOf('notifications', notificationAnswers)
export const acceptedAnswers = [
  presentAccepted({ notification: { ...sent, target: { kind: 'broadcast', exclude: [] } }, errors: {} }),
  ...[
    { unknownInstallIds: [UUID, 17] },
    { unsubscribedInstallIds: [UUID, 17] },
    { unknownUserIds: ['user-17', 17] },
    { unsubscribedUserIds: ['user-17', 17] },
  ].map((errors) =>
    presentAccepted({ notification: { ...scheduled, target: { kind: 'broadcast', exclude: [] } }, errors }),
  ),
]
export const reportAnswers = [sent, scheduled, local, preferred].map((notification) =>
  presentReport({ ...report, notification }),
)
export const upcomingAnswers = [
  { notifications: [scheduled, local, preferred].map((notification) => presentUpcoming({ notification, nextAt: AT })) },
]
export const installOpens = [[presentInstallOpen({ installId: UUID, openedAt: AT })]]
export const userOpens = [[presentUserOpen({ userId: 'user-17', openedAt: AT })]]

export const restraintAnswers = [
  presentRestraint({
    quiet: { from: 22 * 60, to: 7 * 60 },
    cap: { count: 5, hours: 24 },
    confirmAbove: 10_000,
    deviceChannels: 'public',
  }),
  presentRestraint({ quiet: null, cap: null, confirmAbove: null, deviceChannels: 'private' }),
]

export const starterAnswers = [{ starters: presentStarters({ rating: STARTERS.rating }) }]

const linkedPush = {
  id: 13,
  status: STATUS.sending,
  counts: { audience: 3, pending: 1, accepted: 2, failed: 0, expired: 0, cancelled: 0, skipped: 0, unknown: 0 },
  delivered: 1,
  opened: 1,
}
const inAppMessage: InAppMessage = {
  ...made,
  id: 9,
  source: SOURCE.messages,
  status: STATUS.sent,
  statusReason: null,
  filters: { broadcast: true },
  template: template.uid,
  templateVersion: 2,
  tagValues: { Title: 'Closed on Monday' },
  notification: { title: 'News', message: 'We are closed on Monday' },
  content: rendered,
  data: { key: 'value' },
  inbox: { title: 'News', subtitle: '', from: AT, to: AT + 86_400_000, imageUrl: 'https:…' },
  presentedWhen: 'immediately',
  ttlMs: 86_400_000,
  schedule: null,
  notificationId: 13,
  nextAt: null,
  withdrawnAt: null,
  recipients: 3,
  skipped: 0,
  delivered: 2,
  shown: 2,
  dismissed: 1,
  read: 1,
  inboxDeleted: 0,
  createdAt: AT,
  updatedAt: AT,
}
const waitingMessage: InAppMessage = {
  ...inAppMessage,
  id: 10,
  status: IN_APP_STATUS.withdrawn,
  statusReason: 'withdrawn on request',
  tagValues: {},
  notification: null,
  data: null,
  inbox: { title: 'News', subtitle: '' },
  presentedWhen: 'never',
  ttlMs: null,
  schedule: { strategy: 'timezone', sendAt: '2026-03-02 09:00', pastTimes: 'ignore', timezone: 'Europe/Berlin' },
  notificationId: null,
  nextAt: AT,
  withdrawnAt: AT,
}
const plainMessage: InAppMessage = { ...waitingMessage, inbox: null, schedule: { strategy: 'preferredHour' } }

export const acceptedMessages = [
  presentAcceptedMessage({ message: inAppMessage, errors: {}, target: null }),
  ...[
    { unknownInstallIds: [UUID, 17] },
    { unsubscribedInstallIds: [UUID, 17] },
    { unknownUserIds: ['user-17', 17] },
    { unsubscribedUserIds: ['user-17', 17] },
  ].map((errors) => presentAcceptedMessage({ message: waitingMessage, errors, target: null })),
]
export const inAppPages = pagesOf('messages', [inAppMessage, waitingMessage].map(presentMessage))
const synced: SyncedMessage = {
  id: 7,
  presentedWhen: 'immediately',
  content: { ver: 1 },
  data: { screen: 'offers' },
  inbox: { title: 'Hello', subtitle: '', from: AT, to: AT, imagePath: 'https:…' },
  expiresAt: AT,
  sentAt: AT,
  openedAt: AT,
  readAt: AT,
  inboxDeletedAt: AT,
  updatedAt: AT,
}
const plainSynced: SyncedMessage = {
  ...synced,
  data: null,
  inbox: { title: 'Hello', subtitle: '', from: null, to: null, imagePath: null },
  expiresAt: null,
  openedAt: null,
  readAt: null,
  inboxDeletedAt: null,
}
export const userMessageAnswers = [[synced, plainSynced, { ...plainSynced, inbox: null }].map(presentUserMessage)]
export const userTokens = [AT, null].map((expiresAt) =>
  presentUserToken({ identifier: 'anna', token: 'su1.…', expiresAt }),
)

export const inAppReports = [
  presentInAppReport({ message: inAppMessage, push: linkedPush }),
  ...[waitingMessage, plainMessage].map((message) => presentInAppReport({ message, push: null })),
]
