import { approvalRoutes } from './admin/approvals.ts'
import { appRoutes } from './admin/apps.ts'
import { audienceRoutes } from './admin/audience.ts'
import { adminBannerRoutes } from './admin/banners.ts'
import { adminCheckinRoutes } from './admin/checkins.ts'
import { commandRoutes } from './admin/commands.ts'
import { composeRoutes } from './admin/compose.ts'
import { composeInAppRoutes } from './admin/compose-in-app.ts'
import { adminCrashRoutes } from './admin/crashes.ts'
import { deliveryRoutes } from './admin/deliveries.ts'
import { gatewayScreenRoutes } from './admin/gateways.ts'
import { healthRoutes } from './admin/health.ts'
import { keyRoutes } from './admin/keys.ts'
import { adminLinkRoutes } from './admin/links.ts'
import { mapRoutes } from './admin/map.ts'
import { meRoutes } from './admin/me.ts'
import { operatingRoutes } from './admin/operating.ts'
import { peopleRoutes } from './admin/people.ts'
import { profileRoutes } from './admin/profiles.ts'
import { adminPromptRoutes } from './admin/prompts.ts'
import { sessionRoutes } from './admin/session.ts'
import { signInRoutes } from './admin/sign-in.ts'
import { tableRoutes } from './admin/tables.ts'
import { twinRoutes } from './admin/twins.ts'
import { userFileRoutes } from './admin/user-files.ts'
import { webhookScreenRoutes } from './admin/webhooks.ts'
import { channelRoutes } from './api/channels.ts'
import { consentRoutes } from './api/consent.ts'
import { crmRoutes } from './api/crm.ts'
import { eventLogRoutes } from './api/events.ts'
import { gatewayRoutes } from './api/gateways.ts'
import { geofenceRoutes } from './api/geofences.ts'
import { inAppRoutes } from './api/in-app.ts'
import { labelRoutes } from './api/labels.ts'
import { linkRoutes } from './api/links.ts'
import { metricRoutes } from './api/metrics.ts'
import { notificationRoutes } from './api/notifications.ts'
import { pictureRoutes } from './api/pictures.ts'
import { pushTemplateRoutes } from './api/push-templates.ts'
import { restraintRoutes } from './api/restraint.ts'
import { scheduleRoutes } from './api/schedules.ts'
import { segmentRoutes } from './api/segments.ts'
import { seriesRoutes } from './api/series.ts'
import { dataRoutes } from './api/tables.ts'
import { templateRoutes } from './api/templates.ts'
import { webhookRoutes } from './api/webhooks.ts'
import { deviceChannelRoutes } from './device/channels.ts'
import { checkinRoutes } from './device/checkins.ts'
import { crashRoutes } from './device/crashes.ts'
import { eventRoutes } from './device/events.ts'
import { installRoutes } from './device/installs.ts'
import { deviceLinkRoutes } from './device/links.ts'
import { deviceMessageRoutes } from './device/messages.ts'
import { devicePurposeRoutes } from './device/purposes.ts'
import { rpcRoutes } from './device/rpc.ts'
import { safariRoutes } from './device/safari.ts'
import { webConfigRoutes } from './device/web-config.ts'
import type { Route } from './routing/route.ts'

/** The whole URL table. Which area a route is for stands in its declaration. */
export const routes: readonly Route[] = [
  ...crmRoutes,
  ...consentRoutes,
  ...dataRoutes,
  ...notificationRoutes,
  ...scheduleRoutes,
  ...pushTemplateRoutes,
  ...pictureRoutes,
  ...inAppRoutes,
  ...seriesRoutes,
  ...labelRoutes,
  ...gatewayRoutes,
  ...channelRoutes,
  ...segmentRoutes,
  ...templateRoutes,
  ...geofenceRoutes,
  ...linkRoutes,
  ...restraintRoutes,
  ...webhookRoutes,
  ...eventLogRoutes,
  ...metricRoutes,
  ...eventRoutes,
  ...installRoutes,
  ...deviceChannelRoutes,
  ...devicePurposeRoutes,
  ...deviceMessageRoutes,
  ...deviceLinkRoutes,
  ...webConfigRoutes,
  ...safariRoutes,
  ...crashRoutes,
  ...checkinRoutes,
  ...rpcRoutes,
  ...signInRoutes,
  ...sessionRoutes,
  ...meRoutes,
  ...peopleRoutes,
  ...commandRoutes,
  ...appRoutes,
  ...userFileRoutes,
  ...profileRoutes,
  ...adminCrashRoutes,
  ...adminCheckinRoutes,
  ...healthRoutes,
  ...operatingRoutes,
  ...audienceRoutes,
  ...mapRoutes,
  ...tableRoutes,
  ...composeRoutes,
  ...composeInAppRoutes,
  ...approvalRoutes,
  ...deliveryRoutes,
  ...gatewayScreenRoutes,
  ...keyRoutes,
  ...webhookScreenRoutes,
  ...adminLinkRoutes,
  ...adminBannerRoutes,
  ...adminPromptRoutes,
  ...twinRoutes,
]
