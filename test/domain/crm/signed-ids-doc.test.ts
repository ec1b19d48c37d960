import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Context } from 'mocha'
import { signIdentifier, signingKey } from '../../../src/domain/crm/signed-ids/signed-ids.ts'
import { needs } from '../../support/needs.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'

const DOC = readFileSync(join(import.meta.dirname, '../../../docs/signed-users.md'), 'utf8')
const KEY = 'uk_ExampleExampleExampleExampleExampleExample0'

/** The example of a language, as the page shows it. */
function exampleIn(language: string): string {
  const found = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(DOC)
  if (!found) throw new Error(`the page has no example in ${language}`)
  return found[1]!
}

describe('the page on signed users', function () {
  this.timeout(PROGRAMS_MS)
  it('shows the token that its key and identifier give', () => {
    expect(DOC)
      .to.include(KEY)
      .and.include(signIdentifier(signingKey(KEY), 'anna@example.com', null))
  })

  const runs: [language: string, call: string, program: (context: Context) => string, flags: string[]][] = [
    [
      'js',
      'console.log(signUser(KEY, NAME), signUser(KEY, NAME, 1772366400))',
      () => process.execPath,
      ['--input-type=module', '-e'],
    ],
    [
      'python',
      'print(sign_user(KEY, NAME), sign_user(KEY, NAME, 1772366400))',
      (context) => needs(context, 'python3'),
      ['-c'],
    ],
    [
      'php',
      'echo sign_user(KEY, NAME), " ", sign_user(KEY, NAME, 1772366400);',
      (context) => needs(context, 'php'),
      ['-r'],
    ],
  ]
  for (const [language, call, find, flags] of runs) {
    it(`has an example in ${language} that makes the tokens that we make`, function () {
      const program = find(this)
      const name = 'Zoë+1@example.com'
      const written = call.replaceAll('KEY', `'${KEY}'`).replaceAll('NAME', `'${name}'`)
      const env = { PATH: process.env.PATH, PYTHONUTF8: '1' }
      const ran = spawnSync(program, [...flags, `${exampleIn(language)}\n${written}`], { encoding: 'utf8', env })
      expect(ran.stderr).to.equal('')
      const tokens = [null, 1_772_366_400_000].map((at) => signIdentifier(signingKey(KEY), name, at))
      expect(ran.stdout.trim()).to.equal(tokens.join(' '))
    })
  }
})
