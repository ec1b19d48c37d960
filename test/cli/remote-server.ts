import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCommandRunner } from '../../src/cli/remote/runner.ts'
import { runCommandLine } from '../../src/cli/run.ts'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { silentLog } from '../../src/platform/log/log.ts'
import type { Program } from '../../src/program.ts'
import { offerCommands } from '../../src/server/admin/command-runner.ts'
import { createHandler } from '../../src/server/handler.ts'
import { routes } from '../../src/server/routes.ts'
import { addPerson, type TestPerson } from '../support/people.ts'
import { type Ran, type RunOptions, run } from './cli.ts'

/** A server in this process on a data directory, which runs commands. */
export interface CommandServer {
  program: Program
  address: string
  /** The person who calls it, unless told otherwise. */
  owner: TestPerson
  /** Runs a command on it, as an owner unless told otherwise. */
  there(argv: string[], options?: RunOptions & { token?: string; tokenFile?: string }): Promise<Ran>
  /** Breaks all connections off. */
  breakOff(): void
  close(): Promise<void>
}

export async function openCommandServer(dataDir: string): Promise<CommandServer> {
  await run(['migrate', 'up', '--data-dir', dataDir])
  const { config } = await loadConfig({ environment: { APPSVC_DATA_DIR: dataDir } })
  const program = openProgram({ config, log: silentLog })
  offerCommands(program, createCommandRunner(runCommandLine))
  const handler = createHandler(program, routes)
  const server = createServer({ keepAliveTimeout: 0 }, handler.handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const owner = await addPerson(program)
  return {
    program,
    address,
    owner,
    there: (argv, { token = owner.token, ...options } = {}) => {
      const environment = { ...options.environment, APPSVC_URL: address, APPSVC_TOKEN: token }
      return run(argv, { ...options, environment })
    },
    breakOff: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await handler.close()
      await program.close()
    },
  }
}
