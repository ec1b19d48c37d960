import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds on the page as it is now: one line for each rule. `rules`: only these, all of them without. */
export async function axe(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE)
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) }
  const found = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
}

interface AxeResults {
  violations: { id: string; nodes: { target: string[] }[] }[]
}
