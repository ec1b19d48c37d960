import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Rules of axe-core to ask; all of them without `only`. */
export interface AxeRules {
  only?: readonly string[]
  without?: readonly string[]
  /** Selectors of parts to leave out. Rules for the page as a whole are asked all the same. */
  besides?: readonly string[]
}

/** Findings of axe-core on the page as it is now: one line for each rule. */
export async function axe(page: Page, { only, without = [], besides = [] }: AxeRules = {}): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const options = {
    resultTypes: ['violations'],
    // It reads style sheets and media again, for rules that are off.
    preload: false,
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    ...(only && { runOnly: only }),
  }
  const context = besides.length === 0 ? 'document' : JSON.stringify({ exclude: besides.map((one) => [one]) })
  const found = (await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)})`)) as AxeResults
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

interface AxeResults {
  violations: { id: string; nodes: { target: string[] }[] }[]
}
