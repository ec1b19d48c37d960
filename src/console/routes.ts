import { HeartPulse, History, House, UsersRound } from 'lucide'
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
