import { resolve } from 'node:path'
import type { LoadedConfig } from '../../platform/config/config.ts'
import { shellWord } from '../output/shell.ts'

/** What makes a command find the same database. */
export interface Target {
  /** Flags, each with a space before it. */
  words: string
  /** A variable that the other terminal needs, because its value must not be shown. */
  variable: string | undefined
}

/**
 * What a command of another terminal in the same folder needs so that it works on this database. `named` are the flags (or
 * variables) with which this process was started.
 */
export function targetWords(
  { config, sources, file }: LoadedConfig & { file?: string },
  named: { config?: string | undefined; 'database-url'?: string | undefined },
): Target {
  const given = {
    '--config': named.config && file,
    '--data-dir': resolve(config.dataDir) === resolve('./data') ? undefined : resolve(config.dataDir),
    // Without a password: one is refused in a flag.
    '--database-url': named['database-url'],
  }
  const words = Object.entries(given).flatMap(([flag, value]) => (value ? [` ${flag} ${shellWord(value)}`] : []))
  return {
    words: words.join(''),
    variable: sources['database.url'] === 'environment' ? 'APPSVC_DATABASE_URL' : undefined,
  }
}
