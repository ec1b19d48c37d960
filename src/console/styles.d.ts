/** Style sheets are imported for their effect: esbuild puts them into one file. */
declare module '*.css' {}

/** The news of CHANGELOG.md, which src/server/console/build.ts puts in. */
declare module 'release-notes' {
  export const NEWS: readonly string[]
}
/** The version of the program. */
declare const APPSVC_VERSION: string
