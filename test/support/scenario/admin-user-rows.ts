import { type Row, row } from './row.ts'
import type { Stage } from './stage.ts'

/** Calls of people about users, crashes and check-ins. */

const see = (s: Stage, path: string) => s.call('GET', `/admin/v1/apps/${s.first.id}${path}`, { auth: 'person' })

async function userNumber({ program, first, some }: Stage): Promise<number> {
  return (await program.crm.showUser(first.id, `user-${some()}`)).id
}

const seeing = (path: string, what: string, asked: (s: Stage) => string | Promise<string>, more: Partial<Row> = {}) =>
  row(`get admin /v1/apps/:appId/${path}`, async (s) => see(s, await asked(s)), { what, ...more })

/** A new user, and one who is there. */
const importing = (s: Stage, more: string) =>
  s.call('POST', `/admin/v1/apps/${s.first.id}/users/import${more}`, {
    auth: 'person',
    body: {
      users: [
        { userId: `from-a-file-${s.next()}`, attributes: { plan: 'gold' } },
        { userId: `user-${s.some()}`, attributes: { plan: 'gold' } },
      ],
    },
  })

export const ADMIN_USER_ROWS: readonly Row[] = [
  seeing('profiles', 'everybody', () => '/profiles'),
  seeing('profiles', 'a name', (s) => `/profiles?q=user-${s.some()}`),
  seeing('profiles', 'an attribute', () => '/profiles?q=plan%20%3D%20gold&limit=10'),
  seeing('profiles', 'a part of a word', () => '/profiles?q=eidelber&after=in%3A0'),
  ...['created', 'identifier', '-identifier', '-lastActive'].map((sort) =>
    seeing('profiles', `sorted by ${sort}`, () => `/profiles?sort=${sort}`),
  ),
  seeing('profiles', 'sorted by activity, a later page', () => '/profiles?sort=-lastActive&after=1767225600000-5'),
  seeing('profiles/count', '', () => '/profiles/count?q=plan%20%3D%20gold'),
  seeing('profiles/export', '', () => '/profiles/export?q=user-1'),
  row('post admin /v1/apps/:appId/users/import', (s) => importing(s, '')),
  row('post admin /v1/apps/:appId/users/import/preview', (s) => importing(s, '/preview')),
  seeing('profiles/suggestions', '', (s) => `/profiles/suggestions?q=user-${s.some()}`),
  seeing('profiles/:profileId', '', async (s) => `/profiles/${await userNumber(s)}`),
  seeing('profiles/:profileId/timeline', '', async (s) => `/profiles/${await userNumber(s)}/timeline`, {
    larger: 'looks at every page of the notifications',
    most: 5,
  }),
  seeing(
    'profiles/:profileId/notifications/:id',
    '',
    async (s) => `/profiles/${await userNumber(s)}/notifications/${s.world.big}`,
    { larger: 'looks at every page of the notification' },
  ),
  seeing('crash-groups', '', () => '/crash-groups', { larger: 'groups every report that is kept', most: 5 }),
  seeing('crashes', '', () => '/crashes?limit=20'),
  seeing('crashes/:crashId', '', async (s) => {
    const [one] = await s.program.crashes.list(s.first.id, {}, undefined, 1)
    return `/crashes/${one!.id}`
  }),
  seeing('checkins', '', () => '/checkins'),
  seeing('checkins', 'open ones', () => '/checkins?state=open'),
  seeing('checkins', 'of a user', (s) => `/checkins?userId=user-${s.some()}`),
]
