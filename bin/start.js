import { readdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bundle = join(root, 'dist', 'appsvc.cjs')

/**
 * Runs the command line from the bundle (`npm run build`) if it exists and no source is newer, otherwise from the sources.
 */
export async function start() {
  if (isFresh(bundle)) module.createRequire(import.meta.url)(bundle)
  else await startFromSources()
}

/** Node strips the types. The compile cache halves the start time. */
export async function startFromSources() {
  // Not the default directory, which is in /tmp where another user could have created it.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'compile'))
  standInForAccount()
  await import('../src/cli/main.ts')
}

/** Stands in for an account that a user id does not have (`docker run --user`): oclif, when loaded, reads its home directory and shell. */
function standInForAccount() {
  try {
    userInfo()
  } catch {
    process.env.HOME ??= '/nonexistent'
    process.env.SHELL ??= '/bin/sh'
  }
}

function isFresh(file) {
  const built = timeOf(file)
  return built !== undefined && !['src', 'migrations', 'package.json'].some((name) => hasNewer(join(root, name), built))
}

function hasNewer(path, than) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) return false
  if (!stat.isDirectory()) return stat.mtimeMs > than
  return readdirSync(path, { withFileTypes: true }).some((entry) =>
    entry.isDirectory() ? hasNewer(join(path, entry.name), than) : timeOf(join(path, entry.name)) > than,
  )
}

function timeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}
