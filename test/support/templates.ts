import type { NewTemplate } from '../../src/domain/templates/types.ts'

/** Parts of content documents, right unless a test makes them wrong. */

export function heading(text: unknown = 'Hello', more: object = {}) {
  return { type: 'heading', text, ...more }
}

/** A button that closes the message. */
export function closing(text = 'OK') {
  return { type: 'button', text, actions: [{ type: 'closeMessage' }] }
}

export function alert(nodes: unknown[] = [heading()], frame: object = {}) {
  return { ver: 1, frame: { type: 'alert', nodes, ...frame } }
}

/** A template with a required tag, `Title`, and an optional one, `Text`. */
export function newTemplate(more: Partial<NewTemplate> = {}): NewTemplate {
  return {
    uid: 'note',
    name: 'Note',
    content: alert([heading('{{Title}}'), { type: 'text', text: '{{Text}}' }, closing()]) as NewTemplate['content'],
    tags: [
      { title: 'Title', type: 'text', required: true },
      { title: 'Text', type: 'text', required: false },
    ],
    sample: { Title: 'Sample' },
    ...more,
  }
}
