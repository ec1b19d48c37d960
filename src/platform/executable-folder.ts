/**
 * A folder of our own where the packaged executable may put its native code when no temporary folder takes it
 * (packaging/sqlite-addon.ts): the data directory, which only the settings know. Told before a database is opened.
 */
let folder: string | undefined

export function offerExecutableFolder(path: string): void {
  folder = path
}

export function executableFolder(): string | undefined {
  return folder
}
