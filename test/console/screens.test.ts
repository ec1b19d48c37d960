import { expect } from 'chai'
import { type OpenConsole, openConsole } from './support/console.ts'
import { addLinks } from './support/links.ts'
import { consoleRoutes } from './support/routes.ts'

/** What stands in addresses for the parameters of the patterns. A page that shows one thing gets its thing here. */
const samples = (console: OpenConsole): Record<string, string> => ({ appId: String(console.appId), ...links })
let links: Awaited<ReturnType<typeof addLinks>>

const LOOKS = [
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const

describe('the screens of the console', function () {
  this.timeout(120_000)
  let console: OpenConsole

  before(async function () {
    console = await openConsole(this)
    links = await addLinks(console)
  })
  after(() => console?.close())
  afterEach(() => {
    expect(console.problems.splice(0)).to.deep.equal([])
  })

  for (const pattern of consoleRoutes()) {
    it(`${pattern}: axe finds nothing, in light and dark, wide and narrow`, async () => {
      const known = samples(console)
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => known[name] ?? `no sample for ${name}`)
      expect(path, 'give it a sample').to.not.include('no sample')
      for (const [width, theme] of LOOKS) {
        await console.look(width, theme)
        await console.visit(pattern === '/gallery' ? '/gallery?gallery' : path)
        await console.shoot(`${pattern.replaceAll(/[/:]+/g, '-').slice(1) || 'start'}-${width}-${theme}`)
        expect(await console.axe(), `${width} ${theme}`).to.deep.equal([])
        expect(
          await console.page.evaluate('document.documentElement.scrollWidth'),
          'it scrolls sideways',
        ).to.be.at.most(width)
      }
    })
  }

  it('the sign-in page too', async () => {
    await console.leave()
    for (const [width, theme] of LOOKS) {
      await console.look(width, theme)
      await console.visit('/account')
      await console.shoot(`sign-in-${width}-${theme}`)
      expect(await console.axe()).to.deep.equal([])
    }
    await console.enter()
  })
})
