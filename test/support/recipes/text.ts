/**
 * The recipes as CONTRIBUTING.md prints them. A heading `###` with `<!-- recipe: name -->` below it begins one. Its blocks have a file in each
 * line, then what to do there; where that is a command, the command makes the file. A line that is a command itself runs the tests.
 */
export interface Recipe {
  name: string
  /** Files that a person writes or changes. */
  written: readonly string[]
  /** Files that a command makes. */
  made: readonly string[]
  /** The commands that make them, each once, in order. */
  commands: readonly string[]
  /** The test files and folders that it names. */
  tests: readonly string[]
}

const COMMAND = /^(npm run|node|appsvc) /
const TESTS = 'npm test -- '

/** The recipes of a page, in its order. Throws a sentence when one cannot be read. */
export function readRecipes(page: string): Recipe[] {
  return page
    .split(/^##+ /m)
    .map((section) => ({ section, name: /^<!-- recipe: ([a-z-]+) -->$/m.exec(section)?.[1] }))
    .flatMap(({ section, name }) => (name === undefined ? [] : [readRecipe(name, section)]))
}

function readRecipe(name: string, section: string): Recipe {
  const lines = section.split('\n').flatMap((line) => (/^ {4}\S/.test(line) ? [line.trim()] : []))
  const tests = lines.filter((line) => line.startsWith(TESTS)).flatMap((line) => line.slice(TESTS.length).split(' '))
  const files = lines.filter((line) => !line.startsWith(TESTS)).map((line) => readLine(name, line))
  const made = files.filter(({ what }) => COMMAND.test(what))
  if (files.length === 0 || tests.length === 0)
    throw new Error(`the recipe ${name} has to name its files and its tests`)
  return {
    name,
    written: files.flatMap((one) => (made.includes(one) ? [] : [one.file])),
    made: made.map(({ file }) => file),
    commands: [...new Set(made.map(({ what }) => what))],
    tests,
  }
}

function readLine(name: string, line: string): { file: string; what: string } {
  const [, file, what] = /^(\S+\.\S+)\s+(\S.*)$/.exec(line) ?? []
  if (file === undefined || what === undefined) {
    throw new Error(`the recipe ${name}: "${line}" is neither a file with what to do there nor "${TESTS}…"`)
  }
  return { file, what }
}
