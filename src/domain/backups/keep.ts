import { isOwnName, keyName, type Manifest, manifestName, readManifest } from './manifest.ts'
import type { BackupStore } from './stores/store.ts'

/** A backup in a store, with its manifest. */
export interface KeptBackup {
  name: string
  manifest: Manifest
}

/** At most `limit` backups with names that we chose, newest first. One without a manifest is not complete and is left out. */
export async function listBackups(store: BackupStore, limit = Infinity): Promise<KeptBackup[]> {
  const names = new Set(await store.names())
  const found: KeptBackup[] = []
  for (const name of [...names].filter(isOwnName).toSorted().reverse()) {
    if (found.length >= limit) break
    if (!names.has(manifestName(name))) continue
    const manifest = readManifest((await store.getText(manifestName(name))) ?? '')
    if (manifest) found.push({ name, manifest })
  }
  return found
}

/**
 * Deletes all but the newest `keep` backups of this database: only files with names that we chose, and only those of the same master key,
 * because two servers may use one directory. Returns their names.
 */
export async function removeOld(store: BackupStore, keep: number, keyCheck: string | null): Promise<string[]> {
  const mine = (await listBackups(store)).filter(({ manifest }) => manifest.keyCheck === keyCheck)
  const old = mine.slice(keep).map(({ name }) => name)
  for (const name of old) {
    // The manifest first: a backup that is half deleted must not look complete.
    for (const file of [manifestName(name), name, keyName(name)]) await store.remove(file)
  }
  return old
}
