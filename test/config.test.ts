import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { defaultYaml, loadConfig, settingsPage } from '../src/config.ts'

const directory = join(import.meta.dirname, '../config')

describe('the checked-in configuration', () => {
  it('default.yaml is what the list of settings says', () => {
    const remedy = 'run "node bin/run.js config show --defaults > config/default.yaml"'
    expect(readFileSync(join(directory, 'default.yaml'), 'utf8'), remedy).to.equal(defaultYaml())
  })

  it('docs/reference/settings.md is what the list of settings says', () => {
    const remedy = 'run "node bin/run.js config show --defaults --markdown > docs/reference/settings.md"'
    expect(readFileSync(join(directory, '../docs/reference/settings.md'), 'utf8'), remedy).to.equal(settingsPage())
  })

  it('default.yaml and production.example.yaml can be used as they are', async () => {
    for (const name of ['default.yaml', 'production.example.yaml']) {
      await loadConfig({ file: join(directory, name), environment: {} })
    }
  })
})
