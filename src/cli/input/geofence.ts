import { textArg } from '../kinds/base.ts'

/** The arguments of commands about one geofence. */
export const geofenceArgs = {
  app: textArg({ required: true, description: 'id or name of the app' }),
  id: textArg({ required: true, description: 'id of the geofence' }),
}
