import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'

let keys: string | undefined
let last: Promise<unknown> = Promise.resolve()

/**
 * `startSandbox` with the keys and certificates of the sandboxes before it in this process: making them anew takes five times as long as all the rest
 * of a start.
 */
export function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  if (keys === undefined) {
    const dir = mkdtempSync(join(tmpdir(), 'appsvc-sandbox-'))
    process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
    keys = dir
  }
  // The first one makes the keys, and the others wait for them.
  const opened = last.then(() => startSandbox({ dir: keys!, ...options }))
  last = opened.catch(() => {})
  return opened
}
