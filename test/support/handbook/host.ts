/**
 * A process that runs command lines for the shells of the handbook's test, one after the other: loading the program for each of some
 * hundred commands would take a minute. Called with a Unix socket to listen on. A shell posts the path of a directory that holds
 * `argv` (the working directory, then the words), `env` and `stdin`; it finds `stdout`, `stderr` and `code` there.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { runCommandLine } from '../../../src/cli/run.ts'
import { capture } from '../../cli/cli.ts'

const [socket] = process.argv.slice(2)

async function runIn(directory: string): Promise<void> {
  const words = (name: string) => readFileSync(join(directory, name), 'utf8').split('\0').slice(0, -1)
  const [folder, ...argv] = words('argv')
  const environment = Object.fromEntries(words('env').map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]))
  process.chdir(folder!)
  const stdout = capture(false)
  const stderr = capture(false)
  const stdin = createReadStream(join(directory, 'stdin'))
  const code = await runCommandLine(argv, { stdin, stdout: stdout.stream, stderr: stderr.stream, environment })
  stdin.destroy()
  writeFileSync(join(directory, 'stdout'), stdout.text())
  writeFileSync(join(directory, 'stderr'), stderr.text())
  writeFileSync(join(directory, 'code'), String(code))
}

let last: Promise<unknown> = Promise.resolve()
const server = createServer((request, response) => {
  last = last
    .then(async () => runIn(await text(request)))
    .then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    )
})
server.listen(socket, () => process.send?.('ready'))
process.once('disconnect', () => process.exit())
