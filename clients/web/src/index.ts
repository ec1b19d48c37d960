import type { Appsvc } from './api.ts'
import { start } from './start.ts'

export type * from './api.ts'

/** The version of the server that this client belongs to; the build writes it. */
declare const APPSVC_VERSION: string

export const appsvc: Appsvc = { start: (options) => start(options, APPSVC_VERSION), version: APPSVC_VERSION }
