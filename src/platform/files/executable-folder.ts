/**
 * A folder where the packaged executable may put its native code when no temporary folder allows execution
 * (packaging/sqlite-addon.ts): the data directory, which is known from the settings. Set before a database is opened.
 */
let folder: string | undefined

export function offerExecutableFolder(path: string): void {
  folder = path
}

export function executableFolder(): string | undefined {
  return folder
}
