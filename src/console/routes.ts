import { House, Link2, PanelBottom } from 'lucide'
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
    path: '/apps/:appId/links',
    right: 'see',
    nav: { group: 'content', label: 'Links', icon: Link2, key: 'l' },
    load: () => import('./pages/links/links.tsx'),
  },
  { path: '/apps/:appId/links/new', right: 'campaign', load: () => import('./pages/links/new-link.tsx') },
  { path: '/apps/:appId/links/settings', right: 'see', load: () => import('./pages/links/settings.tsx') },
  { path: '/apps/:appId/links/:linkId', right: 'see', load: () => import('./pages/links/link.tsx') },
  { path: '/apps/:appId/links/:linkId/edit', right: 'campaign', load: () => import('./pages/links/edit-link.tsx') },
  {
    path: '/apps/:appId/banners',
    right: 'see',
    nav: { group: 'content', label: 'Banners and prompts', icon: PanelBottom },
    load: () => import('./pages/banners/banners.tsx'),
  },
  { path: '/apps/:appId/banners/new', right: 'campaign', load: () => import('./pages/banners/new-banner.tsx') },
  { path: '/apps/:appId/banners/:bannerUuid', right: 'see', load: () => import('./pages/banners/banner.tsx') },
  { path: '/apps/:appId/banners/prompts/new', right: 'campaign', load: () => import('./pages/banners/new-prompt.tsx') },
  { path: '/apps/:appId/banners/prompts/:promptName', right: 'see', load: () => import('./pages/banners/prompt.tsx') },
  { path: '/new-app', right: 'own', load: () => import('./pages/new-app/new-app.tsx') },
  { path: '/account', right: 'self', load: () => import('./pages/account/account.tsx') },
  { path: '/setup', right: 'nobody', load: () => import('./pages/setup/setup.tsx') },
  { path: '/link', right: 'nobody', load: () => import('./pages/setup/link.tsx') },
  { path: '/gallery', right: 'self', isHidden: true, load: () => import('./pages/gallery/gallery.tsx') },
]
