import { closeSync, openSync, rmdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../errors.ts'
import { makeDirectories } from './directories.ts'

/**
 * Creates the data directory (mode 0700) if needed, and refuses one that this process must not use. Returns the topmost
 * directory that it created, undefined when all existed. `check` runs afterwards; when it throws, a directory that was created is removed again.
 */
export function prepareDataDirectory(dir: string, check?: () => void): string | undefined {
  const first = makeDirectory(dir)
  try {
    checkDirectory(dir)
    check?.()
  } catch (error) {
    if (first !== undefined) removeEmpty(dir, first)
    throw error
  }
  return first
}

function checkDirectory(dir: string): void {
  const owner = statSync(dir).uid
  const me = process.getuid?.()
  // Root could write, but would leave files behind that the server cannot open.
  if (me !== undefined && owner !== me) {
    throw new AppError(
      'forbidden',
      `${resolve(dir)} belongs to the user with id ${owner} and you are ${me}: run as its owner (sudo -u '#${owner}' appsvc …)`,
    )
  }
  const remote = networkFileSystemOf(dir)
  if (remote !== undefined) {
    throw new AppError(
      'config',
      `${resolve(dir)} is on a network file system (${remote}), where file locks are not reliable: use a local disk`,
    )
  }
}

/** Removes a directory and its parents up to `first`, as long as they are empty. */
export function removeEmpty(dir: string, first: string): void {
  try {
    for (let at = resolve(dir); at.startsWith(first); at = dirname(at)) rmdirSync(at)
  } catch {
    // The directory is not empty: another process has put something there.
  }
}

/** Creates the directory with its parents. Returns the topmost one created; undefined when all existed. */
function makeDirectory(dir: string): string | undefined {
  const whole = resolve(dir)
  try {
    return makeDirectories(whole)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isFile = code === 'EEXIST' || code === 'ENOTDIR'
    throw new AppError(
      isFile ? 'config' : 'forbidden',
      `the data directory ${whole} cannot be created: ${isFile ? 'it is not a directory' : message}; choose another with --data-dir`,
    )
  }
}

/** `f_type` of statfs(2) -> name. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
])

/** The network file system that a directory is on; undefined on others. */
export function networkFileSystemOf(dir: string): string | undefined {
  return NETWORK_FILE_SYSTEMS.get(statfsSync(dir).type >>> 0)
}

/** Further file systems that operators should know by name (linux/magic.h). */
const OTHER_FILE_SYSTEMS = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x2fc12fc1, 'ZFS'],
  [0xf2f52010, 'F2FS'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlayfs'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
  [0x00c36400, 'Ceph'],
])

/** The name of the file system that a directory is on; its number when it is not a usual one. */
export function fileSystemOf(dir: string): string {
  const type = statfsSync(dir).type >>> 0
  return NETWORK_FILE_SYSTEMS.get(type) ?? OTHER_FILE_SYSTEMS.get(type) ?? `0x${type.toString(16)}`
}

/**
 * Creates an empty file with mode 0600 unless it exists; SQLite gives its side files the same mode. The flag is
 * exclusive because opening and closing a database file that this process already has open would drop its POSIX locks.
 * Returns whether it created the file.
 */
export function makePrivateFile(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx', 0o600))
    return true
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST') throw new AppError('config', `${resolve(file)} cannot be created: ${message}`)
    return false
  }
}
