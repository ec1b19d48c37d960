import { join } from 'node:path'

const CONSOLE = join(import.meta.dirname, '../../../src/console')

/**
 * Loads a module of the console that needs no browser, such as `pages/push/draft.ts`. `T`: what of it a test uses, because the console has types of
 * its own, with a DOM.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export async function loadPure<T>(path: string): Promise<T> {
  return (await import(join(CONSOLE, path))) as T
}
