/** The licences of everything inside the executable, in full: most of them want to go wherever it goes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BillOfMaterials } from '../bill-of-materials.ts'

/** One text of all licence files of the packages in a bill, each below its name. A package without such a file names its licence in its package.json only. */
export function noticesOf({ components }: BillOfMaterials, modules: string): string {
  const parts = components.map(({ name, version }) => {
    const texts = licenseFiles(join(modules, name)).map((file) => readFileSync(file, 'utf8').trimEnd())
    return [`${'='.repeat(78)}\n${name} ${version}`, ...texts].join('\n\n')
  })
  return `${parts.join('\n\n')}\n`
}

function licenseFiles(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
  return names.toSorted().map((name) => join(folder, name))
}
