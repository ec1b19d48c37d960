import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Depth, depth } from '../depth.ts'
import { type Chosen, chooseDaily } from './apart.ts'
import { filesOfChange } from './changed.ts'
import type { Order } from './progress.ts'

export const ROOT = resolve(import.meta.dirname, '../../..')

const OPTIONS = {
  grep: { type: 'string', short: 'g' },
  fgrep: { type: 'string', short: 'f' },
  invert: { type: 'boolean', short: 'i' },
  bail: { type: 'boolean', short: 'b' },
  reporter: { type: 'string', short: 'R' },
  timeout: { type: 'string', short: 't' },
  whole: { type: 'boolean' },
  long: { type: 'boolean' },
  changed: { type: 'boolean' },
  base: { type: 'string' },
} as const

/** The test files that the arguments name (all of .mocharc.json's without any). Throws on a name that fits nothing. */
function findFiles(named: readonly string[], fallback: readonly string[]): string[] {
  const found = (named.length > 0 ? named : fallback).flatMap((name) => {
    const isDirectory = existsSync(name) && statSync(name).isDirectory()
    const files = globSync(isDirectory ? join(name, '**/*.test.ts') : name)
    if (files.length === 0) throw new Error(`${name} names no test file`)
    return files.map((file) => resolve(file))
  })
  return [...new Set(found)].toSorted()
}

/** The order of the command line. Throws a sentence when it makes no sense. */
export function readArguments(argv?: string[]): Order {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true, ...(argv && { args: argv }) })
  if (values.changed && positionals.length > 0) throw new Error('--changed chooses the files: name none beside it')
  if (values.base !== undefined && !values.changed) throw new Error('--base belongs to --changed')
  if (values.whole && values.long) throw new Error('--long does what --whole does and more: name one of them')
  const { spec, ...settings } = JSON.parse(readFileSync(join(ROOT, '.mocharc.json'), 'utf8'))
  const narrowed = values.changed || positionals.length > 0 || values.grep !== undefined || values.fgrep !== undefined
  const options = {
    ...settings,
    // A forgotten `only` must not make everything else look tested.
    forbidOnly: !narrowed,
    ...(values.grep !== undefined && { grep: new RegExp(values.grep) }),
    ...(values.fgrep !== undefined && { fgrep: values.fgrep }),
    ...(values.invert && { invert: true }),
    ...(values.bail && { bail: true }),
    ...(values.reporter !== undefined && { reporter: values.reporter }),
    ...(values.timeout !== undefined && { timeout: values.timeout }),
  }
  // Who asks for a reporter wants one report, and --bail one order.
  const isShared = values.reporter === undefined && values.bail === undefined
  const isEverything = !narrowed && isShared
  const found = values.changed ? filesOfChange(ROOT, values.base) : findFiles(positionals, spec)
  const depth = depthOf(values)
  const chosen = isEverything && depth === 'daily' ? ofTheDay(found) : { files: found, left: [] }
  return { options, ...chosen, depth, isShared, isEverything }
}

function ofTheDay(found: readonly string[]): Chosen {
  const { files, left } = chooseDaily(
    ROOT,
    found.map((file) => relative(ROOT, file)),
  )
  return { files: files.map((file) => join(ROOT, file)), left }
}

function depthOf({ whole, long }: { whole?: boolean | undefined; long?: boolean | undefined }): Depth {
  if (long) return 'long'
  return whole ? 'whole' : depth
}
