import type { Starter } from '../types.ts'
import { PICTURE, pictureTag } from './palette.ts'
import { PLANE } from './pictures.ts'

const WHITE = '#ffffff'
const SOFT_WHITE = '#e9e8ff'

/** White text on a gradient that is dark enough for light and dark appearance. */
export const welcome: Starter = {
  name: 'Welcome',
  summary: 'a full screen on the first start, with a button to begin',
  content: {
    ver: 1,
    frame: {
      type: 'fullscreen',
      stackingGravity: 'centered',
      closeButton: 'top-right',
      animation: 'fade',
      backgroundLayers: [
        {
          type: 'gradient',
          angle: 160,
          stops: [
            { color: { light: '{{Top}}', dark: '{{TopDark}}' }, at: 0 },
            { color: { light: '{{Bottom}}', dark: '{{BottomDark}}' }, at: 100 },
          ],
        },
      ],
      nodes: [
        PICTURE,
        { type: 'subheading', text: '{{Greeting}}', align: 'center', color: SOFT_WHITE, size: 17 },
        { type: 'heading', text: '{{Title}}', align: 'center', color: WHITE, size: 40 },
        { type: 'text', text: '{{Text}}', align: 'center', color: SOFT_WHITE, size: 18 },
        {
          type: 'button',
          text: [['{{Button}}', { bold: true }]],
          style: { fg: '#2a2472', bg: WHITE, radius: 28, size: 'wide' },
          actions: [{ type: 'trackConversionEvent', data: { eventType: 'welcome.started' } }, { type: 'closeMessage' }],
        },
      ],
    },
    defaults: { font: { family: 'system', size: 17 }, fontColor: WHITE, dir: 'auto' },
  },
  tags: [
    { title: 'Title', type: 'text', required: true },
    { title: 'Text', type: 'text', required: true },
    { title: 'Greeting', type: 'text', required: false, default: 'Welcome' },
    { title: 'Button', type: 'text', required: false, default: 'Get started' },
    pictureTag(PLANE),
    { title: 'Top', type: 'color', required: false, default: '#4338ca' },
    { title: 'Bottom', type: 'color', required: false, default: '#86198f' },
    { title: 'TopDark', type: 'color', required: false, default: '#1e1b4b' },
    { title: 'BottomDark', type: 'color', required: false, default: '#4a044e' },
  ],
  sample: {
    Title: 'Good to have you here',
    Text: 'Save what you like, get it delivered, and pick up on any device where you left off.',
  },
}
