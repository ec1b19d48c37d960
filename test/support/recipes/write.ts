/**
 * `node test/support/recipes/write.ts NAME`: follows a recipe in this checkout, so that its patch can be mended.
 * `git diff -U1 | node test/support/recipes/write.ts NAME -`: writes the patch of what differs; files that are new have to be known to git
 * (`git add --intent-to-add`).
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { outcomeOf, patchOf } from './copy.ts'
import { readRecipes } from './text.ts'

const root = join(import.meta.dirname, '../../..')
const [name, from] = process.argv.slice(2)
if (name === undefined) throw new Error('say which recipe: node test/support/recipes/write.ts NAME')
if (from === undefined) {
  for (const [file, text] of outcomeOf(root, patchOf(name))) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
} else {
  const recipes = readRecipes(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'))
  const made = new Set(recipes.flatMap((one) => one.made))
  const parts = readFileSync(0, 'utf8').split(/^diff --git .*\n/m)
  const texts = parts.flatMap((part) => {
    const file = /^\+\+\+ b\/(.*)$/m.exec(part)?.[1]
    if (file === undefined || made.has(file)) return []
    const [, ...places] = part.split(/^@@ .*\n/m)
    return [`--- ${file}\n${places.join('@@\n').replaceAll(/^ $/gm, '')}`]
  })
  writeFileSync(join(import.meta.dirname, `patches/${name}.patch`), texts.join(''))
}
