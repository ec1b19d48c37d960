import { erasuresFile } from '../../src/domain/erasures/list-file.ts'
import { runErasures } from '../../src/domain/erasures/run.ts'
import type { ErasureKind } from '../../src/domain/erasures/types.ts'
import type { TestApp } from './app.ts'

/** Arguments of `runErasures`, as a worker and a command give them. */
export function erasing({ app, dir }: Pick<TestApp, 'app' | 'dir'>) {
  const { clock, db } = app.kernel
  return { app, inTransaction: app.inTransaction, clock, db, file: erasuresFile(dir) }
}

/** Puts somebody on the erasure list; the id of the erasure. */
export async function requestErasure({ app, first }: TestApp, name: string, kind: ErasureKind = 'user') {
  return (await app.inTransaction((tx) => tx.erasures.request(first.id, kind, name))).id
}

/** Erases somebody; the state in the end. */
export async function erase(test: TestApp, name: string, kind: ErasureKind = 'user') {
  const id = await requestErasure(test, name, kind)
  await runErasures(erasing(test))
  return (await test.app.erasures.get(test.first.id, id)).state
}
