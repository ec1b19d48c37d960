/** Age at which a file that no open import needs is deleted. */
export const ORPHAN_MS = 3_600_000

/** A file that is being received. */
export interface KeptFile {
  write(chunk: Buffer): Promise<void>
  /** Completes the file. It survives a power cut once this resolves. */
  end(): Promise<void>
  /** Deletes the file. May be called at any time. */
  discard(): Promise<void>
}

/** Keeps files of subscribers until they are applied: on disk, or in the database. */
export interface FileKeeper {
  begin(id: string): Promise<KeptFile>
}
