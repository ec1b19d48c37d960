import type { Words } from './types.ts'

/** Fields that mean the same wherever they occur, and errors. */
export const EVERYWHERE: Words = {
  schemas: {
    FieldErrors: [
      'What is wrong, by the dotted path of each field as the caller wrote it. The empty path is the whole body.',
      { 'content.title': ['is required'] },
    ],
  },
  fields: {
    'WebPrompt.uuid': ['Unique identifier.', '0b0e6c5a-7f3d-4c55-9a3e-2f6b1c8d4e10'],
    'Record.createdAt': ['When it was created.', '2026-03-01T12:00:00+0000'],
    'Record.updatedAt': ['When it last changed.', '2026-03-01T12:30:00+0000'],
  },
  parameters: {
    'query.after': ['Continues after a page: the `next` of its answer.', 51],
    'query.limit': ['Maximum number of items on a page.', 50],
    'path.id': ['The `id` of the resource.', 7],
    'path.apiKey': ['The API key of the app, which is public.', 'ak_3f8b1c9d2e7a4056'],
    'path.appId': ['The `id` of the app whose keys the request carries.', 1],
    'path.userId': [
      'The identifier of the user. From devices it may also be a user token, if the app signs its users.',
      'user-17',
    ],
    'path.installId': ['The id of the install, chosen by its SDK.', '7f0c3b1e-96b6-4f0e-a2b5-3a1c6a1b7d10'],
  },
}
