import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever its clock does (`getconf CLK_TCK`). */
const TICK_MS = 10

interface Counted {
  parent: number
  ms: number
}

/** The parent of a process, and what it and those of its children that have ended and were waited for have used. */
function count(pid: number): Counted | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may hold blanks and brackets: state, parent, … user and system time, those of ended children.
    const words = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = words.slice(11, 15).reduce((sum, word) => sum + Number(word), 0)
    return { parent: Number(words[1]), ms: ticks * TICK_MS }
  } catch {
    // It has ended meanwhile.
    return undefined
  }
}

/**
 * The processor time in milliseconds that a process (this one) and everything that it started have used. Time of programs that a killed
 * one had started and nobody waited for is lost, so the value may become less. Where there is no /proc: this process alone.
 */
export function processorTime(root = process.pid): number {
  let pids: number[]
  try {
    pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1000
  }
  const all = new Map(pids.map((pid) => [pid, count(pid)]))
  const isOurs = (pid: number): boolean => {
    if (pid === root) return true
    const parent = all.get(pid)?.parent
    return parent !== undefined && isOurs(parent)
  }
  return [...all].reduce((sum, [pid, counted]) => sum + (counted && isOurs(pid) ? counted.ms : 0), 0)
}
