/**
 * What `node dist/appsvc.cjs` and the packaged executable start with. Deliberately tiny: `--version` answers before the
 * program (several megabytes of JavaScript) is even read.
 */
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'

/** Put in by packaging/bundle.ts. */
declare const APPSVC_VERSION: string
declare const APPSVC_BUILD: string

const argv = process.argv.slice(2)
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  const runtime = `${process.platform}-${process.arch}, Node ${process.versions.node}`
  // A full disk behind a redirection must not look like a success; a reader that went away is no failure.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    process.stderr.write(`appsvc: the result could not be written: ${error.message}\n`)
    process.exitCode = 69
  })
  process.stdout.write(`appsvc ${APPSVC_VERSION} (build ${APPSVC_BUILD}, ${runtime})\n`)
} else {
  standInForAccount()
  createRequire(import.meta.url)('./cli.cjs')
}

/** oclif asks for home folder and shell when it is loaded, and a user id without an account (`docker run --user`) has neither. */
function standInForAccount(): void {
  try {
    userInfo()
  } catch {
    process.env.HOME ??= '/nonexistent'
    process.env.SHELL ??= '/bin/sh'
  }
}
