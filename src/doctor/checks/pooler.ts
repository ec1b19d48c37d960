import { databaseOf } from '../../open.ts'
import {
  findPooler,
  POOL_MODE_REMEDY,
  POOLER_PROBLEMS,
  POOLER_REMEDY,
  type Pooler,
  type PoolerFound,
} from '../../platform/db/pooler.ts'
import { type Check, error, type Finding, info, ok } from './types.ts'

/** Checks whether `database.pooler` fits the pooler that is before PostgreSQL. */
export const poolerCheck: Check = {
  name: 'pooler',
  group: 'database',
  needs: 'database',
  async run({ config }) {
    const { url, pooler = 'none' } = databaseOf(config)
    return url ? [judgePooler(await findPooler(url), pooler)] : []
  },
}

/** Judges the setting `database.pooler` by the pooler that was found. */
export function judgePooler(found: PoolerFound, pooler: Pooler): Finding {
  if (found === 'statement') return error(POOLER_PROBLEMS.statement, POOL_MODE_REMEDY)
  if (found === 'transaction') {
    if (pooler === 'none') return error(POOLER_PROBLEMS.transaction, POOLER_REMEDY)
    return ok('a pooler in transaction mode is before PostgreSQL, as database.pooler says')
  }
  const what = found === 'none' ? 'no pooler' : 'a pooler in session mode'
  if (pooler === 'none') return ok(`${what} is before PostgreSQL`)
  return info(`${what} is before PostgreSQL: with database.pooler: none, statements cost less`)
}
