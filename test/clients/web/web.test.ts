import { needsChromium } from '../../support/browser.ts'
import { PROGRAMS_MS } from '../../support/programs.ts'
import { appStories } from './stories/apps.ts'
import { eventStories } from './stories/events.ts'
import { exampleStories } from './stories/example.ts'
import { formerStories } from './stories/former.ts'
import { inAppStories } from './stories/in-app.ts'
import { promptStories } from './stories/prompts.ts'
import { pushStories } from './stories/push.ts'
import { refusalStories } from './stories/refusals.ts'
import { troubleStories } from './stories/troubles.ts'
import { userStories } from './stories/user.ts'
import { openShop, type Shop } from './support/shop.ts'
import { type Stage, stageOf } from './support/stage.ts'

describe('a page with the browser client', function () {
  this.timeout(PROGRAMS_MS)
  let shop: Shop
  let stage: Stage
  before(async function () {
    await needsChromium(this, 'whole')
    shop = await openShop()
    stage = stageOf(shop)
  })
  after(() => shop?.close())

  // Each group has a visitor of its own, because a browser profile costs as much as its tests.
  for (const stories of [
    pushStories,
    refusalStories,
    eventStories,
    userStories,
    inAppStories,
    promptStories,
    formerStories,
    appStories,
    troubleStories,
    exampleStories,
  ]) {
    stories(() => stage)
  }
})
