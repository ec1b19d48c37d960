import { Flags } from '@oclif/core'
import type { UserWithInstalls } from '../../../domain/crm/types.ts'
import type { UserSearch } from '../../../domain/segments/user-search/schema.ts'
import { AppError } from '../../../platform/errors.ts'
import { parseJsonText } from '../../../platform/json/json.ts'
import { appFlag } from '../../input/args.ts'
import { readJsonFile } from '../../input/files.ts'
import { inFlagNames } from '../../input/flag-names.ts'
import { appCommand } from '../../kinds/app-command.ts'
import type { Output } from '../../output/output.ts'
import { countOf } from '../../output/plural.ts'
import { shortTime } from '../../output/present.ts'

const searchFlags = {
  filter: Flags.string({
    helpValue: 'FILE',
    description: 'JSON file with conditions on users, or - for standard input (docs/segments.md)',
  }),
  attribute: Flags.string({
    helpValue: 'NAME=VALUE',
    multiple: true,
    description: 'only users with this attribute; the value is JSON, or else text',
  }),
  channel: Flags.string({ helpValue: 'UUID', description: 'only users who are subscribed to this channel' }),
  segment: Flags.string({ helpValue: 'SEGMENT', description: 'only users with an install in this segment' }),
  'active-since': Flags.string({ helpValue: 'TIME', description: 'only users who were active then or later' }),
  after: Flags.integer({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    helpValue: 'NEXT',
    description: 'continue a search after the previous page, given its "next"',
  }),
}

/** Field of a search -> flag. */
const NAMES = { channelUuid: 'channel', segmentUuid: 'segment', activeSince: 'active-since' }

export const UsersList = appCommand({
  summary: 'List users with their installs in pages, oldest first, or search them',
  description: 'With one of --filter, --attribute, --channel, --segment, --active-since, --after it is a search.',
  examples: [
    'appsvc users list',
    'appsvc users list --page 1000 --per-page 100 --json',
    'appsvc users list --attribute plan=gold --channel news --active-since 2026-03-01',
  ],
  flags: {
    app: appFlag,
    page: Flags.integer({ default: 1, min: 1, helpValue: 'N', description: 'page number' }),
    'per-page': Flags.integer({ default: 50, min: 1, max: 1000, helpValue: 'N', description: 'users per page' }),
    ...searchFlags,
  },
  async read({ flags, io }): Promise<UserSearch | undefined> {
    const { filter, attribute = [], channel, segment, after } = flags
    const asked = [filter, channel, segment, after, flags['active-since'], attribute[0]]
    if (asked.every((one) => one === undefined)) return undefined
    if (flags.page !== 1) throw new AppError('usage', '--page cannot be combined with a search: continue with --after')
    const [{ readUsersQuery, usersQuery }, { parseText, present }] = await Promise.all([
      import('../../../domain/segments/user-search/schema.ts'),
      import('../../../platform/values/parse.ts'),
    ])
    const conditions = [
      ...(filter === undefined ? [] : [await readJsonFile(io, filter, '--filter')]),
      ...attribute.map(attributeCondition),
    ]
    const query = present({
      filter: conditions.length > 0 ? JSON.stringify({ and: conditions }) : undefined,
      channelUuid: channel,
      segmentUuid: segment,
      activeSince: flags['active-since'],
      after,
      numberPerPage: flags['per-page'],
    })
    return inFlagNames(NAMES, async () => {
      const { search = { limit: flags['per-page'] } } = readUsersQuery(parseText(usersQuery, query))
      return search
    })
  },
  async work({ program, appId, flags, input: search, out }) {
    const found = search ? await inFlagNames(NAMES, () => program.userSearch.find(appId, search)) : undefined
    if (found) {
      const { next } = found
      const users = await program.crm.usersByIds(appId, found.ids)
      if (out.json) return printJson(out, users, { next })
      await printTable(out, users, 'No user matches.')
      if (next !== null) out.note(`There may be more: --after ${next}`)
      return
    }
    const { users, total } = await program.crm.listUsers(appId, flags.page, flags['per-page'])
    const { presentUserPage } = await import('../../../present/api/crm.ts')
    if (out.json) return printJson(out, users, presentUserPage(total, flags.page))
    const shown = await printTable(
      out,
      users,
      total === 0 ? 'There are no users yet.' : 'There are no users on this page.',
    )
    if (shown > 0) out.note(`page ${flags.page} of ${Math.ceil(total / flags['per-page'])}, ${countOf(total, 'user')}`)
  },
})

/** `plan=gold`, `age=7`, `vip=true`: a condition as in segments. */
function attributeCondition(given: string): object {
  const [, name, text] = /^([^=]+)=([^]*)$/.exec(given) ?? []
  if (name === undefined) throw new AppError('usage', `--attribute ${given}: give NAME=VALUE, such as plan=gold`)
  let value: unknown = text
  try {
    value = parseJsonText(text!)
  } catch {
    // Text needs no quotes, and a number that is not kept is stored as text.
  }
  if (value === null || typeof value === 'object') value = text
  return { field: `attributes.${name}`, op: 'equals', value }
}

async function printTable(out: Output, users: AsyncIterable<UserWithInstalls>, none: string): Promise<number> {
  const rows = []
  for await (const user of users) {
    rows.push([
      user.identifier,
      user.installs.length,
      user.installs.filter((install) => install.subscribed).length,
      shortTime(user.lastActive),
      JSON.stringify(user.attributes),
    ])
  }
  out.table(['USER', 'INSTALLS', 'PUSH', 'LAST ACTIVE', 'ATTRIBUTES'], rows, none)
  return rows.length
}

/** Prints the answer that the HTTP interface gives, streamed so that it never has to fit in memory. */
async function printJson(
  out: Output,
  users: AsyncIterable<UserWithInstalls>,
  others: Record<string, unknown>,
): Promise<void> {
  const [{ presentUser }, { streamOf }, { textOf }] = await Promise.all([
    import('../../../present/api/crm.ts'),
    import('../../../server/routing/route.ts'),
    import('../../../server/http/stream.ts'),
  ])
  const list = streamOf(users, presentUser, { name: 'users', others })
  for await (const piece of textOf(list)) {
    out.piece(piece)
    await out.drained()
  }
  out.piece('\n')
}
