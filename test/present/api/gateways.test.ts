import { expect } from 'chai'
import type { AppRecord } from '../../../src/domain/apps/types.ts'
import type { GatewayConfig } from '../../../src/domain/gateways/types.ts'
import { presentAppConfiguration } from '../../../src/present/api/gateways.ts'

const AT = Date.parse('2026-03-01T12:00:00Z')

describe('the configuration of an app', () => {
  const app = { id: 1, accountId: 1, createdAt: AT, updatedAt: AT + 1000 } as AppRecord
  const config = (platform: GatewayConfig['platform'], updatedAt: number, ...warnings: string[]) =>
    ({ platform, createdAt: AT, updatedAt, facts: { warnings } }) as unknown as GatewayConfig

  it('names each warning with its platform, and has none without', () => {
    const { warnings } = presentAppConfiguration(app, [config('ios', AT, 'it ends soon'), config('android', AT)])
    expect(warnings).to.deep.equal(['ios: it ends soon'])
    expect(presentAppConfiguration(app, [config('ios', AT)])).to.not.have.property('warnings')
  })

  it('was changed when it or one of its gateways was', () => {
    const changed = (...configs: GatewayConfig[]) => presentAppConfiguration(app, configs).updatedAt
    expect(changed()).to.equal('2026-03-01T12:00:01+0000')
    expect(changed(config('ios', AT), config('web', AT + 5000))).to.equal('2026-03-01T12:00:05+0000')
    expect(changed(config('ios', AT))).to.equal('2026-03-01T12:00:01+0000')
  })
})
