import * as instance from './0101_instance.ts'
import * as certificates from './0102_certificates.ts'
import * as apps from './0103_apps.ts'
import * as admins from './0104_admins.ts'
import * as crm from './0105_crm.ts'
import * as consent from './0106_consent.ts'
import * as events from './0107_events.ts'
import * as gateways from './0108_gateways.ts'
import * as channels from './0109_channels.ts'
import * as segments from './0110_segments.ts'
import * as geofences from './0111_geofences.ts'
import * as notifications from './0112_notifications.ts'
import * as tables from './0113_tables.ts'
import * as links from './0114_links.ts'
import * as templates from './0115_templates.ts'
import * as inApp from './0116_in_app.ts'
import * as crashes from './0117_crashes.ts'
import * as checkins from './0118_checkins.ts'
import * as webhooks from './0119_webhooks.ts'
import * as metrics from './0120_metrics.ts'
import * as imports from './0121_imports.ts'
import * as erasures from './0122_erasures.ts'
import * as figures from './0123_figures.ts'
import * as smallPages from './0124_small_pages.ts'
import * as installRunsIn from './0125_install_runs_in.ts'
import * as series from './0126_series.ts'
import * as languageAttribute from './0127_language_attribute.ts'
import * as pushTemplates from './0128_push_templates.ts'
import * as languageCounts from './0129_language_counts.ts'
import * as inAppPersonal from './0130_in_app_personal.ts'
import * as seriesPushTemplate from './0132_series_push_template.ts'
import * as notificationEdited from './0133_notification_edited.ts'
import * as pictures from './0134_pictures.ts'
import * as installDays from './0136_install_days.ts'
import * as segmentSizes from './0141_segment_sizes.ts'
import * as load from './0143_load.ts'
import * as roomForUpdates from './0146_room_for_updates.ts'
import * as testSends from './0147_test_sends.ts'
import * as linkPages from './0148_link_pages.ts'
import * as labels from './0150_labels.ts'
import * as metricBackfill from './0151_metric_backfill.ts'
import * as eventPartitions from './0152_event_partitions.ts'
import * as manyNodes from './0153_many_nodes.ts'
import * as appSettings from './0154_app_settings.ts'
import * as inAppEdited from './0155_in_app_edited.ts'
import * as inAppByAge from './0156_in_app_by_age.ts'
import * as keysOfPages from './0157_keys_of_pages.ts'
import * as closedPages from './0158_closed_pages.ts'
import { replaces } from './former.ts'

/** Every schema step in order, imported statically so that the packaged executable holds them. Never edit a released one. */
export const migrations = {
  '0101_instance': instance,
  '0102_certificates': certificates,
  '0103_apps': apps,
  '0104_admins': admins,
  '0105_crm': crm,
  '0106_consent': consent,
  '0107_events': events,
  '0108_gateways': gateways,
  '0109_channels': channels,
  '0110_segments': segments,
  '0111_geofences': geofences,
  '0112_notifications': notifications,
  '0113_tables': tables,
  '0114_links': links,
  '0115_templates': templates,
  '0116_in_app': inApp,
  '0117_crashes': crashes,
  '0118_checkins': checkins,
  '0119_webhooks': webhooks,
  '0120_metrics': metrics,
  '0121_imports': imports,
  '0122_erasures': erasures,
  '0123_figures': { ...figures, replaces },
  '0124_small_pages': smallPages,
  '0125_install_runs_in': installRunsIn,
  '0126_series': series,
  '0127_language_attribute': languageAttribute,
  '0128_push_templates': pushTemplates,
  '0129_language_counts': languageCounts,
  '0130_in_app_personal': inAppPersonal,
  '0132_series_push_template': seriesPushTemplate,
  '0133_notification_edited': notificationEdited,
  '0134_pictures': pictures,
  '0136_install_days': installDays,
  '0141_segment_sizes': segmentSizes,
  '0143_load': load,
  '0146_room_for_updates': roomForUpdates,
  '0147_test_sends': testSends,
  '0148_link_pages': linkPages,
  '0150_labels': labels,
  '0151_metric_backfill': metricBackfill,
  '0152_event_partitions': eventPartitions,
  '0153_many_nodes': manyNodes,
  '0154_app_settings': appSettings,
  '0155_in_app_edited': inAppEdited,
  '0156_in_app_by_age': inAppByAge,
  '0157_keys_of_pages': keysOfPages,
  '0158_closed_pages': closedPages,
}
