#!/usr/bin/env node
// Entry point of the command line. This is plain JavaScript, because old versions of Node must be able to read it: if the machine's
// Node is too old, the program runs in the one that npm installed (node_modules/node-linux-*).
import { readFileSync } from 'node:fs'

const WANTED = 24
const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  // Output to a full disk must not look like a success; a closed pipe is not a failure.
  process.stdout.on('error', (error) => {
    if (error.code === 'EPIPE') return
    process.stderr.write(`appsvc: the result could not be written: ${error.message}\n`)
    process.exitCode = 69
  })
  process.stdout.write(`appsvc ${version}\n`)
} else if (Number(process.versions.node.split('.')[0]) >= WANTED) {
  const { start } = await import('./start.js')
  await start()
} else {
  const { runInOwnNode } = await import('./own-node.js')
  runInOwnNode(WANTED)
}
