import type { Starter } from '../types.ts'
import { accentTags, INK, MAIN_BUTTON, PAPER, PICTURE, pictureTag, QUIET_BUTTON, QUIET_INK } from './palette.ts'
import { MEGAPHONE } from './pictures.ts'

export const announcement: Starter = {
  name: 'Announcement',
  summary: 'a short notice in a box, with a button to read more and one to close it',
  content: {
    ver: 1,
    frame: {
      type: 'alert',
      closeButton: 'none',
      animation: 'fade',
      backgroundLayers: [{ type: 'color', color: PAPER }],
      nodes: [
        PICTURE,
        { type: 'heading', text: '{{Title}}', align: 'center', color: INK, size: 22 },
        { type: 'text', text: '{{Text}}', align: 'center', color: QUIET_INK, size: 16 },
        {
          type: 'button',
          text: [['{{Button}}', { bold: true }]],
          style: MAIN_BUTTON,
          actions: [{ type: 'closeMessage' }, { type: 'openUrl', data: { url: '{{Link}}' } }],
        },
        { type: 'button', text: '{{Later}}', style: QUIET_BUTTON, actions: [{ type: 'closeMessage' }] },
      ],
    },
    defaults: { font: { family: 'system', size: 16 }, fontColor: INK, dir: 'auto' },
  },
  tags: [
    { title: 'Title', type: 'text', required: true },
    { title: 'Text', type: 'text', required: true },
    { title: 'Link', type: 'url', required: true },
    { title: 'Button', type: 'text', required: false, default: 'Read more' },
    { title: 'Later', type: 'text', required: false, default: 'Not now' },
    pictureTag(MEGAPHONE),
    ...accentTags('#0f766e', '#5eead4'),
  ],
  sample: {
    Title: 'Opening hours are changing',
    Text: 'From Monday our shops are open until 9 in the evening, and on Sundays from 11 to 6.',
    Link: 'https://example.com/news/opening-hours',
  },
}
