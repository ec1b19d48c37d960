import * as row from './rows.ts'

/** The row of labels in the form of a send. */
export const LABELS = row.list('labels', 'Labels', { empty: 'absent', placeholder: 'autumn-2026, shop' })
