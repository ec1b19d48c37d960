import { House, KeyRound, RadioTower, Webhook } from 'lucide'
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
    path: '/apps/:appId/gateways',
    right: 'see',
    nav: { group: 'server', label: 'Gateways', icon: RadioTower, key: 'w' },
    load: () => import('./pages/gateways/gateways.tsx'),
  },
  {
    path: '/apps/:appId/gateways/:platform',
    right: 'operate',
    load: () => import('./pages/gateways/gateway.tsx'),
  },
  {
    path: '/apps/:appId/keys',
    right: 'operate',
    nav: { group: 'server', label: 'Keys', icon: KeyRound, key: 'k' },
    load: () => import('./pages/keys/keys.tsx'),
  },
  {
    path: '/apps/:appId/webhooks',
    right: 'operate',
    nav: { group: 'server', label: 'Webhooks', icon: Webhook },
    load: () => import('./pages/webhooks/webhooks.tsx'),
  },
  {
    path: '/apps/:appId/webhooks/:webhookId',
    right: 'operate',
    load: () => import('./pages/webhooks/webhook.tsx'),
  },
  { path: '/new-app', right: 'own', load: () => import('./pages/new-app/new-app.tsx') },
  { path: '/account', right: 'self', load: () => import('./pages/account/account.tsx') },
  { path: '/setup', right: 'nobody', load: () => import('./pages/setup/setup.tsx') },
  { path: '/link', right: 'nobody', load: () => import('./pages/setup/link.tsx') },
  { path: '/gallery', right: 'self', isHidden: true, load: () => import('./pages/gallery/gallery.tsx') },
]
