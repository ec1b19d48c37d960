/**
 * A process that runs command lines for the shells of the handbook's test, one after the other: loading the program for each of some
 * hundred commands would take a minute. It listens on a port of this machine, which it tells its parent: what a shell connects to without another
 * program. A shell writes a line, how the paths of its files begin: `.argv` (the working directory, then the words), `.env` and `.stdin`. It reads a
 * line, the exit code, and finds `.stdout` and `.stderr` beside them.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { runCommandLine } from '../../../src/cli/run.ts'
import { capture } from '../../cli/cli.ts'

async function run(job: string): Promise<number> {
  const words = (name: string) => readFileSync(`${job}.${name}`, 'utf8').split('\0').slice(0, -1)
  const [folder, ...argv] = words('argv')
  const environment = Object.fromEntries(words('env').map((one) => one.split(/=(.*)/s).slice(0, 2) as [string, string]))
  process.chdir(folder!)
  const stdout = capture(false)
  const stderr = capture(false)
  const stdin = createReadStream(`${job}.stdin`)
  const code = await runCommandLine(argv, { stdin, stdout: stdout.stream, stderr: stderr.stream, environment })
  stdin.destroy()
  writeFileSync(`${job}.stdout`, stdout.text())
  writeFileSync(`${job}.stderr`, stderr.text())
  return code
}

let last: Promise<unknown> = Promise.resolve()
const server = createServer((socket) => {
  // A shell that was killed does not hear of it.
  socket.on('error', () => {})
  createInterface({ input: socket }).once('line', (job) => {
    last = last
      .then(async () => run(job))
      .then(
        (code) => socket.end(`${code}\n`),
        (error: unknown) => {
          console.error(error)
          socket.end()
        },
      )
  })
})
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.once('disconnect', () => process.exit())
