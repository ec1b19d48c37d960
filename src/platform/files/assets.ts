import { basename, join } from 'node:path'

// The bundle (packaging/bundle.ts) is JavaScript in a single folder. The sources are TypeScript, and this file is one
// folder below src.
const bundled = !import.meta.filename.endsWith('.ts')
const root = bundled ? import.meta.dirname : join(import.meta.dirname, '../..')

/**
 * Absolute path of a file or folder that ships with the program, for reading with `node:fs`. `name` is its path below
 * src, such as `sandbox/page/index.html`; the bundle copies the folders named in packaging/bundle.ts to the same paths.
 */
export function assetPath(name: string): string {
  return join(root, name)
}

/**
 * Absolute path of the entry module of a worker thread. `name` is its path below src, such as `workers/thread.ts`; in
 * the bundle each is one file next to the program, `thread.cjs`. It is a string because the packaged executable does
 * not accept a URL.
 */
export function threadPath(name: string): string {
  return bundled ? join(root, `${basename(name, '.ts')}.cjs`) : join(root, name)
}
