import type { UserWithInstalls } from '../../domain/crm/types.ts'
import { userImportForm } from '../../domain/imports/users/schema.ts'
import type { UserImportOptions } from '../../domain/imports/users/service.ts'
import { exportProfiles } from '../../domain/profiles/schema.ts'
import type { Infer } from '../../platform/values/parse.ts'
import { exportedUsers } from '../../present/admin/profiles.ts'
import { usersImported } from '../../present/admin/user-imports.ts'
import { type Call, CSV, get, post, Reply, type Route, recordsOf } from '../routing/route.ts'
import { findProfiles } from './reads.ts'

/** Users that one step of an export reads. */
const STEP = 500

type AnyCall = Pick<Call<unknown, unknown>, 'tx' | 'program' | 'appId' | 'person' | 'gone'>

/** Finds all users who fit a search, the oldest first, in steps: nobody waits for more than one. Throws `invalid` as a search does. */
async function everyFound(call: AnyCall, text: string): Promise<AsyncIterable<UserWithInstalls>> {
  const find = (after: string | undefined) => findProfiles(call, { text, sort: 'created', after, limit: STEP })
  const first = await find(undefined)
  async function* users() {
    for (let page = first; ; page = await find(page.next)) {
      yield* await call.program.profiles.users(call.appId, page.ids)
      if (page.next === null) return
    }
  }
  return users()
}

const IMPORT = {
  area: 'admin',
  needs: 'person',
  right: 'operate',
  takes: 'UserImport',
  sends: { users: [{ userId: 'anna', attributes: { plan: 'gold' } }], mode: 'merge' },
  body: userImportForm,
  status: 200,
  returns: usersImported,
} as const

type ImportBody = Infer<typeof userImportForm>

async function importUsers({ tx, appId }: Pick<AnyCall, 'tx' | 'appId'>, body: ImportBody, isTrial: boolean) {
  const { users, mode, knownOnly = false, includeErased = false } = body
  const options: UserImportOptions = { replaces: mode === 'replace', knownOnly, includeErased, isTrial }
  return tx.userImports.store(appId, users, options)
}

/** Users from a file, and users as a file. */
export const userFileRoutes: readonly Route[] = [
  get('/v1/apps/:appId/profiles/export', {
    area: 'admin',
    needs: 'person',
    right: 'operate',
    fresh: true,
    summary: 'Export the users who fit a search as CSV',
    description:
      'A header, then a line for each user, the oldest first: `user_id`, times, how many installs they have, and attributes. Attributes that the newest users have get ' +
      'a column each, at most 100; the others are JSON in the last column. Texts that a spreadsheet would run as formulas begin with ' +
      'a quote, which an import removes.',
    audit: 'profiles.export',
    produces: CSV,
    query: exportProfiles,
    headers: { 'Content-Disposition': ['The name for the file.', 'attachment; filename="users.csv"'] },
    run: async (call) => {
      const { tx, appId, query } = call
      const { head, record } = exportedUsers(await tx.profiles.attributeNames(appId))
      const users = await everyFound(call, query.q)
      return new Reply(200, recordsOf(head, users, record), {
        'Content-Type': `${CSV}; charset=utf-8`,
        'Content-Disposition': 'attachment; filename="users.csv"',
      })
    },
  }),
  post('/v1/apps/:appId/users/import', {
    ...IMPORT,
    summary: 'Store the attributes of many users, and create those who are not there',
    description:
      'At most 1000 users a call. `mode` says whether the attributes are merged into those of the user (as a merge patch: `null` deletes one), ' +
      'or replace them. `knownOnly` refuses users who are not there. Users who were erased here are refused, unless `includeErased` is true. A row that is ' +
      'refused keeps no other from being stored. No events are recorded.',
    audit: 'users.import',
    run: async (call) => {
      const stored = await importUsers(call, call.body, false)
      const { created, changed, refused } = stored
      call.note({ after: { created, changed, refused: refused.length } })
      return usersImported.present(stored)
    },
  }),
  post('/v1/apps/:appId/users/import/preview', {
    ...IMPORT,
    summary: 'Say what an import of users would do',
    description: 'Takes what the import takes, and answers the same. Nothing is written.',
    reads: true,
    run: async (call) => usersImported.present(await importUsers(call, call.body, true)),
  }),
]
