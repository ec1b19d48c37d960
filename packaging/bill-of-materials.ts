/**
 * The bill of materials of the executable (SBOM, CycloneDX 1.5): the packages of npm that are in it, with version, licence and digest. The
 * same package-lock.json gives the same bytes.
 */
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }

/** The part of https://cyclonedx.org/docs/1.5/json/ that is used. */
export interface BillOfMaterials {
  bomFormat: string
  specVersion: string
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string; type: string; version: string }; tools?: unknown }
  components: {
    'bom-ref': string
    name: string
    version: string
    purl: string
    licenses?: { expression?: string; license?: { id?: string; name?: string } }[]
  }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

const root = join(import.meta.dirname, '..')
const OURS = `${packageJson.name}@${packageJson.version}`

/** Name of the file inside the executable. */
export const BILL = 'sbom.json'

/**
 * Makes the bill for an executable of a processor, whose Node is installed: everything that the program depends on, and the packages that the console is built
 * of. The graph is walked here, because `npm sbom --omit=dev` leaves out what a development tool needs as well (npm 11 lost `pg` so).
 */
export function billOfMaterials(arch: string = process.arch): BillOfMaterials {
  const listed = execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  const all = JSON.parse(listed) as BillOfMaterials
  const dependencies = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]))
  const nameOf = (ref: string) => ref.slice(0, ref.lastIndexOf('@'))
  const direct = new Set([
    ...Object.keys(packageJson.dependencies),
    ...Object.keys(packageJson.optionalDependencies).filter((name) => name.endsWith(arch)),
    ...packagesOfConsole(),
  ])
  const open = dependencies.get(OURS)!.filter((ref) => direct.has(nameOf(ref)))
  const wanted = new Set<string>()
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (wanted.has(ref)) continue
    wanted.add(ref)
    open.push(...(dependencies.get(ref) ?? []))
  }
  // The folder, the time and the version of npm differ between builds, and the number is drawn by chance.
  const { serialNumber: _, ...rest } = all
  const { timestamp: __, tools: ___, component, ...metadata } = all.metadata
  return {
    ...rest,
    metadata: { ...metadata, component: { ...component, name: packageJson.name } },
    components: all.components.filter((one) => wanted.has(one['bom-ref'])),
    dependencies: all.dependencies.filter(({ ref }) => wanted.has(ref) || ref === OURS),
  }
}

/** The packages that the sources of the console import. */
function packagesOfConsole(): Set<string> {
  const sources = globSync('src/console/**/*.{ts,tsx}', { cwd: root })
  const imported = sources.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\bfrom '((?:@[\w-]+\/)?[\w-]+)/g)].map(([, name]) => name!),
  )
  return new Set(imported)
}
