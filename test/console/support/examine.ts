import { expect } from 'chai'
import { lowContrasts } from '../../support/contrast.ts'
import type { OpenConsole } from './console.ts'

/**
 * Examines the page as it is now on a desktop and on a phone: rules of accessibility and contrasts, with a picture of each; with `isShotDark`
 * a picture of a dark phone, too. The page is 1280 px wide and light afterwards.
 */
export async function examine(
  console: OpenConsole,
  name: string,
  { isShotDark = false }: { isShotDark?: boolean } = {},
): Promise<void> {
  for (const width of [1280, 390]) {
    await console.look(width, 'light')
    expect(await console.axe({ without: ['color-contrast'] }), `${name} ${width}`).to.deep.equal([])
    expect(await lowContrasts(console.page), `${name} ${width}`).to.deep.equal([])
    await console.shoot(`${name}-${width}`)
  }
  if (isShotDark) {
    await console.look(390, 'dark')
    await console.shoot(`${name}-dark`)
  }
  await console.look(1280, 'light')
}
