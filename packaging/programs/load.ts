/**
 * Runs a program of the bundle that V8 has compiled in advance (compile.ts). A thread that compiled its program itself needed ten
 * megabytes and more for that, once, and the allocator kept them (docs/decisions/0142-compiled-in-advance.md).
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Script } from 'node:vm'
import { endMainFlag, keepNewObjectsYoung } from '../../src/platform/threads/heaps.ts'
import { CHECKSUM_LENGTH, checksumOf } from './checksum.ts'
import { contentsOf, systemBuffer, textOf } from './contents.ts'
import { compiledName, textName } from './names.ts'

type Program = (this: object, ...given: [object, NodeJS.Require, object, string, string]) => void

/** Runs a program in this thread. V8 compiles its text when what is compiled is not there, not whole, or not for this V8 with its flags. */
export function load(name: string): void {
  // V8 compares flags: these are the ones with which programs are compiled. That of the main thread has done its work.
  endMainFlag()
  keepNewObjectsYoung()
  const filename = join(import.meta.dirname, textName(name))
  const program = programOf(name, filename)
  const module = { exports: {} }
  program.call(module.exports, module.exports, createRequire(filename), module, filename, import.meta.dirname)
}

/** A function of its own, so that nothing holds the bytes while the program runs. */
function programOf(name: string, filename: string): Program {
  const text = contentsOf(textName(name))
  const cachedData = compiledOf(name, text)
  return new Script(textOf(text), { filename, ...(cachedData && { cachedData }) }).runInThisContext() as Program
}

/** The compiled text of a program; undefined when the file has another one, or cannot be read. A bundle for another processor has none. */
function compiledOf(name: string, text: Buffer): Buffer | undefined {
  let bytes: Buffer
  try {
    bytes = contentsOf(compiledName(name))
  } catch {
    return undefined
  }
  const end = Math.max(bytes.length - CHECKSUM_LENGTH, 0)
  const compiled = bytes.subarray(0, end)
  return checksumOf(text, compiled).equals(bytes.subarray(end)) ? inSystemBuffer(compiled) : undefined
}

/** V8 would copy bytes that do not begin at a multiple of eight, into a block of glibc's. */
function inSystemBuffer(bytes: Buffer): Buffer {
  const copy = systemBuffer(bytes.length)
  copy.set(bytes)
  return copy
}
