import { databaseOf } from '../../open.ts'
import { connect } from '../../platform/db/connect.ts'
import { markOf, type ReplicaState, SENTENCES, stateOf } from '../../platform/db/replica.ts'
import { messageOf } from '../../platform/errors.ts'
import { silentLog } from '../../platform/log/log.ts'
import { type Check, type Finding, info, ok, warning } from './types.ts'

const REMEDY = 'database.readUrl: that of a standby that streams from the primary of database.url'

/** Checks whether long reads can run on the standby that `database.readUrl` names. */
export const replicaCheck: Check = {
  name: 'replica',
  group: 'database',
  needs: 'database',
  async run({ config, storage: { db } }) {
    const url = config['database.readUrl'].reveal()
    if (db.kind === 'sqlite' || url === '') return []
    const standby = connect({ ...databaseOf(config), url, log: silentLog, pool: 1 })
    try {
      return [judgeReplica(await stateOf(standby.read, await markOf(db.read)))]
    } catch (failure) {
      return [warning(`database.readUrl is not used, long reads go to the primary: ${messageOf(failure)}`, REMEDY)]
    } finally {
      await standby.close()
    }
  },
}

/** Judges the state of the standby. */
export function judgeReplica(state: ReplicaState): Finding {
  if (state === 'current') return ok('the standby of database.readUrl has all that is stored')
  if (state === 'behind') {
    return info(
      'the standby of database.readUrl is behind at this moment: long reads wait for it, or go to the primary',
    )
  }
  return warning(`${SENTENCES[state]}: long reads go to the primary`, REMEDY)
}
