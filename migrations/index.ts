import * as apps from './0001_apps.ts'
import * as crm from './0002_crm.ts'
import * as events from './0003_events.ts'
import * as gateways from './0004_gateways.ts'
import * as notifications from './0005_notifications.ts'
import * as channels from './0006_channels.ts'
import * as segments from './0007_segments.ts'
import * as geofences from './0008_geofences.ts'
import * as schedules from './0009_schedules.ts'
import * as restraint from './0010_restraint.ts'
import * as tables from './0011_tables.ts'
import * as deeplinks from './0012_deeplinks.ts'
import * as linkTaps from './0013_link_taps.ts'
import * as channelRemoval from './0014_channel_removal.ts'
import * as templates from './0015_templates.ts'
import * as inApp from './0016_in_app.ts'
import * as webPrompts from './0017_web_prompts.ts'
import * as deviceReports from './0018_device_reports.ts'
import * as signedUsers from './0019_signed_users.ts'
import * as gatewayNotices from './0020_gateway_notices.ts'
import * as growthIndexes from './0021_growth_indexes.ts'
import * as instance from './0022_instance.ts'
import * as callers from './0023_callers.ts'
import * as scopesAndConfirmation from './0024_scopes_and_confirmation.ts'
import * as afterCrash from './0025_after_crash.ts'

/** Every schema step in order, imported statically so that the packaged executable holds them. Never edit a released one. */
export const migrations = {
  '0001_apps': apps,
  '0002_crm': crm,
  '0003_events': events,
  '0004_gateways': gateways,
  '0005_notifications': notifications,
  '0006_channels': channels,
  '0007_segments': segments,
  '0008_geofences': geofences,
  '0009_schedules': schedules,
  '0010_restraint': restraint,
  '0011_tables': tables,
  '0012_deeplinks': deeplinks,
  '0013_link_taps': linkTaps,
  '0014_channel_removal': channelRemoval,
  '0015_templates': templates,
  '0016_in_app': inApp,
  '0017_web_prompts': webPrompts,
  '0018_device_reports': deviceReports,
  '0019_signed_users': signedUsers,
  '0020_gateway_notices': gatewayNotices,
  '0021_growth_indexes': growthIndexes,
  '0022_instance': instance,
  '0023_callers': callers,
  '0024_scopes_and_confirmation': scopesAndConfirmation,
  '0025_after_crash': afterCrash,
}
