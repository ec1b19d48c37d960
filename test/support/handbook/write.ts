/**
 * `node test/support/handbook/write.ts PAGE...` runs the commands of pages and writes what they print below them, where the page shows
 * anything (a line `?` asks for it). For authors; look at the difference before you commit it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { stepsOf } from './page.ts'
import { newReader, startProgram } from './reader.ts'

const program = await startProgram()
try {
  for (const path of process.argv.slice(2)) {
    const lines = readFileSync(path, 'utf8').split('\n')
    const reader = newReader(program)
    let moved = 0
    try {
      for (const step of stepsOf(lines.join('\n'))) {
        const lineIn = step.line
        const printed = await reader.see(step)
        if (step.kind !== 'command' || printed === undefined || !/^\?$/m.test(step.output)) continue
        const begin = lineIn - 1 + moved + step.commands.split('\n').length
        const end = lines.findIndex((line, i) => i >= begin && (line.startsWith('$ ') || /^`{3,}$/.test(line)))
        const shown = printed === '' ? [] : printed.split('\n')
        lines.splice(begin, end - begin, ...shown)
        moved += shown.length - (end - begin)
      }
    } finally {
      await reader.end()
      writeFileSync(path, lines.join('\n'))
    }
  }
} finally {
  program.end()
}
