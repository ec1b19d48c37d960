import { integer, shape, text } from '../../platform/parse.ts'

/** Name of an app: shown to operators only. */
export const appName = text({ max: 255 })

export const createApp = shape({ name: appName.required(), accountId: integer({ min: 1 }) })
