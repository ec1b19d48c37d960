/**
 * Entry point of `node dist/appsvc.cjs` and of the packaged executable. It is small so that `--version` does not load the program,
 * which is several megabytes of JavaScript.
 */
import { userInfo } from 'node:os'
import { load } from './programs/load.ts'

/** Defined by packaging/bundle.ts. */
declare const APPSVC_VERSION: string
declare const APPSVC_BUILD: string
declare const APPSVC_NODE: number

/** `EX_UNAVAILABLE` of sysexits.h. */
const UNAVAILABLE = 69

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  const runtime = `${process.platform}-${process.arch}, Node ${process.versions.node}`
  // Output to a full disk must not look like a success; a closed pipe is not a failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.stderr.write(`appsvc: the result could not be written: ${error.message}\n`)
    process.exitCode = UNAVAILABLE
  })
  process.stdout.write(`appsvc ${APPSVC_VERSION} (build ${APPSVC_BUILD}, ${runtime})\n`)
} else if (Number.parseInt(process.versions.node, 10) < APPSVC_NODE) {
  // The executable has a Node of its own.
  process.stderr.write(
    `appsvc needs Node ${APPSVC_NODE} or newer; this is Node ${process.versions.node}: install a newer one, or use the executable, which needs none\n`,
  )
  process.exitCode = UNAVAILABLE
} else {
  standInForAccount()
  load('cli')
}

/** Stands in for an account that a user id does not have (`docker run --user`): oclif, when loaded, reads its home directory and shell. */
function standInForAccount(): void {
  try {
    userInfo()
  } catch {
    process.env.HOME ??= '/nonexistent'
    process.env.SHELL ??= '/bin/sh'
  }
}
