import { readdirSync, statSync } from 'node:fs'
import module from 'node:module'
import { userInfo } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const bundle = join(root, 'dist', 'appsvc.cjs')

/**
 * Runs the command line: from the bundle (`npm run build`) when it is there and no source is newer, else from the sources.
 * A stale bundle is never run.
 */
export async function start() {
  if (isFresh(bundle)) module.createRequire(import.meta.url)(bundle)
  else await startFromSources()
}

/** Node strips the types; what it made of the sources is kept, which halves the time to start. */
export async function startFromSources() {
  // Not the default place: that is a directory in /tmp which other users could have prepared.
  module.enableCompileCache(join(root, 'node_modules', '.cache', 'compile'))
  standInForAccount()
  await import('../src/cli/main.ts')
}

/** oclif asks for home folder and shell when it is loaded, and a user id without an account (`docker run --user`) has neither. */
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
