import { dropPostgresDatabase, freshPostgresDatabase, stopPostgres } from '../../test/support/postgres.ts'

const DATABASES = ['sqlite', 'postgres'] as const
/** `url` is absent for SQLite. */
export interface BenchDatabase {
  url?: string
  drop(): Promise<void>
}

/** Creates an empty database of this kind. PostgreSQL gets a server of its own, which syncs to disk. */
export async function openDatabase(name: string): Promise<BenchDatabase> {
  if (name === 'sqlite') return { drop: async () => {} }
  if (name !== 'postgres') throw new Error(`there is no database ${name}: ${DATABASES.join(', ')}`)
  const url = await freshPostgresDatabase({ migrated: false, durable: true })
  return {
    url,
    async drop() {
      await dropPostgresDatabase(url)
      await stopPostgres()
    },
  }
}
