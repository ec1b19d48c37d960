import { readdirSync, readFileSync, statSync } from 'node:fs'
import { freemem, totalmem } from 'node:os'

/** Facts that Linux tells of processes in /proc. Elsewhere every function returns undefined, or what Node knows. */

/** The number of files and sockets that a process has open, and the most that it may have. */
export interface OpenFiles {
  open: number
  limit: number
}

/** Counts the open files of a process; undefined for a process of another user, and on systems that do not say it. */
export function openFilesOf(pid: number | 'self'): OpenFiles | undefined {
  try {
    const limit = Number(/^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'latin1'))?.[1])
    return Number.isFinite(limit) ? { open: readdirSync(`/proc/${pid}/fd`).length, limit } : undefined
  } catch {
    return undefined
  }
}

/** Memory that a process occupies, in bytes. */
export function residentMemoryOf(pid: number): number | undefined {
  try {
    const kibibytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024
  } catch {
    return undefined
  }
}

/**
 * The time when a process began, in ticks since the start of the machine (proc_pid_stat(5), field 22). With it a number of a
 * process stands for one process for good. Undefined for none, and on other systems.
 */
export function startOf(pid: number): number | undefined {
  // The name, in brackets, may hold spaces and brackets.
  const fields = textOf(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return fields.length > 19 ? Number(fields[19]) : undefined
}

/** Memory of this machine in bytes: how much this process may use at most, and how much is free. */
export function machineMemory(): { limit: number; free: number } {
  const total = totalmem()
  const limit = process.constrainedMemory()
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(textOf('/proc/meminfo'))?.[1]
  const free = available === undefined ? freemem() : Number(available) * 1024
  // Without a limit of the control group Node reports 0 or a number beyond any memory.
  return limit > 0 && limit < total
    ? { limit, free: Math.min(free, process.availableMemory()) }
    : { limit: total, free }
}

/** A process that holds locks on a file, and the first byte of each. */
interface LockHolder {
  pid: number
  byte: number
}

/**
 * Lists the processes that hold locks on a file (proc_locks(5)). Processes in other containers have no number here and are left
 * out.
 */
export function lockHoldersOf(file: string): LockHolder[] {
  let inode: bigint
  try {
    inode = statSync(file, { bigint: true }).ino
  } catch {
    return []
  }
  // 1: POSIX  ADVISORY  WRITE 3568 fd:00:2531452 0 EOF
  const line = /^\d+: POSIX\s+\S+\s+\S+\s+(\d+)\s+[0-9a-f]+:[0-9a-f]+:(\d+)\s+(\d+)\s/gm
  return [...textOf('/proc/locks').matchAll(line)].flatMap(([, pid, locked, byte]) =>
    BigInt(locked!) === inode && Number(pid) > 0 ? [{ pid: Number(pid), byte: Number(byte) }] : [],
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
