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
import * as failureCounts from './0026_failure_counts.ts'
import * as keptCounts from './0027_kept_counts.ts'
import * as eventLog from './0028_event_log.ts'
import * as webhooks from './0029_webhooks.ts'
import * as installKind from './0030_install_kind.ts'
import * as consent from './0031_consent.ts'
import * as erasures from './0032_erasures.ts'
import * as queries from './0033_queries.ts'
import * as attributesAt from './0034_attributes_at.ts'
import * as metrics from './0035_metrics.ts'
import * as deliveries from './0036_deliveries.ts'
import * as excludedUsers from './0037_excluded_users.ts'
import * as linkIcon from './0038_link_icon.ts'
import * as imports from './0039_imports.ts'
import * as nodes from './0040_nodes.ts'
import * as pepper from './0041_pepper.ts'
import * as certificates from './0042_certificates.ts'
import * as admins from './0043_admins.ts'
import * as figures from './0044_figures.ts'
import * as compose from './0045_compose.ts'
import * as profiles from './0046_profiles.ts'
import * as cheaperCounts from './0049_cheaper_counts.ts'
import * as erasedDevices from './0050_erased_devices.ts'
import * as signInTries from './0051_sign_in_tries.ts'
import * as decidedWhenSent from './0060_decided_when_sent.ts'

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
  '0026_failure_counts': failureCounts,
  '0027_kept_counts': keptCounts,
  '0028_event_log': eventLog,
  '0029_webhooks': webhooks,
  '0030_install_kind': installKind,
  '0031_consent': consent,
  '0032_erasures': erasures,
  '0033_queries': queries,
  '0034_attributes_at': attributesAt,
  '0035_metrics': metrics,
  '0036_deliveries': deliveries,
  '0037_excluded_users': excludedUsers,
  '0038_link_icon': linkIcon,
  '0039_imports': imports,
  '0040_nodes': nodes,
  '0041_pepper': pepper,
  '0042_certificates': certificates,
  '0043_admins': admins,
  '0044_figures': figures,
  '0045_compose': compose,
  '0046_profiles': profiles,
  '0049_cheaper_counts': cheaperCounts,
  '0050_erased_devices': erasedDevices,
  '0051_sign_in_tries': signInTries,
  '0060_decided_when_sent': decidedWhenSent,
}
