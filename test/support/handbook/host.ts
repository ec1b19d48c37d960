/**
 * A process that runs command lines for the shells of the handbook's test, one after the other: loading the program for each of some
 * hundred commands would take a minute. Called with a Unix socket to listen on. A shell posts how the paths of its files begin:
 * `.argv` (the working directory, then the words), `.env` and `.stdin`; it finds `.stdout`, `.stderr` and `.code` beside them.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { runCommandLine } from '../../../src/cli/run.ts'
import { capture } from '../../cli/cli.ts'

const [socket] = process.argv.slice(2)

async function run(job: string): Promise<void> {
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
  writeFileSync(`${job}.code`, `${code}\n`)
}

let last: Promise<unknown> = Promise.resolve()
const server = createServer((request, response) => {
  last = last
    .then(async () => run(await text(request)))
    .then(
      () => response.end(),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    )
})
server.listen(socket, () => process.send?.('ready'))
process.once('disconnect', () => process.exit())
