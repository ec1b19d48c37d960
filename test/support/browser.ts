import { existsSync } from 'node:fs'
import puppeteer, { type Browser } from 'puppeteer-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/opt/google/chrome/chrome']

/** A Chromium of this machine; undefined when it has none, and then tests that need one are left out. */
export const CHROMIUM = PLACES.find((path) => existsSync(path))

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
