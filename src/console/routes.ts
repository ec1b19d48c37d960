import { Bug, HeartPulse, History, House, MapPinCheck, Users, UsersRound } from 'lucide'
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
    path: '/apps/:appId/users',
    right: 'see',
    nav: { group: 'audience', label: 'Users', icon: Users, key: 'u' },
    load: () => import('./pages/users/users.tsx'),
  },
  { path: '/apps/:appId/users/:profileId', right: 'see', load: () => import('./pages/users/user.tsx') },
  {
    path: '/apps/:appId/crashes',
    right: 'see',
    nav: { group: 'content', label: 'Crashes', icon: Bug },
    load: () => import('./pages/crashes/crashes.tsx'),
  },
  { path: '/apps/:appId/crashes/:crashId', right: 'see', load: () => import('./pages/crashes/crash.tsx') },
  {
    path: '/apps/:appId/checkins',
    right: 'see',
    nav: { group: 'audience', label: 'Check-ins', icon: MapPinCheck },
    load: () => import('./pages/checkins/checkins.tsx'),
  },
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
