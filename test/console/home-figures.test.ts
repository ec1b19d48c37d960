import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Change = typeof import('../../src/console/pages/home/change.ts')
type Remedy = typeof import('../../src/console/pages/health/remedy.ts')
type Periods = typeof import('../../src/console/parts/periods.ts')

describe('figures of the home', () => {
  it('say how they differ from those of the days before in a sign and a word', async () => {
    const { changeInWords } = await loadPure<Change>('pages/home/change.ts')
    const said = (now: number, before?: number) => changeInWords(now, before)
    expect(said(162, 150)).to.equal('+12, up from 150')
    expect(said(150, 162)).to.equal('−12, down from 162')
    expect(said(3, 0)).to.equal('+3, up from 0')
    expect(said(1_250_000, 1_200_000)).to.equal('+50K, up from 1.2M')
    expect(said(4, 4)).to.equal('as many as before')
    expect(said(0, 0)).to.equal('none before either')
    expect(said(4)).to.equal(undefined)
  })

  it('stand below findings that begin with a capital, unless they begin with the name of a host or a setting', async () => {
    const { sentence } = await loadPure<{ sentence(text: string): string }>('pages/delivery/words.ts')
    expect(sentence('webhook 3 of app 1 is off: 5 tries failed')).to.equal('Webhook 3 of app 1 is off: 5 tries failed')
    expect(sentence('fcm.googleapis.com cannot be reached')).to.equal('fcm.googleapis.com cannot be reached')
    expect(sentence('backup.to names no directory')).to.equal('backup.to names no directory')
    expect(sentence('')).to.equal('')
  })

  it('offer a remedy to copy only where it is a command and nothing else', async () => {
    const { isTyped } = await loadPure<Remedy>('pages/health/remedy.ts')
    for (const line of ['appsvc webhooks attempts --app 1 3', 'chmod 600 /var/lib/appsvc/master.key'])
      expect(isTyped(line), line).to.equal(true)
    for (const prose of [
      'end it (appsvc series end), and make it again: it breaks when it is planned next',
      'chmod 700 /data, or appsvc doctor --fix',
      'see the name servers in /etc/resolv.conf',
      'appsvc is old: update it',
    ])
      expect(isTyped(prose), prose).to.equal(false)
  })

  it('are of the period in the address, and of 30 days where it names none', async () => {
    const { periodOf } = await loadPure<Periods>('parts/periods.ts')
    expect(['7', '30', '90'].map(periodOf)).to.deep.equal(['7', '30', '90'])
    for (const given of [null, '', '8', '91', '-7', '7.0', ' 7', 'week']) expect(periodOf(given)).to.equal('30')
  })
})
