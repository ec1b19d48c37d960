import type { Answer } from '../../api/client.ts'
import type { AppItem } from '../../state/session.ts'

/** A person who may use the console. */
export type Person = Answer<'/admin/v1/admins'>['items'][number]

/** A role in an app, or with `appId` null in the whole server. */
export interface GivenRole {
  appId: number | null
  role: 'viewer' | 'marketer' | 'operator' | 'owner'
}

/** Roles with their rights, the smallest first. */
export const ROLES = [
  { value: 'viewer', label: 'Viewer', about: 'Sees everything but personal data.' },
  { value: 'marketer', label: 'Marketer', about: 'Sends, and keeps segments, templates, channels and links.' },
  {
    value: 'operator',
    label: 'Operator',
    about: 'Keeps gateways and keys, and the health of the server. Exports and erases people.',
  },
  { value: 'owner', label: 'Owner', about: 'All of it, and invites others.' },
] as const

/** "Marketer of Bakery", "Owner of the server". */
export function roleLabel({ appId, role }: { appId: number | null; role: string }, apps: readonly AppItem[]): string {
  const word = ROLES.find(({ value }) => value === role)?.label ?? role
  if (appId === null) return `${word} of the server`
  return `${word} of ${apps.find(({ id }) => id === appId)?.name ?? `app ${appId}`}`
}

/** `--role marketer:1`, as the command line writes roles. */
export const roleFlags = (roles: readonly GivenRole[]): string[] =>
  roles.flatMap(({ appId, role }) => ['--role', appId === null ? role : `${role}:${appId}`])
