import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../src/config.ts'
import { openProgram } from '../../src/open.ts'
import { addInstall } from '../support/installs.ts'
import { run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('appsvc schedules', () => {
  const { dir, end } = temporaryDirectory()
  const data = join(dir, 'data')
  const run = (argv: string[], stdin = '') => runAnywhere([...argv, '--data-dir', data], { stdin })
  after(end)

  const schedule = { sendAt: '2040-07-01 09:00', strategy: 'local', pastTimes: 'ignore' }
  before(async () => {
    await run(['apps', 'create', 'First'])
    const { config } = await loadConfig({ environment: {}, flags: { dataDir: data } })
    const program = openProgram({ config })
    for (const [id, tz] of [
      ['one', 'Europe/Berlin'],
      ['two', 'Europe/Paris'],
      ['three', 'Asia/Tokyo'],
    ] as const) {
      await addInstall(program, 1, id)
      const event = { type: 'k.stats.installTracked', uuid: 'z', timestamp: Date.now(), data: { device: { tz } } }
      await program.inTransaction((tx) => tx.events.ingest(1, id, [event]))
    }
    await program.close()
    const body = { target: { broadcast: true }, content: { title: 'Summer', message: 'm' } }
    await run(['notify'], JSON.stringify({ ...body, schedule }))
    await run(['notify'], JSON.stringify(body))
  })

  it('list shows what is scheduled and when it is due next', async () => {
    const { stdout } = await run(['schedules', 'list'])
    expect(stdout).to.include('2040-07-01 09:00 local').and.include('Summer')
    const { notifications } = (await run(['schedules', 'list', '--json'])).json<{ notifications: object[] }>()
    expect(notifications).to.have.length(1)
    expect(notifications[0]).to.deep.include({ id: 1, status: 0, schedule })
  })

  it('preview tells how many get it when, and where they are', async () => {
    const preview = (await run(['schedules', 'preview', '1', '--json'])).json<{ instants: object[] }>()
    expect(preview).to.include({ id: 1, unknownZones: 0 })
    expect(preview.instants).to.deep.equal([
      { at: '2040-07-01T00:00:00+0000', state: 'due', installs: 1, zones: ['Asia/Tokyo'] },
      { at: '2040-07-01T07:00:00+0000', state: 'due', installs: 2, zones: ['Europe/Berlin', 'Europe/Paris'] },
    ])
    expect((await run(['schedules', 'preview', '1'])).stdout).to.include('Europe/Berlin, Europe/Paris')
    expect((await run(['schedules', 'preview', '2'])).stderr).to.include('no schedule')
    expect((await run(['schedules', 'preview', '9'])).code).to.equal(66)
  })

  it('update changes what it says and when', async () => {
    const change = {
      content: { title: 'Summer!', message: 'm' },
      schedule: { ...schedule, sendAt: '2040-07-02 09:00' },
    }
    const edited = await run(['schedules', 'update', '1', '--file', '-'], JSON.stringify(change))
    expect(edited.stdout).to.equal('Notification 1 is edited: it is due 2040-07-02 09:00 local.\n')
    expect((await run(['schedules', 'list'])).stdout)
      .to.include('2040-07-02 09:00 local')
      .and.include('Summer!')
    const json = await run(['schedules', 'update', '1', '--file', '-', '--json'], JSON.stringify({ schedule }))
    expect(json.json()).to.deep.include({ id: 1, title: 'Summer!', schedule })
    const wrong = await run(['schedules', 'update', '1', '--file', '-'], '{"contents":{}}')
    expect(wrong.code).to.equal(65)
    expect(wrong.stderr).to.include('contents is no key of the request')
    expect((await run(['schedules', 'update', '1', '--file', '-'], '[]')).stderr).to.include('one JSON object')
    const nobody = await run(['schedules', 'update', '1', '--file', '-'], '{"target":{"installIds":["gone"]}}')
    expect(nobody.stderr).to.include('nobody that the target names can be reached: notification 1 is unchanged')
  })

  it('update asks for the number of recipients where the app wants it', async () => {
    await run(['apps', 'restrain', '1', '--confirm-above', '2'])
    const change = JSON.stringify({ content: { title: 'Summer', message: 'm' } })
    const refused = await run(['schedules', 'update', '1', '--file', '-'], change)
    expect(refused.stderr).to.include('confirm must be the number of recipients or more: at least 3')
    const edited = await run(['schedules', 'update', '1', '--file', '-', '--confirm', '3'], change)
    expect(edited.code).to.equal(0)
    await run(['apps', 'restrain', '1', '--confirm-above', 'off'])
  })

  it('send-now makes it due, once', async () => {
    await run(
      ['notify'],
      JSON.stringify({ target: { broadcast: true }, content: { title: 'Soon', message: 'm' }, schedule }),
    )
    expect((await run(['schedules', 'send-now', '3'])).stdout).to.equal('Notification 3 is being sent.\n')
    const again = await run(['schedules', 'send-now', '3'])
    expect(again.code).not.to.equal(0)
    expect(again.stderr).to.include('notification 3 is not scheduled and cannot be edited')
  })

  it('cancel does so once', async () => {
    expect((await run(['schedules', 'cancel', '1', '--json'])).json()).to.deep.equal({ id: 1, cancelled: true })
    const again = await run(['schedules', 'cancel', '1'])
    expect(again.code).not.to.equal(0)
    expect(again.stderr).to.include('already cancelled')
    expect((await run(['schedules', 'list'])).stdout).to.include('Nothing is scheduled.')
    expect((await run(['notifications', 'show', '1'])).stdout).to.match(/^schedule +2040-07-01 09:00 local$/m)
  })
})
