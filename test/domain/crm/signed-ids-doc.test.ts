import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { signIdentifier, signingKey } from '../../../src/domain/crm/signed-ids.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { skip } from '../../support/skip.ts'

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

  const runs: [string, string, (code: string) => readonly [string, string[]]][] = [
    [
      'js',
      'console.log(signUser(KEY, NAME), signUser(KEY, NAME, 1772366400))',
      (code) => [process.execPath, ['--input-type=module', '-e', code]],
    ],
    ['python', 'print(sign_user(KEY, NAME), sign_user(KEY, NAME, 1772366400))', (code) => ['python3', ['-c', code]]],
    ['php', 'echo sign_user(KEY, NAME), " ", sign_user(KEY, NAME, 1772366400);', (code) => ['php', ['-r', code]]],
  ]
  for (const [language, call, command] of runs) {
    it(`has an example in ${language} that makes the tokens that we make`, function () {
      const name = 'Zoë+1@example.com'
      const written = call.replaceAll('KEY', `'${KEY}'`).replaceAll('NAME', `'${name}'`)
      const [program, argv] = command(`${exampleIn(language)}\n${written}`)
      const ran = spawnSync(program, argv, { encoding: 'utf8', env: { PATH: process.env.PATH, PYTHONUTF8: '1' } })
      // Not every machine has every language.
      if (ran.error || ran.status === 127) return skip(this, `there is no ${program}`)
      expect(ran.stderr).to.equal('')
      const tokens = [null, 1_772_366_400_000].map((at) => signIdentifier(signingKey(KEY), name, at))
      expect(ran.stdout.trim()).to.equal(tokens.join(' '))
    })
  }
})
