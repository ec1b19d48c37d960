import { House, Send } from 'lucide'
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
    path: '/apps/:appId/push/new',
    right: 'campaign',
    nav: { group: 'send', label: 'Compose a push', icon: Send, key: 'p' },
    load: () => import('./pages/push/compose.tsx'),
  },
  { path: '/apps/:appId/push/approvals', right: 'see', load: () => import('./pages/push/approvals.tsx') },
  { path: '/new-app', right: 'own', load: () => import('./pages/new-app/new-app.tsx') },
  { path: '/account', right: 'self', load: () => import('./pages/account/account.tsx') },
  { path: '/setup', right: 'nobody', load: () => import('./pages/setup/setup.tsx') },
  { path: '/link', right: 'nobody', load: () => import('./pages/setup/link.tsx') },
  { path: '/gallery', right: 'self', isHidden: true, load: () => import('./pages/gallery/gallery.tsx') },
]
