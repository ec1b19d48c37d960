import { signal } from '@preact/signals'
import type { IconNode } from 'lucide'
import type { ComponentType } from 'preact'
import type { Right } from './session.ts'

/** Properties of a page. */
export interface PageProps {
  /** The parts of the address that its pattern names. */
  params: Record<string, string>
  /** `:appId` of the address as a number; 0 where the pattern has none. */
  appId: number
}

/** The groups of the navigation, in order. Pages of the whole server stand in `server`, and only they. */
export const NAV_GROUPS = {
  overview: '',
  send: 'Send',
  audience: 'Audience',
  content: 'Content',
  app: 'App',
  server: 'Server',
} as const
export type NavGroup = keyof typeof NAV_GROUPS

/** A page of the console. */
export interface PageRoute {
  /** Pattern of the address below `/console`: `/apps/:appId/users/:userId`. */
  path: string
  /** Right that the page needs; `nobody`: no sign-in, and no navigation around the page. */
  right: Right | 'nobody'
  /** Entry in the navigation. Pages that are reached from another page have none. */
  nav?: {
    group: NavGroup
    label: string
    icon: IconNode
    /** The second key behind `g`. */
    key?: string
  }
  /** Hides the page from everybody but tests and developers, who add `?gallery` to the address. */
  isHidden?: true
  load(): Promise<{ default: ComponentType<PageProps> }>
}

/** The heading of the page that is open, for the title of the window. */
export const pageTitle = signal('')

/** Every page there is; the shell tells. For links to pages that may not be there. */
export const allPages = signal<readonly PageRoute[]>([])
