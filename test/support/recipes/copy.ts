import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT } from '../runner/arguments.ts'
import { type Patch, patched, readPatch } from './patch.ts'

const PATCHES = join(import.meta.dirname, 'patches')

/** Names of the patches that there are. */
export const patchNames = () =>
  globSync('*.patch', { cwd: PATCHES })
    .map((file) => file.replace(/\.patch$/, ''))
    .toSorted()

export const patchOf = (name: string): Patch => readPatch(readFileSync(join(PATCHES, `${name}.patch`), 'utf8'))

const textOf = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined)

/** The files of the checkout, with what is not committed. */
function filesOf(folder: string): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: folder })
  return listed
    .toString()
    .split('\0')
    .filter((file) => file !== '' && file !== 'node_modules' && existsSync(join(folder, file)))
}

/** A copy of the checkout in which recipes are followed. */
export interface Copy {
  folder: string
  /** Applies a patch. Throws a sentence when a place of it is not there. */
  apply(patch: Patch): void
  /** The files that differ from the checkout, besides what git ignores. */
  changed(): string[]
  remove(): void
}

export function copyCheckout(): Copy {
  const folder = mkdtempSync(join(tmpdir(), 'appsvc-recipes-'))
  const files = filesOf(ROOT)
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(folder, file))
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  return {
    folder,
    apply(patch) {
      for (const [file, text] of outcomeOf(folder, patch)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true })
        writeFileSync(join(folder, file), text)
      }
    },
    changed() {
      execFileSync('git', ['init', '-q'], { cwd: folder })
      const all = new Set([...files, ...filesOf(folder)])
      return [...all].filter((file) => textOf(join(ROOT, file)) !== textOf(join(folder, file))).toSorted()
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** The files of a patch with their texts after it. Throws a sentence when a place of it is not there. */
export function outcomeOf(folder: string, { files }: Patch): Map<string, string> {
  const numbered = (text: string) => text.replaceAll('NNNN', nextMigration(folder))
  return new Map(
    [...files].map(([file, places]) => [numbered(file), numbered(patched(file, textOf(join(folder, file)), places))]),
  )
}

function nextMigration(folder: string): string {
  const numbers = globSync('[0-9]*.ts', { cwd: join(folder, 'migrations') }).map((file) => Number(file.slice(0, 4)))
  return String(Math.max(...numbers) + 1).padStart(4, '0')
}
