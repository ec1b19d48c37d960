import { crmRoutes } from './api/crm.ts'
import { gatewayRoutes } from './api/gateways.ts'
import { notificationRoutes } from './api/notifications.ts'
import { restraintRoutes } from './api/restraint.ts'
import { eventRoutes } from './device/events.ts'
import { installRoutes } from './device/installs.ts'
import type { Route } from './route.ts'

/** The whole URL table. Which area a route is for stands in its declaration. */
export const routes: readonly Route[] = [
  ...crmRoutes,
  ...notificationRoutes,
  ...gatewayRoutes,
  ...restraintRoutes,
  ...eventRoutes,
  ...installRoutes,
]
