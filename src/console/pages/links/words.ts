import type { Answer } from '../../api/client.ts'

export type Link = Answer<'/admin/v1/apps/{appId}/deep-links/{id}'>
export type LinkSettings = Answer<'/admin/v1/apps/{appId}/link-settings'>

/** States of a link as badges. */
export const STATES: Record<Link['state'], { label: string; tone: 'good' | 'warn' | 'quiet' }> = {
  active: { label: 'Active', tone: 'good' },
  expired: { label: 'Expired', tone: 'warn' },
  'over limit': { label: 'Used up', tone: 'warn' },
  disabled: { label: 'Off', tone: 'quiet' },
}

const ROUTES: Record<string, string> = {
  jumpPage: 'Jump page',
  playStore: 'Google Play',
  mobileWeb: 'Page for phones',
  desktopWeb: 'Page for computers',
  desktopCode: 'QR code for computers',
  banner: 'Banner on a web page',
  direct: 'Straight into the app',
  deferred: 'First start after installing',
  fingerprint: 'First start, a similar device',
  unknown: 'Unknown',
}

export const routeName = (name: string): string => ROUTES[name] ?? name

/** `https://go.example.com/spring` -> `go.example.com/spring` */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** The name that people know a link by. */
export const nameOf = ({ content, slug }: Pick<Link, 'content' | 'slug'>): string => content.title ?? slug
