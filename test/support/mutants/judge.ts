/** Runs tests against a mutant in a copy of the tree, and says whether they notice it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Chosen } from './choose.ts'
import type { Mutant } from './draw.ts'
import { applied } from './places.ts'
import { openRunner } from './pool.ts'
import type { Reach } from './reach.ts'

/** The result of a mutant. */
export interface Verdict {
  mutant: Mutant
  /** `uncovered`: no test runs the place. */
  is: 'noticed' | 'survived' | 'uncovered'
  /** The test that noticed it, and its error. */
  by?: string
  how?: string
  /** Test files that ran, and those for which there was no room. */
  ran: number
  left: number
  ms: number
}

/** Limits: a test is given up after this, and a file after several times its usual time. A mutant that hangs is noticed. */
const TEST_MS = 120_000
const FILE_MS = 180_000
const TIMES_SLOWER = 15

/** Changes the file of the copy, does the work and restores it. */
export async function withMutant<T>(copy: string, mutant: Mutant, work: () => Promise<T>): Promise<T> {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, applied(text, mutant))
  try {
    return await work()
  } finally {
    writeFileSync(path, text)
  }
}

/** Runs the chosen files until one fails. */
export async function judge(
  { copy, directory, databases }: { copy: string; directory: string; databases: string },
  mutant: Mutant,
  { files, left }: Chosen,
): Promise<Verdict> {
  const began = performance.now()
  const said = (verdict: Pick<Verdict, 'is' | 'by' | 'how'>, ran: number): Verdict => ({
    mutant,
    ...verdict,
    ran,
    left,
    ms: Math.round(performance.now() - began),
  })
  if (files.length === 0) return said({ is: 'uncovered' }, 0)
  let from = 0
  for (;;) {
    const noticed = await withMutant(copy, mutant, () => runUntilOneFails({ copy, directory, databases }, files, from))
    if (!noticed) return said({ is: 'survived' }, files.length)
    const { at, failed } = noticed
    from = at + 1
    const { file } = files[at]!
    // What a busy machine or a missing program makes fail, fails without the mutant too.
    const failsAnyway = await runUntilOneFails({ copy, directory, databases }, [files[at]!], 0)
    if (!failsAnyway) return said({ is: 'noticed', by: file, how: failed.split('\n')[0]! }, from)
  }
}

/** Runs the files in a process of their own, from the one at `from`; returns which failed, and how. */
async function runUntilOneFails(
  { copy, directory, databases }: { copy: string; directory: string; databases: string },
  files: readonly Reach[],
  from: number,
): Promise<{ at: number; failed: string } | undefined> {
  if (from >= files.length) return undefined
  const runner = openRunner(copy, directory, databases)
  try {
    for (const [at, { file, ms }] of files.entries()) {
      if (at < from) continue
      const patienceMs = Math.max(FILE_MS, ms * TIMES_SLOWER)
      const { failed } = await runner.run({ file, timeoutMs: TEST_MS, covers: false }, patienceMs)
      if (failed !== undefined) return { at, failed }
    }
    return undefined
  } finally {
    await runner.end()
  }
}
