/**
 * Runs a program of the bundle that V8 has compiled in advance (compile.ts). A thread that compiled its program itself needed ten
 * megabytes and more for that, once, and the allocator kept them (docs/decisions/0142-compiled-in-advance.md).
 */
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getAssetKeys, isSea } from 'node:sea'
import { Script } from 'node:vm'
import { endMainFlag, keepNewObjectsYoung } from '../../src/platform/threads/heaps.ts'
import { contentsOf, systemBuffer, textOf } from './contents.ts'
import { compiledName, textName } from './names.ts'

type Program = (this: object, ...given: [object, NodeJS.Require, object, string, string]) => void

/** Runs a program in this thread. V8 compiles its text when it is not the V8 that compiled in advance, or has other flags. */
export function load(name: string): void {
  // V8 compares flags: these are the ones with which programs are compiled. That of the main thread has done its work.
  endMainFlag()
  keepNewObjectsYoung()
  const filename = join(import.meta.dirname, textName(name))
  const compiled = isThere(compiledName(name)) ? { cachedData: inSystemBuffer(contentsOf(compiledName(name))) } : {}
  const program = new Script(textOf(textName(name)), { filename, ...compiled }).runInThisContext() as Program
  const module = { exports: {} }
  program.call(module.exports, module.exports, createRequire(filename), module, filename, import.meta.dirname)
}

/** A bundle for another processor has no compiled programs. */
function isThere(name: string): boolean {
  return isSea() ? getAssetKeys().includes(name) : existsSync(join(import.meta.dirname, name))
}

/** V8 would copy bytes that do not begin at a multiple of eight, into a block of glibc's. */
function inSystemBuffer(bytes: Buffer): Buffer {
  const copy = systemBuffer(bytes.length)
  copy.set(bytes)
  return copy
}
