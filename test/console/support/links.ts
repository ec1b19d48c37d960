import { createBanner, newBanner } from '../../../src/domain/links/banners/schema.ts'
import { parseJson } from '../../../src/platform/values/parse.ts'
import type { OpenConsole } from './console.ts'

const DAY_MS = 86_400_000
/** A square of one colour. */
const ICON =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAF0lEQVR4nGPgTvAiCTGMahjVMKph6GoAAGx9oUH/ZJ4HAAAAAElFTkSuQmCC'

/** A link that people followed for a while, with a banner and a prompt: what the screens of links show. */
export async function addLinks({ server: { program, clock }, appId }: Pick<OpenConsole, 'server' | 'appId'>) {
  return program.inTransaction(async (tx) => {
    await tx.links.configure(appId, {
      appStoreUrl: 'https://apps.apple.com/app/id1234567890',
      playStoreUrl: 'https://play.google.com/store/apps/details?id=com.example.app',
      icon: ICON,
    })
    const places = { desktopWebFallbackUrl: 'https://example.com/', mobileWebFallbackUrl: 'https://m.example.com/' }
    const content = { title: 'Spring sale', description: 'All shoes half price until Sunday' }
    const [link] = await tx.links.create(appId, [
      { slug: 'spring-sale', linkData: { screen: 'offer', id: 7 }, content, ...places },
      { slug: 'old', linkData: {}, ...places, isEnabled: false },
    ])
    for (let day = 0; day < 20; day++) {
      const clicks = Array.from({ length: 3 + ((day * 7) % 5) }, (_, i) => ({
        appId,
        linkId: link!.id,
        at: clock.now() - day * DAY_MS,
        data: i % 2 === 0 ? { platform: 'ios', route: 'jumpPage' } : { platform: 'android', route: 'playStore' },
      }))
      await tx.links.recordClicks(clicks)
    }
    await tx.links.countLookup(appId, link!.id, clock.now(), { data: { route: 'direct', wasDeferred: false } })
    const labels = {
      heading: 'Get the app',
      body: 'All offers in your pocket',
      acceptAction: 'Open',
      declineAction: 'Later',
    }
    const banner = await tx.banners.create(appId, newBanner(parseJson(createBanner, { link: 'spring-sale', labels })))
    const prompt = await tx.prompts.create(appId, 'welcome', {
      type: 'alert',
      labels: {
        alert: {
          heading: 'Hear it first',
          body: 'We tell you about new offers.',
          acceptAction: 'Yes',
          declineAction: 'No',
        },
      },
    })
    return { linkId: String(link!.id), bannerUuid: banner.uuid, promptName: prompt.name }
  })
}
