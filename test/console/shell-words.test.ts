import { execFileSync, spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

const CONSOLE = join(import.meta.dirname, '../../src/console')
const { command, piped } = await loadPure<{
  command(text: TemplateStringsArray, ...words: readonly unknown[]): string
  piped(value: unknown, into: string): string
}>('parts/shell-words.ts')

const isThere = (shell: string) => spawnSync(shell, ['-c', ':']).status === 0
/** Shells that people paste a command into. */
const SHELLS = ['sh', 'bash', 'dash', 'zsh'].filter(isThere)
const HARD = { text: 'It\'s "two"\nlines \\n $HOME `id` %s', empty: '' }

describe('the commands that the console shows', () => {
  it('are written as they read, with a word of its own for each value', () => {
    expect(command`users show ${"O'Neil"} --app ${1} ${undefined} ${false} --json`).to.equal(
      `appsvc users show 'O'\\''Neil' --app 1 --json`,
    )
    expect(command`links update ${['--title', '']} ${[]} ${[['--lookups', 3], false]}`).to.equal(
      "appsvc links update --title '' --lookups 3",
    )
  })

  for (const shell of SHELLS) {
    it(`give ${shell} the JSON as it is`, () => {
      const text = piped(HARD, 'cat')
      const read = execFileSync(shell, ['-c', text], { encoding: 'utf8' })
      expect(JSON.parse(read)).to.deep.equal(HARD)
    })
  }

  it('with values in them are put together in shell-words.ts, and on no page', () => {
    const wrong = globSync('**/*.{ts,tsx}', { cwd: CONSOLE })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path !== 'parts/shell-words.ts' && path !== 'api/schema.ts')
      .filter((path) =>
        /\becho [`'$]|\bprintf\b|\| appsvc|`appsvc [^`]*\$\{/.test(readFileSync(join(CONSOLE, path), 'utf8')),
      )
    expect(wrong).to.deep.equal([])
  })
})
