import {
  Filter,
  HeartPulse,
  History,
  House,
  LayoutTemplate,
  MapPin,
  MessageSquareText,
  Send,
  Table2,
  Tags,
  UsersRound,
} from 'lucide'
import type { PageRoute } from './shell/page.ts'

/**
 * Every page of the console. Each is a script of its own, which is loaded when somebody opens it. The order is that of the
 * navigation within its group.
 */
export const ROUTES: readonly PageRoute[] = [
  { path: '/', right: 'self', load: () => import('./pages/home/start.tsx') },
  {
    path: '/apps/:appId',
    right: 'see',
    nav: { group: 'overview', label: 'Home', icon: House, key: 'h' },
    load: () => import('./pages/home/home.tsx'),
  },
  {
    path: '/apps/:appId/segments',
    right: 'see',
    nav: { group: 'audience', label: 'Segments', icon: Filter, key: 's' },
    load: () => import('./pages/segments/segments.tsx'),
  },
  { path: '/apps/:appId/segments/new', right: 'campaign', load: () => import('./pages/segments/new.tsx') },
  { path: '/apps/:appId/segments/:segmentId', right: 'see', load: () => import('./pages/segments/segment.tsx') },
  {
    path: '/apps/:appId/channels',
    right: 'see',
    nav: { group: 'audience', label: 'Channels', icon: Tags, key: 'c' },
    load: () => import('./pages/channels/channels.tsx'),
  },
  { path: '/apps/:appId/channels/new', right: 'campaign', load: () => import('./pages/channels/new.tsx') },
  { path: '/apps/:appId/channels/:channelId', right: 'see', load: () => import('./pages/channels/channel.tsx') },
  {
    path: '/apps/:appId/geofences',
    right: 'see',
    nav: { group: 'audience', label: 'Geofences', icon: MapPin, key: 'g' },
    load: () => import('./pages/geofences/geofences.tsx'),
  },
  { path: '/apps/:appId/geofences/new', right: 'campaign', load: () => import('./pages/geofences/geofence.tsx') },
  { path: '/apps/:appId/geofences/:geofenceId', right: 'see', load: () => import('./pages/geofences/geofence.tsx') },
  {
    path: '/apps/:appId/tables',
    right: 'see',
    nav: { group: 'content', label: 'Tables', icon: Table2, key: 't' },
    load: () => import('./pages/tables/tables.tsx'),
  },
  { path: '/apps/:appId/tables/new', right: 'operate', load: () => import('./pages/tables/new-table.tsx') },
  { path: '/apps/:appId/tables/:tableAlias', right: 'see', load: () => import('./pages/tables/table.tsx') },
  {
    path: '/apps/:appId/tables/:tableAlias/import',
    right: 'campaign',
    load: () => import('./pages/tables/import.tsx'),
  },
  { path: '/apps/:appId/tables/:tableAlias/columns', right: 'see', load: () => import('./pages/tables/columns.tsx') },
  {
    path: '/apps/:appId/in-app',
    right: 'see',
    nav: { group: 'send', label: 'In-app messages', icon: MessageSquareText, key: 'i' },
    load: () => import('./pages/in-app/messages.tsx'),
  },
  { path: '/apps/:appId/in-app/new', right: 'campaign', load: () => import('./pages/in-app/compose.tsx') },
  { path: '/apps/:appId/in-app/:messageId', right: 'see', load: () => import('./pages/in-app/message.tsx') },
  {
    path: '/apps/:appId/templates',
    right: 'see',
    nav: { group: 'send', label: 'Templates', icon: LayoutTemplate, key: 't' },
    load: () => import('./pages/templates/templates.tsx'),
  },
  { path: '/apps/:appId/templates/:uid', right: 'see', load: () => import('./pages/templates/template.tsx') },
  {
    path: '/apps/:appId/push/new',
    right: 'campaign',
    nav: { group: 'send', label: 'Compose a push', icon: Send, key: 'p' },
    load: () => import('./pages/push/compose.tsx'),
  },
  { path: '/apps/:appId/push/approvals', right: 'see', load: () => import('./pages/push/approvals.tsx') },
  {
    path: '/health',
    right: 'operate',
    nav: { group: 'server', label: 'Health', icon: HeartPulse, key: 'e' },
    load: () => import('./pages/health/health.tsx'),
  },
  {
    path: '/people',
    right: 'own',
    nav: { group: 'server', label: 'People', icon: UsersRound, key: 'p' },
    load: () => import('./pages/people/people.tsx'),
  },
  {
    path: '/audit',
    right: 'own',
    nav: { group: 'server', label: 'Audit log', icon: History, key: 'a' },
    load: () => import('./pages/audit/audit.tsx'),
  },
  { path: '/new-app', right: 'own', load: () => import('./pages/new-app/new-app.tsx') },
  { path: '/account', right: 'self', load: () => import('./pages/account/account.tsx') },
  { path: '/setup', right: 'nobody', load: () => import('./pages/setup/setup.tsx') },
  { path: '/link', right: 'nobody', load: () => import('./pages/setup/link.tsx') },
  { path: '/gallery', right: 'self', isHidden: true, load: () => import('./pages/gallery/gallery.tsx') },
]
