/** The areas of src/domain. An area imports only areas to its left. */
export const AREAS: readonly string[] =
  'apps admins gateways statistics load pictures crm consent events followers metrics nats crashes checkins tables personalization templates links certificates channels imports segments geofences audience schedules labels in-app notifications push-templates series approvals webhooks sandbox erasures profiles backups db-copy rotation'.split(
    ' ',
  )
