import { erasuresFile } from '../../src/domain/erasures/list-file.ts'
import { runErasures } from '../../src/domain/erasures/run.ts'
import type { ErasureKind } from '../../src/domain/erasures/types.ts'
import type { TestProgram } from './program.ts'

/** Arguments of `runErasures`, as a worker and a command give them. */
export function erasing({ program, dir }: Pick<TestProgram, 'program' | 'dir'>) {
  const { clock, db } = program.kernel
  return { program, inTransaction: program.inTransaction, clock, db, file: erasuresFile(dir) }
}

/** Puts somebody on the erasure list; the id of the erasure. */
export async function requestErasure({ program, first }: TestProgram, name: string, kind: ErasureKind = 'user') {
  return (await program.inTransaction((tx) => tx.erasures.request(first.id, kind, name))).id
}

/** Erases somebody; the state in the end. */
export async function erase(test: TestProgram, name: string, kind: ErasureKind = 'user') {
  const id = await requestErasure(test, name, kind)
  await runErasures(erasing(test))
  return (await test.program.erasures.get(test.first.id, id)).state
}
