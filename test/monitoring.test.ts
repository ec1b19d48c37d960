import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { parse } from 'yaml'
import { createCatalogue } from '../src/server/metrics/catalogue.ts'
import { createRequestCounts } from '../src/server/metrics/request-counts.ts'
import { needs } from './support/needs.ts'
import { openTestProgram } from './support/program.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const ROOT = join(import.meta.dirname, '..')
const MONITORING = join(ROOT, 'packaging/monitoring')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** The names of metrics in a text. */
const namesIn = (text: string): string[] => [...new Set(text.match(/\bappsvc_[a-z0-9_]+\b/g))].sort()

/** Removes what a scrape adds to the name that was declared. */
const withoutSuffix = (name: string) => name.replace(/_(bucket|sum|count)$/, '')

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; remedy: string }
}

describe('monitoring', () => {
  let declared: string[]
  let ofWorker: string[]
  before(async () => {
    const { program, close } = await openTestProgram()
    const declaredIn = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!).sort()
    const sources = { counts: createRequestCounts(), waitingClicks: () => 0 }
    declared = declaredIn(await createCatalogue(program, sources).text())
    ofWorker = declaredIn(await createCatalogue(program).text())
    await close()
  })

  const rules = () =>
    (parse(read('packaging/monitoring/alerts.yaml')) as { groups: { rules: Rule[] }[] }).groups[0]!.rules

  it('knows every metric that the board and the rules name', () => {
    for (const file of ['grafana.json', 'alerts.yaml', 'alerts.test.yaml']) {
      const named = namesIn(read(`packaging/monitoring/${file}`)).map(withoutSuffix)
      expect(
        named.filter((name) => !declared.includes(name)),
        file,
      ).to.deep.equal([])
      expect(named.length, file).to.be.greaterThan(10)
    }
  })

  it('shows every metric on the board', () => {
    const shown = namesIn(read('packaging/monitoring/grafana.json')).map(withoutSuffix)
    expect(declared.filter((name) => !shown.includes(name))).to.deep.equal([])
  })

  it('describes every metric in docs/operating.md, and no other one', () => {
    const [, table = ''] = read('docs/operating.md').split('\nAll metrics:\n')
    const described = namesIn(table.split('\n## ')[0]!)
    expect(described).to.deep.equal(declared)
    const other = globSync('docs/**/*.md', { cwd: ROOT }).flatMap((file) =>
      // Personal tokens and files of the Debian package begin so, and a parameter of PostgreSQL and a function of SQL are no metrics either.
      namesIn(read(file)).filter(
        (name) =>
          !['appsvc_pt_', 'appsvc_0', 'appsvc_strict', 'appsvc_now'].includes(name) &&
          !declared.includes(withoutSuffix(name)),
      ),
    )
    expect(other).to.deep.equal([])
  })

  it('of a worker lacks only what the doors count', () => {
    const lacking = declared.filter((name) => !ofWorker.includes(name))
    expect(lacking).to.deep.equal([
      'appsvc_device_refusals_total',
      'appsvc_http_request_duration_seconds',
      'appsvc_http_requests_total',
      'appsvc_link_clicks_waiting',
      'appsvc_refusals_total',
    ])
    expect(ofWorker.filter((name) => !declared.includes(name))).to.deep.equal([])
  })

  it('lists every alert in docs/operating.md, each with a severity and a remedy', () => {
    const docs = read('docs/operating.md')
    for (const { alert, labels, annotations } of rules()) {
      expect(docs, alert).to.include(`\`${alert}\``)
      expect(['page', 'ticket'], alert).to.include(labels.severity)
      expect(annotations.remedy, alert).to.not.equal('')
    }
  })

  it('has a board without panels on top of each other', () => {
    interface Panel {
      title: string
      gridPos: { x: number; y: number; w: number; h: number }
    }
    const { panels } = JSON.parse(read('packaging/monitoring/grafana.json')) as { panels: Panel[] }
    const cells = new Map<string, string>()
    for (const { title, gridPos: at } of panels) {
      expect(at.x + at.w, title).to.be.at.most(24)
      for (let x = at.x; x < at.x + at.w; x++) {
        for (let y = at.y; y < at.y + at.h; y++) {
          expect(cells.get(`${x} ${y}`), title).to.equal(undefined)
          cells.set(`${x} ${y}`, title)
        }
      }
    }
  })

  describe('by promtool', function () {
    this.timeout(PROGRAMS_MS)
    let promtoolPath: string
    const promtool = (...argv: string[]) => promisify(execFile)(promtoolPath, argv, { cwd: MONITORING })

    before(function () {
      promtoolPath = needs(this, 'promtool')
    })

    it('has rules that are valid', async () => {
      const { stdout } = await promtool('check', 'rules', 'alerts.yaml')
      expect(stdout).to.include(`SUCCESS: ${rules().length} rules found`)
    })

    it('finds nothing wrong with what a scrape says, of a server and of a worker', async () => {
      const { program, close } = await openTestProgram()
      const sources = { counts: createRequestCounts(), waitingClicks: () => 0 }
      try {
        for (const catalogue of [createCatalogue(program, sources), createCatalogue(program)]) {
          const running = promisify(execFile)(promtoolPath, ['check', 'metrics'])
          running.child.stdin!.end(await catalogue.text())
          const { stdout, stderr } = await running
          expect(stdout + stderr).to.equal('')
        }
      } finally {
        await close()
      }
    })

    it('has alerts that fire when something is wrong, and are silent when nothing is', async () => {
      expect((await promtool('test', 'rules', 'alerts.test.yaml')).stdout).to.include('SUCCESS')
      // Each of them has to fire in the second world.
      expect(read('packaging/monitoring/alerts.test.yaml')).to.include(`- value: ${rules().length}\n`)
    })
  })
})
