import type { Starter } from '../types.ts'
import { accentTags, INK, MAIN_BUTTON, PAPER, PICTURE, pictureTag, QUIET_BUTTON, QUIET_INK } from './palette.ts'
import { BELL } from './pictures.ts'

/** A message before the system asks for permission, because the system asks only once. */
export const permission: Starter = {
  name: 'Ask for notifications',
  summary: 'explains what notifications are for, then lets the system ask',
  content: {
    ver: 1,
    frame: {
      type: 'alert',
      closeButton: 'none',
      animation: 'slide',
      backgroundLayers: [{ type: 'color', color: PAPER }],
      nodes: [
        PICTURE,
        { type: 'heading', text: '{{Title}}', align: 'center', color: INK, size: 23 },
        { type: 'text', text: '{{Text}}', align: 'center', color: QUIET_INK, size: 16 },
        {
          type: 'text',
          text: [['{{Promise}}', { italic: true }]],
          align: 'center',
          color: QUIET_INK,
          size: 14,
        },
        {
          type: 'button',
          text: [['{{Yes}}', { bold: true }]],
          style: MAIN_BUTTON,
          actions: [
            { type: 'trackConversionEvent', data: { eventType: 'notifications.wanted' } },
            { type: 'closeMessage' },
            { type: 'promptPushPermission' },
          ],
        },
        { type: 'button', text: '{{No}}', style: QUIET_BUTTON, actions: [{ type: 'closeMessage' }] },
      ],
    },
    defaults: { font: { family: 'system', size: 16 }, fontColor: INK, dir: 'auto' },
  },
  tags: [
    { title: 'Title', type: 'text', required: false, default: 'Be the first to know' },
    { title: 'Text', type: 'text', required: true },
    {
      title: 'Promise',
      type: 'text',
      required: false,
      default: 'Only when it matters, and you can turn it off at any time.',
    },
    { title: 'Yes', type: 'text', required: false, default: 'Turn on notifications' },
    { title: 'No', type: 'text', required: false, default: 'Not now' },
    pictureTag(BELL),
    ...accentTags('#6d28d9', '#c4b5fd'),
  ],
  sample: { Text: 'We tell you when your order is on its way, and when it stands at your door.' },
}
