/** Processes that run test files for mutants.ts, and the removal of what they leave behind. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bury, RUN_PID, RUN_PREFIX } from '../undertaker.ts'
import type { Order, Outcome } from './runner.ts'

/** A process that runs test files in a tree. */
export interface Runner {
  /** Runs a file. It is over, with the reason, when the process ends or `patienceMs` have passed. */
  run(order: Order, patienceMs: number): Promise<Outcome>
  /** Tells whether it can run another file. */
  isAlive(): boolean
  /** Ends it and whatever it started, and deletes its files. */
  end(): Promise<void>
}

/** Begins a process that runs test files of `tree`; `directory` is where its temporary files may be. */
export function openRunner(tree: string, directory: string, databases: string): Runner {
  const own = mkdtempSync(join(directory, RUN_PREFIX))
  chmodSync(own, 0o755)
  writeFileSync(join(own, RUN_PID), String(process.pid))
  const child: ChildProcess = fork(join(import.meta.dirname, 'runner.ts'), {
    cwd: tree,
    env: {
      ...process.env,
      MOCHA_SUPERVISED: '1',
      TMPDIR: own,
      APPSVC_TEST_DATABASES: databases,
      // Only one source differs from one mutant to the next.
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
    },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    detached: true,
  })
  let alive = true
  const closed = once(child, 'exit').finally(() => {
    alive = false
  })
  return {
    isAlive: () => alive && child.connected,
    async run(order, patienceMs) {
      const over = new AbortController()
      const began = performance.now()
      const lost = (failed: string): Outcome => ({
        file: order.file,
        failed,
        passed: 0,
        ms: Math.round(performance.now() - began),
        cpuMs: 0,
      })
      let timer: NodeJS.Timeout | undefined
      try {
        child.send(order)
        return await Promise.race([
          // Tests may send messages to their parent too.
          answerOf(child, order.file, over.signal),
          closed.then(() => lost('the process ended')),
          new Promise<Outcome>((resolve) => {
            timer = setTimeout(() => resolve(lost(`nothing within ${Math.round(patienceMs / 1000)} s`)), patienceMs)
          }),
        ])
      } catch {
        return lost('the process ended')
      } finally {
        over.abort()
        clearTimeout(timer)
      }
    },
    async end() {
      if (alive) child.kill('SIGKILL')
      await closed
      await bury(own, new Set([child.pid!]))
    },
  }
}

function answerOf(child: ChildProcess, file: string, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const hear = (message: Outcome) => {
      if (message.file === file && typeof message.ms === 'number') resolve(message)
    }
    child.on('message', hear)
    signal.addEventListener('abort', () => child.off('message', hear))
  })
}
