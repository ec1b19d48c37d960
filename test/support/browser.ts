import type { Context } from 'mocha'
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core'
import { stopAtEnd } from './at-end.ts'
import { findHeadlessShell, findProgram, needs } from './needs.ts'
import { PROGRAMS_MS } from './programs.ts'
import { skip } from './skip.ts'

/** The time that a start may take on a busy machine. */
const START_MS = 90_000

/** The time that a page may take to load, or to show what a test waits for. Half a minute was too short where thirty programs want two processors. */
export const PAGE_MS = 120_000

/**
 * The kind of browser: `shell` has no windows and needs less processor time (0113), `whole` is the browser of people, which hides its
 * windows. Only the whole one has permissions that a page asks for. Without the shell on this machine both are the whole one.
 */
export type BrowserKind = 'shell' | 'whole'

/** The browsers of this process, or the reasons why they do not start, by their executable. */
const states = new Map<string, { browser: Promise<Browser> } | { doesNotStart: string }>()

function executableOf(kind: BrowserKind): string {
  return (kind === 'shell' ? findHeadlessShell() : undefined) ?? findProgram('chromium')!
}

/**
 * Leaves the suite out where this machine has no Chromium, or has one that does not start; the first line of a
 * `before`. It starts the one of this process to know, before the suite starts anything else.
 */
export async function needsChromium(context: Context, kind: BrowserKind = 'shell'): Promise<void> {
  needs(context, 'chromium')
  const executable = executableOf(kind)
  if (!states.has(executable)) {
    await start(executable).catch((error: unknown) => {
      states.set(executable, { doesNotStart: firstWords(error) })
    })
  }
  const state = states.get(executable)
  if (state && 'doesNotStart' in state) skip(context, `Chromium does not start: ${state.doesNotStart}`)
}

/**
 * A browser without cookies, permissions and cache: a context of the Chromium of this process, which the first call starts. It speaks
 * to nobody but this machine. Close it when the suite is over, and its pages go too.
 */
export async function openBrowser(kind: BrowserKind = 'shell'): Promise<BrowserContext> {
  const executable = executableOf(kind)
  const browser = await running(executable)
  // One that crashed is not there for the next suite.
  const context = await (browser?.connected ? browser : await start(executable)).createBrowserContext()
  const newPage = context.newPage.bind(context)
  context.newPage = async (options) => {
    const page = await newPage(options)
    page.setDefaultTimeout(PAGE_MS)
    return page
  }
  return context
}

async function running(executable: string): Promise<Browser | undefined> {
  const state = states.get(executable)
  return state && 'browser' in state ? state.browser.catch(() => undefined) : undefined
}

function start(executable: string): Promise<Browser> {
  const browser = launch(executable)
  states.set(executable, { browser })
  return browser
}

async function stop(executable: string): Promise<void> {
  const browser = await running(executable)
  states.delete(executable)
  await browser?.close()
}

/** Starts it without a window. */
function launch(executable: string): Promise<Browser> {
  stopAtEnd(() => stop(executable))
  return puppeteer.launch({
    // On a signal it would end this process with 130, also on one that a test makes up. The run ends what it started.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    executablePath: executable,
    headless: executable.endsWith('-headless-shell') ? 'shell' : true,
    timeout: START_MS,
    protocolTimeout: PROGRAMS_MS,
    args: [
      '--no-sandbox',
      '--lang=en-US',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      // Else the processor imitates a graphics card, which draws what few tests look at.
      '--disable-gpu',
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
