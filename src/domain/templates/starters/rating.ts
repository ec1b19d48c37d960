import type { Starter } from '../types.ts'
import {
  accentTags,
  HAIRLINE,
  INK,
  MAIN_BUTTON,
  PAPER,
  PICTURE,
  pictureTag,
  QUIET_BUTTON,
  QUIET_INK,
} from './palette.ts'
import { MOUNTAINS } from './pictures.ts'

export const rating: Starter = {
  name: 'Ask for a rating',
  summary: 'asks people who like the app for a rating in the store',
  content: {
    ver: 1,
    frame: {
      type: 'alert',
      closeButton: 'top-right',
      animation: 'fade',
      backgroundLayers: [{ type: 'color', color: PAPER }],
      nodes: [
        PICTURE,
        { type: 'text', text: '★★★★★', align: 'center', color: { light: '#d97706', dark: '#ffc247' }, size: 34 },
        { type: 'heading', text: '{{Title}}', align: 'center', color: INK, size: 22 },
        { type: 'text', text: '{{Text}}', align: 'center', color: QUIET_INK, size: 16 },
        {
          type: 'button',
          text: [['{{Rate}}', { bold: true }]],
          style: MAIN_BUTTON,
          actions: [
            { type: 'trackConversionEvent', data: { eventType: 'rating.pressed' } },
            { type: 'closeMessage' },
            { type: 'requestAppStoreRating' },
          ],
        },
        {
          type: 'button',
          text: '{{Feedback}}',
          style: { ...QUIET_BUTTON, fg: INK, border: HAIRLINE },
          actions: [{ type: 'closeMessage' }, { type: 'openUrl', data: { url: '{{FeedbackLink}}' } }],
        },
      ],
    },
    defaults: { font: { family: 'system', size: 16 }, fontColor: INK, dir: 'auto' },
  },
  tags: [
    { title: 'Title', type: 'text', required: true },
    { title: 'FeedbackLink', type: 'url', required: true },
    {
      title: 'Text',
      type: 'text',
      required: false,
      default: 'A rating takes half a minute and helps others to find us.',
    },
    { title: 'Rate', type: 'text', required: false, default: 'Rate the app' },
    { title: 'Feedback', type: 'text', required: false, default: 'Tell us what to do better' },
    pictureTag(MOUNTAINS),
    ...accentTags('#b45309', '#fcd34d'),
  ],
  sample: { Title: 'Do you like Trailhead?', FeedbackLink: 'https://example.com/feedback' },
}
