import { basename, join } from 'node:path'

// The bundle (packaging/bundle.ts) is JavaScript in one folder; sources are TypeScript, this file one folder below src.
const bundled = !import.meta.filename.endsWith('.ts')
const root = bundled ? import.meta.dirname : join(import.meta.dirname, '..')

/**
 * Absolute path of a file or folder that ships with the program, to be read with `node:fs`. `name` is its place below src,
 * such as `sandbox/page/index.html`; the bundle copies the folders named in packaging/bundle.ts to the same places.
 */
export function assetPath(name: string): string {
  return join(root, name)
}

/**
 * Absolute path of the module that a worker thread starts with. `name` is its place below src, such as `workers/thread.ts`;
 * the bundle keeps each of them as one file, `thread.cjs`, beside the program. A string on purpose: the packaged executable
 * does not recognise a URL.
 */
export function threadPath(name: string): string {
  return bundled ? join(root, `${basename(name, '.ts')}.cjs`) : join(root, name)
}
