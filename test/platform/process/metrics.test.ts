import { expect } from 'chai'
import { createMetrics } from '../../../src/platform/process/metrics.ts'

describe('metrics', () => {
  it('are written with prefix, help, type and escaped labels', async () => {
    const metrics = createMetrics('x_')
    metrics.counter({ name: 'sent_total', help: 'What was sent', labels: ['to'] }).inc({ to: 'a"b\nc' }, 3)
    const text = await metrics.text()
    expect(text).to.include('# HELP x_sent_total What was sent\n# TYPE x_sent_total counter\n')
    expect(text).to.include('x_sent_total{to="a\\"b\\nc"} 3\n')
    expect(metrics.contentType).to.match(/^text\/plain; version=0\.0\.4/)
  })

  it('measure the process from the start, in every registry', async () => {
    for (const prefix of ['a_', 'b_']) {
      const text = await createMetrics(prefix).text()
      const value = (series: string) => Number(text.split(`\n${prefix}${series} `)[1]!.split('\n')[0])
      expect(value('process_resident_memory_bytes')).to.be.greaterThan(1e6)
      expect(value('process_cpu_seconds_total')).to.be.greaterThan(0)
      expect(value('process_start_time_seconds')).to.be.closeTo(Date.now() / 1000 - process.uptime(), 2)
      expect(value('event_loop_lag_seconds{percentile="50"}')).to.be.within(0, 10)
    }
  })

  it('of one registry are none of another', async () => {
    createMetrics('x_').gauge({ name: 'own', help: 'h' }).set(1)
    expect(await createMetrics('x_').text()).to.not.include('x_own')
  })
})
