import type { LogQuery } from './types.ts'

/**
 * The stored type of a page of a notification that closed. No event of a device or a server has it: theirs are not
 * empty.
 */
export const STORED_PAGE = ''

/** The type that readers see instead. */
export const PAGE_TYPE = 'notification.page'

/** Tells whether a reader gets events of a stored type. */
export function wants({ types, deliveries = false }: Pick<LogQuery, 'types' | 'deliveries'>, stored: string): boolean {
  return stored === STORED_PAGE ? deliveries : types === undefined || types.includes(stored)
}
