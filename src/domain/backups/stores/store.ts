import type { Clock } from '../../../platform/time/clock.ts'

/** Where backups are kept: a directory, or a prefix of an S3-compatible store. Names have no path. */
export interface BackupStore {
  /** The address of a file, as people write it. */
  addressOf(name: string): string
  /** A directory on this machine in which the copy is made; a copy for a directory gets its name there without being moved. */
  readonly staging: string
  /** Creates what is missing, and removes what a killed backup has left. Throws when nothing can be stored here. */
  prepare(clock: Pick<Clock, 'now' | 'doubt'>): Promise<void>
  has(name: string): Promise<boolean>
  /**
   * Gives a complete, flushed file of `staging` its name; afterwards the file is gone. Throws `conflict` when the name is taken and
   * `overwrite` is not set.
   */
  put(draft: string, name: string, options: { overwrite: boolean; signal?: AbortSignal | undefined }): Promise<void>
  /** Stores a small text, readable by its owner only, and replaces an earlier one. */
  putText(name: string, text: string): Promise<void>
  /** Undefined when there is none. */
  getText(name: string): Promise<string | undefined>
  names(): Promise<string[]>
  remove(name: string): Promise<void>
  /** Ends uploads of this name that a process left open when it was killed. */
  abandon(name: string): Promise<void>
  /** Writes a file of the store to a new file of mode 0600. Throws `not_found`. */
  fetch(name: string, to: string, options: FetchOptions): Promise<void>
}

interface FetchOptions {
  signal?: AbortSignal | undefined
  /** Called as bytes arrive. */
  onProgress?(done: number, total: number): void
}

/** A store, and the file in it that is meant; undefined when the store itself was named. */
export interface Place {
  store: BackupStore
  name: string | undefined
}

/** How to reach an S3-compatible store. Credentials come from where the SDK finds them, never from here. */
export interface S3Settings {
  /** Empty: that of Amazon, or `AWS_ENDPOINT_URL_S3`. */
  endpoint: string
  /** Empty: that of the environment or the files of the SDK. */
  region: string
  /** The bucket in the path instead of the host name, as MinIO wants it. */
  pathStyle: boolean
}
