import type { Starter } from '../types.ts'
import { ACCENT, accentTags, INK, MAIN_BUTTON, PAPER, QUIET_INK } from './palette.ts'
import { SHOE } from './pictures.ts'

export const promotion: Starter = {
  name: 'Promotion',
  summary: 'a card with a picture, a price and the old price struck out',
  content: {
    ver: 1,
    frame: {
      type: 'inset',
      stackingGravity: 'bottom-up',
      closeButton: 'top-right',
      animation: 'slide',
      backgroundLayers: [{ type: 'color', color: PAPER }],
      nodes: [
        { type: 'image', src: '{{Picture}}', alt: '{{PictureText}}', width: 100, radius: 14 },
        { type: 'subheading', text: '{{Occasion}}', align: 'start', color: ACCENT, size: 14 },
        { type: 'heading', text: '{{Product}}', align: 'start', color: INK, size: 24 },
        { type: 'text', text: '{{Text}}', align: 'start', color: QUIET_INK, size: 16 },
        {
          type: 'text',
          text: [
            ['{{Currency}}{{Price}}', { bold: true, size: 28, color: INK }],
            '\u2002',
            ['{{OldPrice}}', { strike: true, size: 17, color: QUIET_INK }],
          ],
          align: 'start',
        },
        {
          type: 'button',
          text: [['{{Button}}', { bold: true }]],
          style: MAIN_BUTTON,
          actions: [
            {
              type: 'trackConversionEvent',
              data: { eventType: 'promotion.pressed', data: { product: '{{Product}}', price: '{{Price}}' } },
            },
            { type: 'closeMessage' },
            { type: 'openUrl', data: { url: '{{Link}}' } },
          ],
        },
      ],
    },
    defaults: { font: { family: 'system', size: 16 }, fontColor: INK, dir: 'auto' },
  },
  tags: [
    { title: 'Product', type: 'text', required: true },
    { title: 'Picture', type: 'image', required: true },
    { title: 'PictureText', type: 'text', required: false, default: '' },
    { title: 'Price', type: 'number', required: true },
    { title: 'Link', type: 'url', required: true },
    { title: 'Currency', type: 'text', required: false, default: '€' },
    { title: 'OldPrice', type: 'text', required: false, default: '' },
    { title: 'Occasion', type: 'text', required: false, default: 'For a few days only' },
    { title: 'Text', type: 'text', required: false, default: '' },
    { title: 'Button', type: 'text', required: false, default: 'Shop now' },
    ...accentTags('#be123c', '#fda4af'),
  ],
  sample: {
    Product: 'Trail running shoe',
    Picture: SHOE,
    PictureText: 'A pair of red running shoes on a stony path',
    Price: '89.90',
    OldPrice: '€129.90',
    Occasion: 'Summer sale',
    Text: 'Light, waterproof, and made for stony ground.',
    Link: 'https://example.com/shop/trail-shoe',
  },
}
