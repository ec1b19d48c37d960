import type { UsersStored } from '../../domain/imports/users/service.ts'
import { answer, count, list, object, string, told } from '../schema.ts'

/** Results of some rows of a file of users. */
export const usersImported = answer<UsersStored>()('UsersImported', 'What became of some rows of a file of users.', {
  created: told(count, 'Users who were not there before.', 12),
  changed: told(count, 'Users whose attributes are others now, a user for each row.', 480),
  unchanged: told(count, 'Rows that say what was known already.', 5),
  refused: told(
    list(
      object('RefusedUser', 'A row that was not stored.', {
        index: told(count, 'Its place in the request, from 0.', 3),
        userId: told(string, 'The user id of the row.', 'anna'),
        reason: told(string, 'Why, as the end of a sentence.', 'there is no such user'),
      }),
    ),
    'Rows that were not stored. They keep no other from being stored.',
    [],
  ),
})
