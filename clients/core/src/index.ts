/** The device protocol without an environment: what every client of appsvc sends and reads. */
export * from './events.ts'
export * from './ids.ts'
export * from './messages.ts'
export * from './paths.ts'
export * from './push.ts'
export * from './retry.ts'
export * from './triggers.ts'
