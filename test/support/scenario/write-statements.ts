/**
 * Writes statements.txt: plays the scenario on both databases and notes how each statement chooses rows.
 *
 *     node test/support/scenario/write-statements.ts
 */
import { writeFileSync } from 'node:fs'
import { stopShared } from '../at-end.ts'
import { hear, touchesRows } from '../hear.ts'
import { startPostgres } from '../postgres.ts'
import { type DatabaseKind, openTestProgram } from '../program.ts'
import { digestOf, STATEMENTS_FILE } from './digest.ts'
import { SCENARIO } from './scenario.ts'
import { openStage, STAGE_SETTINGS } from './stage.ts'
import { makeWorld } from './world.ts'

const INSTALLS = 2000

async function digestsOn(kind: DatabaseKind): Promise<Set<string>> {
  const test = await openTestProgram({ kind, settings: STAGE_SETTINGS })
  const stage = await openStage({ ...test, world: await makeWorld(test.program, test.first.id, INSTALLS) })
  const heard = new Set<string>()
  const end = hear(test.program.kernel.db, (one) => {
    const digest = touchesRows(one) ? digestOf(one.sql) : undefined
    if (digest !== undefined) heard.add(digest)
  })
  for (const row of SCENARIO) {
    const act = await row.act(stage)
    await act.run()
    await act.after?.()
  }
  end()
  await stage.close()
  await test.close()
  return heard
}

await startPostgres()
const all = new Set([...(await digestsOn('sqlite')), ...(await digestsOn('postgres'))])
await stopShared()
writeFileSync(STATEMENTS_FILE, `${[...all].toSorted().join('\n')}\n`)
