import type { Context } from 'mocha'
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core'
import { stopAtEnd } from './at-end.ts'
import { findProgram, needs } from './needs.ts'
import { skip } from './skip.ts'

/** The time that a start may take on a busy machine. */
const START_MS = 90_000

/** The browser of this process, or the reason why it does not start. */
let state: { browser: Promise<Browser> } | { doesNotStart: string } | undefined

/**
 * Leaves the suite out where this machine has no Chromium, or has one that does not start; the first line of a
 * `before`. It starts the one of this process to know, before the suite starts anything else.
 */
export async function needsChromium(context: Context): Promise<void> {
  needs(context, 'chromium')
  if (state === undefined) {
    await start().catch((error: unknown) => {
      state = { doesNotStart: firstWords(error) }
    })
  }
  if (state && 'doesNotStart' in state) skip(context, `Chromium does not start: ${state.doesNotStart}`)
}

/**
 * A browser without cookies, permissions and cache: a context of the Chromium of this process, which the first call starts. It speaks
 * to nobody but this machine. Close it when the suite is over, and its pages go too.
 */
export async function openBrowser(): Promise<BrowserContext> {
  const browser = await running()
  // One that crashed is not there for the next suite.
  return (browser?.connected ? browser : await start()).createBrowserContext()
}

async function running(): Promise<Browser | undefined> {
  return state && 'browser' in state ? state.browser.catch(() => undefined) : undefined
}

function start(): Promise<Browser> {
  const browser = launch()
  state = { browser }
  return browser
}

async function stop(): Promise<void> {
  const browser = await running()
  state = undefined
  await browser?.close()
}

/** Starts it without a window. */
function launch(): Promise<Browser> {
  stopAtEnd(stop)
  return puppeteer.launch({
    // On a signal it would end this process with 130, also on one that a test makes up. The run ends what it started.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    executablePath: findProgram('chromium')!,
    timeout: START_MS,
    args: [
      '--no-sandbox',
      '--lang=en-US',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  })
}

/** Lines of puppeteer around the words of the browser. */
const AROUND = /^(?:$|Code: |stderr:|TROUBLESHOOTING)/

/** The first line of an error that says something: of the browser, if it said anything. */
function firstWords(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.replace(/^Failed to launch the browser process:/, '').split('\n')
  const words = lines.map((line) => line.trim())
  return words.find((line) => !AROUND.test(line)) ?? words[0]!
}
