import { list, oneOf, shape, text } from '../../platform/parse.ts'

/** What a REST key may do in the data area. */
export const PERMISSIONS = ['create', 'read', 'update', 'delete'] as const
export type Permission = (typeof PERMISSIONS)[number]

/** A key of the data area. The key itself is shown once; the store has its digest. */
export interface RestKey {
  id: number
  appId: number
  name: string
  hint: string
  permissions: readonly Permission[]
  createdAt: number
  /** When it was used last, within an hour; null before its first use. */
  lastUsedAt: number | null
  revokedAt: number | null
}

/** What makes a key. */
export const createRestKey = shape({
  name: text({ max: 255, empty: true }),
  permissions: list(oneOf(PERMISSIONS), { min: 1, max: PERMISSIONS.length }).required(),
}).required()
