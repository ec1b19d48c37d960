import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const DIRECTORY = resolve(import.meta.dirname, '../../build/peers')
/** Other products that are measured beside us. They are no dependencies of ours. */
const PACKAGES = { 'parse-server': '9.10.0', '@parse/node-apn': '8.1.0', 'web-push': '3.6.7' }

/** Installs the packages from the npm registry, once for each checkout. Throws when npm fails. */
export function installPeers(): void {
  const description = JSON.stringify({ private: true, type: 'module', dependencies: PACKAGES })
  if (existsSync(join(DIRECTORY, 'node_modules/web-push'))) return
  mkdirSync(DIRECTORY, { recursive: true })
  writeFileSync(join(DIRECTORY, 'package.json'), description)
  const argv = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', argv, { cwd: DIRECTORY, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`npm could not install ${Object.keys(PACKAGES).join(', ')}`)
}

/** Loads one of the installed packages. */
export async function loadPeer<T>(name: keyof typeof PACKAGES): Promise<T> {
  const { resolve: find } = createRequire(join(DIRECTORY, 'package.json'))
  return (await import(pathToFileURL(find(name)).href)) as T
}
