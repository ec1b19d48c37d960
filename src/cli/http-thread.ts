import '../platform/no-proto.ts'
import { isMainThread } from 'node:worker_threads'
import { offerCommands } from '../server/admin/command-runner.ts'
import { startHttpThread } from '../server/threads/http-thread.ts'
import { createCommandRunner } from './remote/runner.ts'

/** The program of an HTTP thread: the server's, which the command line gives its commands. They are loaded by the first of them. */
if (!isMainThread) {
  startHttpThread((program) =>
    offerCommands(
      program,
      createCommandRunner(async (argv, io) => (await import('./run.ts')).runCommandLine(argv, io)),
    ),
  )
}
