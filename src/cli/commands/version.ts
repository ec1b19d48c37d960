import { existsSync, readFileSync } from 'node:fs'
import { Flags } from '@oclif/core'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError } from '../../platform/errors.ts'
import { assetPath } from '../../platform/files/assets.ts'
import { BaseCommand } from '../kinds/base.ts'

export class Version extends BaseCommand {
  static override summary = 'Print the version, or what the executable is made of'
  static override description =
    'With --sbom: the bill of materials of this executable (CycloneDX, JSON): every package in it, with version, licence and digest.'
  static override examples = ['appsvc version', 'appsvc version --json', 'appsvc version --sbom > sbom.json']
  static override flags = { sbom: Flags.boolean({ description: 'print the bill of materials of the executable' }) }

  async run(): Promise<void> {
    const { flags } = await this.parse(Version)
    if (flags.sbom) return this.#printBill()
    const { version } = packageJson
    this.out.value({ version, node: process.versions.node })
    this.out.line(`appsvc ${version}`)
  }

  #printBill(): void {
    // packaging/package.ts puts it beside the program.
    const file = assetPath('sbom.json')
    if (!existsSync(file)) {
      throw new AppError(
        'not_found',
        'only the packaged executable has a bill of materials: in a clone, npm sbom prints one',
      )
    }
    const text = readFileSync(file, 'utf8')
    this.out.value(JSON.parse(text))
    this.out.line(text.trimEnd())
  }
}
