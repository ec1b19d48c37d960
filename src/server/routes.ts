import { channelRoutes } from './api/channels.ts'
import { crmRoutes } from './api/crm.ts'
import { gatewayRoutes } from './api/gateways.ts'
import { geofenceRoutes } from './api/geofences.ts'
import { notificationRoutes } from './api/notifications.ts'
import { restraintRoutes } from './api/restraint.ts'
import { scheduleRoutes } from './api/schedules.ts'
import { segmentRoutes } from './api/segments.ts'
import { deviceChannelRoutes } from './device/channels.ts'
import { eventRoutes } from './device/events.ts'
import { installRoutes } from './device/installs.ts'
import type { Route } from './route.ts'

/** The whole URL table. Which area a route is for stands in its declaration. */
export const routes: readonly Route[] = [
  ...crmRoutes,
  ...notificationRoutes,
  ...scheduleRoutes,
  ...gatewayRoutes,
  ...channelRoutes,
  ...segmentRoutes,
  ...geofenceRoutes,
  ...restraintRoutes,
  ...eventRoutes,
  ...installRoutes,
  ...deviceChannelRoutes,
]
