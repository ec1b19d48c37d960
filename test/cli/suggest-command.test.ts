import { expect } from 'chai'
import { COMMANDS, TOPICS } from '../../src/cli/commands.ts'
import { suggestCommand } from '../../src/cli/suggest-command.ts'

const ids = Object.keys(COMMANDS).map((id) => id.replaceAll(':', ' '))
const topics = Object.keys(TOPICS).filter((name) => !name.includes(':'))

describe('the command that somebody probably means', () => {
  const rows: [string, string | undefined][] = [
    ['users wipe', 'users delete'],
    ['users remove', 'users delete'],
    ['remove users', 'users delete'],
    ['user delet', 'users delete'],
    ['tables destroy', 'tables delete'],
    ['send', 'notify'],
    ['logs', 'events tail'],
    ['log', 'events tail'],
    ['people', 'admins'],
    ['people list', 'admins list'],
    ['quiet-hours', 'apps restrain'],
    ['quiet hours', 'apps restrain'],
    ['Devices', 'installs'],
    ['devcies', 'installs'],
    ['qiuet-hours', 'apps restrain'],
    ['devices delete', 'installs delete'],
    ['__proto__', undefined],
    ['constructor list', undefined],
    ['apps lst', 'apps list'],
    ['apps get', 'apps show'],
    ['user list', 'users list'],
    ['channels new', 'channels create'],
    ['apps creat', 'apps create'],
    ['apps keys', 'apps keys rotate'],
    ['stauts', 'status'],
    ['notif', 'notify'],
    ['appz', 'apps'],
    ['checkins delete', undefined],
    ['users upload', undefined],
    ['xyzzy', undefined],
    ['notifications cancel', 'schedules cancel'],
    ['notifications stats', 'notifications show'],
    ['push send', 'notify'],
    ['in-app send', 'notify'],
    ['users create', 'users import'],
    ['delete user', 'users delete'],
    ['erase user', 'users delete'],
    ['unblock', 'suppressions delete'],
    ['why anna', 'notifications trace'],
    ['dns', 'links check'],
    ['restart', undefined],
    ['stop', undefined],
    ['sso', undefined],
    ['list', undefined],
    ['seed', undefined],
    ['changelog', undefined],
  ]
  for (const [typed, meant] of rows) {
    it(`for ${typed} is ${meant ?? 'none'}`, () =>
      expect(suggestCommand(typed.split(' '), ids, topics)).to.equal(meant))
  }

  it('never removes anything when the words typed do not', () => {
    for (const topic of topics) {
      for (const verb of ['lst', 'shwo', 'creat', 'updat', 'delte-not', 'droplist', 'x']) {
        const meant = suggestCommand([topic, verb], ids, topics) ?? ''
        if (verb !== 'delte-not') expect(meant).to.not.match(/ (delete|drop|erase|remove|revoke|withdraw|cancel|down)$/)
      }
    }
  })
})
