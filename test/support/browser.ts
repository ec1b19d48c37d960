import { existsSync } from 'node:fs'
import type { Context } from 'mocha'
import puppeteer, { type Browser, type BrowserContext } from 'puppeteer-core'
import { stopAtEnd } from './at-end.ts'
import { skip } from './skip.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']

const CHROMIUM = PLACES.find((path) => existsSync(path))

/** For `before`: leaves a suite out where this machine has no Chromium. */
export function needsChromium(context: Context): void {
  if (CHROMIUM === undefined) skip(context, 'there is no Chromium (Debian: apt install chromium)')
}

let running: Promise<Browser> | undefined

/**
 * A browser without cookies, permissions and cache: a context of the Chromium of this process, which the first call starts. It speaks
 * to nobody but this machine. Close it when the suite is over, and its pages go too.
 */
export async function openBrowser(): Promise<BrowserContext> {
  running ??= launch()
  // One that crashed is not there for the next suite.
  if (!(await running).connected) running = launch()
  return (await running).createBrowserContext()
}

async function stop(): Promise<void> {
  const browser = await running?.catch(() => undefined)
  running = undefined
  await browser?.close()
}

/** Starts it without a window. */
function launch(): Promise<Browser> {
  stopAtEnd(stop)
  return puppeteer.launch({
    executablePath: CHROMIUM!,
    args: [
      '--no-sandbox',
      '--lang=en-US',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE *.localhost, EXCLUDE localhost, EXCLUDE 127.0.0.1',
    ],
  })
}
