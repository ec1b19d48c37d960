import { existsSync } from 'node:fs'
import type { Context } from 'mocha'
import puppeteer, { type Browser } from 'puppeteer-core'
import { skip } from './skip.ts'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']

const CHROMIUM = PLACES.find((path) => existsSync(path))

/** For `before`: leaves a suite out where this machine has no Chromium. */
export function needsChromium(context: Context): void {
  if (CHROMIUM === undefined) skip(context, 'there is no Chromium (Debian: apt install chromium)')
}

/** Starts it without a window. It speaks to nobody but this machine. */
export function openBrowser(): Promise<Browser> {
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
