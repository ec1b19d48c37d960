/**
 * `npm test`: every test file, by mocha, in two processes for each processor (at most four), each taking the next file
 * when it is through with one, the longest first. The last line is `N passed, N failed, N skipped`, and the exit code is 0 only when something ran,
 * nothing failed and the run came to its end; where `CI` is true also nothing may be skipped. The lines before it say in short what was left out, what is a race, and
 * how many of the documented answers some test got.
 *
 *     npm test                                     what the change can break, as before a commit
 *     npm test -- --whole                          as before a change lands: all of it, doors on both databases, the whole handbook
 *     npm run test:long                            as before a release: the many kills and races, growth, fresh seeds
 *     npm test -- --changed [--base main]          the tests of what differs from a commit, with what is not committed
 *     npm test -- test/platform --grep 'master key'  files, directories or patterns, narrowed by name
 *     npm test -- --reporter spec --bail           also: --fgrep, --invert, --timeout
 *
 * After a run of everything, and where `CI` is true, up to six files with failures run once more, each alone. A test that passes then is a race and named as such, with
 * what it said. Where `CI` is true it counts as passed: it shall be mended, but a busy machine does not turn a good change away. Elsewhere it fails the run.
 * What is broken fails twice.
 *
 * The tests run in child processes, so that one that ends its process, hangs or eats the memory is still reported. Temporary files
 * are made in a directory of the run. Whatever it started ends with it and the directory goes, also when it is killed with SIGKILL
 * (undertaker.ts); what a machine that went down left of it goes when the next one begins.
 */
import { readArguments } from './runner/arguments.ts'
import { CHILD } from './runner/progress.ts'

const OLDEST_NODE = 24

/** Refuses an impossible order in a sentence, and still ends with the line of counts. */
async function start(): Promise<number> {
  try {
    if (Number.parseInt(process.versions.node, 10) < OLDEST_NODE) {
      throw new Error(
        `the tests need Node ${OLDEST_NODE} and this is ${process.version}: run npm ci, which puts it into node_modules/.bin, and then npm test`,
      )
    }
    const { supervise } = await import('./runner/supervise.ts')
    return await supervise(readArguments())
  } catch (error) {
    console.log(`${error instanceof Error ? error.message : String(error)}\n0 passed, 0 failed, 0 skipped`)
    return 1
  }
}

if (process.env[CHILD]) {
  const { runTests } = await import('./runner/child.ts')
  await runTests(readArguments())
} else process.exitCode = await start()
