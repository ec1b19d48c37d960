import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AppError, messageOf } from '../../platform/errors.ts'
import { assetPath } from '../../platform/files/assets.ts'
import { AS_IS, readBuiltFiles, typeOf } from '../http/built-files.ts'
import { compressedText, type ServedFile } from '../http/compressed.ts'

/** The browser client, as the server hands it out. */
export interface SdkFiles {
  byName: ReadonlyMap<string, ServedFile>
  /** `integrity` values of the scripts, by the name of the file. */
  integrity: ReadonlyMap<string, string>
}

/** The module, whose presence tells that the files are there. */
const MODULE = 'appsvc.js'

let kept: { files: Promise<SdkFiles>; changed: number } | undefined

/**
 * The browser client: the files that `npm run build` put beside the program, or from the sources files that are built at first request
 * and after a change. Throws `unavailable` with the problem when the sources cannot be built.
 */
export async function sdkFiles(): Promise<SdkFiles> {
  const folder = assetPath('sdk')
  if (existsSync(join(folder, MODULE + AS_IS))) {
    return (kept ??= { files: readBuiltFiles(folder).then(withIntegrity), changed: 0 }).files
  }
  const { newestChange, buildSdk } = await import('./build.ts')
  const changed = newestChange()
  if (kept?.changed !== changed) {
    const files = buildSdk().then(
      async (built) => {
        const named = built.map(async ({ name, bytes }) => {
          const text = Buffer.from(bytes).toString()
          return [name, await compressedText(typeOf(name), text)] as const
        })
        return withIntegrity(new Map(await Promise.all(named)))
      },
      (error: unknown) => {
        throw new AppError('unavailable', `the browser client cannot be built from clients/web: ${messageOf(error)}`)
      },
    )
    files.catch(() => {})
    kept = { files, changed }
  }
  return kept.files
}

function withIntegrity(byName: ReadonlyMap<string, ServedFile>): SdkFiles {
  const scripts = [...byName].filter(([name]) => name.endsWith('.js'))
  return { byName, integrity: new Map(scripts.map(([name, { bytes }]) => [name, integrityOf(bytes)])) }
}

/** The digest that browsers compare (W3C Subresource Integrity). */
function integrityOf(bytes: Buffer): string {
  return `sha384-${createHash('sha384').update(bytes).digest('base64')}`
}
