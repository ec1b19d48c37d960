import { expect } from 'chai'
import { createLoadReporter } from '../../src/workers/load.ts'
import { type OpenConsole, useConsole } from './support/console.ts'

describe('the server in the console', () => {
  let console: OpenConsole

  useConsole((opened) => (console = opened))

  it('an operator sees how the server is, and finds a setting', async () => {
    await console.visit('/health')
    await console.sees('Last backup')
    await console.press('Settings')
    await console.type('Search settings', 'audit.retention')
    await console.sees('audit.retentionDays')
  })

  it('an operator sees the load of the server, and what to do where it makes no backups', async () => {
    const { program } = console.server
    const reporter = createLoadReporter(program, { cpuMs: () => 0 })
    for (let minute = 0; minute < 3; minute++) {
      console.server.clock.advance(60_000)
      await reporter.report()
    }
    await console.visit('/operating?period=hour')
    await console.sees('Processor')
    await console.sees('This server makes none by itself.')
    expect(await console.page.title()).to.match(/^Operating/)
    expect(await console.page.evaluate('document.querySelectorAll(".chart svg").length')).to.be.at.least(7)
  })

  it('an owner invites somebody, changes what they may do and takes the access away', async () => {
    await console.visit('/people')
    await console.sees('You')
    expect(await console.page.evaluate('document.body.innerText')).to.not.include('Invited')
    await console.press('Invite somebody')
    await console.type('E-mail address', 'bert@example.com')
    await console.type('Name', 'Bert')
    await console.press('Create the invitation')
    await console.sees('Hand this link to Bert')
    await console.sees('/console/link#token=once_')
    await console.press('Copy')
    await console.press('Done')
    expect(await console.page.evaluate('document.body.innerText')).to.include('Invited')
    await console.press('Actions for Bert: Change')
    await console.press('Change roles')
    await console.press('Another role')
    await console.press('Change the roles')
    await console.sees('Viewer of the server')
    await console.press('Actions for Bert: Change')
    await console.press('Remove access')
    await console.sees('Take all access away from Bert?')
    await console.press('Remove access')
    await console.sees('Bert has no access any more.')
    const { people } = await console.server.program.admins.list({ limit: 100 })
    expect(people.map(({ admin }) => admin.name)).to.not.include('Bert')
  })

  it('the audit log tells what was done, and shows before and after', async () => {
    await console.visit('/audit')
    await console.sees('removed the access of bert@example.com')
    await console.press('Details')
    await console.press('Raw')
    await console.sees('Before')
  })

  it('a marketer has neither health nor people', async () => {
    await console.leave()
    await console.enter([{ appId: console.appId, role: 'marketer' }])
    await console.visit(`/apps/${console.appId}`)
    expect(await console.page.evaluate('document.querySelector("nav").innerText')).to.not.match(/Health|People|Audit/)
  })
})
