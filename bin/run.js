#!/usr/bin/env node
// The command line. Plain JavaScript that old versions of Node also read: where the machine's own node is older than what
// appsvc needs, the program runs in the Node that npm installed beside it (node_modules/node-linux-*).
import { readFileSync } from 'node:fs'

const WANTED = 24
const argv = process.argv.slice(2)

if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-v')) {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  // A full disk behind a redirection must not look like a success; a reader that went away is no failure.
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
